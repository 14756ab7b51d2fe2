/** A sentence of section 8 of the specification, and the test that shows it to a reader. */
export type CatalogueRow = {
  /** Which of the two documents. */
  document: 1 | 2;
  /** Word for word; where the specification leaves a blank, with what the test puts there. */
  sentence: string;
  file: string;
  /** The title of the test, as it stands in the file. */
  test: string;
};

/** `error-catalogue.spec.ts` fails when a row names a test that is not there or does not have the sentence. */
export const ERROR_CATALOGUE: CatalogueRow[] = [
  {
    document: 1,
    sentence: 'Please sign in to scan parts',
    file: 'e2e/failed-scan.spec.ts',
    test: 'a session that ended leads back to the sign-in',
  },
  {
    document: 1,
    sentence:
      'Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.',
    file: 'e2e/failed-scan.spec.ts',
    test: 'after two scans the allowance of Basic is used up',
  },
  {
    document: 1,
    sentence: 'Failed to identify part: Service Unavailable',
    file: 'src/features/scan/scan-flow.test.ts',
    test: '%s',
  },
  {
    document: 1,
    sentence: 'Failed to analyze image',
    file: 'e2e/failed-scan.spec.ts',
    test: 'a server that is away is named as the reason',
  },
  {
    document: 1,
    sentence: 'Failed to accept terms. Please try again.',
    file: 'src/features/legal/terms-dialog.test.tsx',
    test: 'says %s',
  },
  {
    document: 1,
    sentence: 'Terms Accepted',
    file: 'e2e/first-scan.spec.ts',
    test: 'a newcomer signs up, accepts the terms, adds a vehicle, scans and comes back to the scan',
  },
  {
    document: 1,
    sentence: 'Thank you for accepting our terms and privacy policy.',
    file: 'src/features/legal/terms-dialog.test.tsx',
    test: 'says %s',
  },
  {
    document: 1,
    sentence: 'Failed to fetch oil specifications',
    file: 'src/features/oil/oil.test.tsx',
    test: 'falls back to common values, and says why the modal is empty',
  },
  {
    document: 1,
    sentence: 'Failed to record oil change',
    file: 'src/features/oil-changes/oil-changes.test.tsx',
    test: 'keeps what was typed when the save fails',
  },
  {
    document: 1,
    sentence: 'Oil change recorded!',
    file: 'e2e/garage.spec.ts',
    test: 'oil changes: log, be warned, edit, delete',
  },
  {
    document: 1,
    sentence: 'Your oil change has been successfully logged.',
    file: 'src/features/oil-changes/oil-changes.test.tsx',
    test: 'logs an oil change, shows what is odd about it, and returns the focus',
  },
  {
    document: 1,
    sentence: 'Failed to delete oil change',
    file: 'src/features/oil-changes/oil-changes.test.tsx',
    test: 'asks before it deletes, and tells how it went',
  },
  {
    document: 1,
    sentence: 'The oil change record has been removed.',
    file: 'e2e/garage.spec.ts',
    test: 'oil changes: log, be warned, edit, delete',
  },
  {
    document: 1,
    sentence: 'Failed to add repair',
    file: 'src/features/repair-history/repair-history.test.tsx',
    test: 'adds a repair with the part of a scan, and keeps it when that fails',
  },
  {
    document: 1,
    sentence: 'Failed to delete repair',
    file: 'src/features/repair-history/repair-history.test.tsx',
    test: 'tells when deleting fails',
  },
  {
    document: 1,
    sentence: 'Vehicle Updated',
    file: 'src/features/vehicles/vehicles.test.tsx',
    test: 'makes a vehicle the default by its card',
  },
  {
    document: 1,
    sentence: 'Default vehicle changed successfully',
    file: 'e2e/first-scan.spec.ts',
    test: 'another vehicle becomes the default from the top bar',
  },
  {
    document: 1,
    sentence: 'Failed to update default vehicle',
    file: 'src/features/vehicles/vehicles.test.tsx',
    test: 'lists all vehicles with a check mark on the default, and changes it',
  },
  {
    document: 1,
    sentence: 'Failed to add vehicle. Please try again.',
    file: 'src/features/vehicles/vehicles.test.tsx',
    test: 'tells apart a failed save and an ended session',
  },
  {
    document: 1,
    sentence: 'Failed to set default vehicle. Please try again.',
    file: 'src/features/vehicles/vehicles.test.tsx',
    test: 'says when the default could not be set on the vehicles page',
  },
  {
    document: 1,
    sentence: 'Failed to delete vehicle. Please try again.',
    file: 'src/features/vehicles/vehicles.test.tsx',
    test: 'names what goes with a vehicle before it deletes it',
  },
  {
    document: 1,
    sentence: 'Failed to update vehicle. Please try again.',
    file: 'e2e/garage.spec.ts',
    test: 'edit, search, choose and delete vehicles',
  },
  {
    document: 1,
    sentence: 'You are logged out. Logging in again...',
    file: 'src/features/vehicles/vehicles.test.tsx',
    test: 'tells apart a failed save and an ended session',
  },
  {
    document: 1,
    sentence: 'Failed to fetch makes',
    file: 'src/features/vehicles/vehicles.test.tsx',
    test: 'says which list could not be had when %s fails: %s',
  },
  {
    document: 1,
    sentence: 'Failed to fetch models',
    file: 'src/features/vehicles/vehicles.test.tsx',
    test: 'says which list could not be had when %s fails: %s',
  },
  {
    document: 1,
    sentence: 'Failed to fetch engines',
    file: 'src/features/vehicles/vehicles.test.tsx',
    test: 'says which list could not be had when %s fails: %s',
  },
  {
    document: 1,
    sentence: 'Camera must be active to use flashlight',
    file: 'src/features/scan/torch.test.ts',
    test: 'says so when %s',
  },
  {
    document: 1,
    sentence: 'No video track available',
    file: 'src/features/scan/torch.test.ts',
    test: 'says so when %s',
  },
  {
    document: 1,
    sentence: 'Flashlight not supported on this device',
    file: 'src/features/scan/torch.test.ts',
    test: 'says so when %s',
  },
  {
    document: 1,
    sentence: 'Flashlight error: too hot',
    file: 'src/features/scan/camera-panel.test.tsx',
    test: 'has a flashlight where the camera has one, and says when it fails',
  },
  {
    document: 2,
    sentence: 'Authentication failed',
    file: 'e2e/account.spec.ts',
    test: 'a wrong password is refused in the words of the specification',
  },
  {
    document: 2,
    sentence: 'Please check your credentials and try again.',
    file: 'e2e/account.spec.ts',
    test: 'a wrong password is refused in the words of the specification',
  },
  {
    document: 2,
    sentence: 'Reset failed',
    file: 'src/features/subscription/manage-subscription.test.tsx',
    test: 'says when it fails',
  },
  {
    document: 2,
    sentence: 'Unable to reset scan limits.',
    file: 'src/features/subscription/manage-subscription.test.tsx',
    test: 'says when it fails',
  },
  {
    document: 2,
    sentence: 'Failed to create company',
    file: 'src/features/company/company.test.tsx',
    test: 'keeps the form when it is refused: %s',
  },
  {
    document: 2,
    sentence: 'Failed to update company',
    file: 'src/features/company/company.test.tsx',
    test: 'says that the company was not updated',
  },
  {
    document: 2,
    sentence: 'Failed to add team member',
    file: 'src/features/company/company.test.tsx',
    test: 'says that the member was not added',
  },
  {
    document: 2,
    sentence: 'Failed to remove team member',
    file: 'src/features/company/company.test.tsx',
    test: 'says that the member was not removed',
  },
  {
    document: 2,
    sentence: 'Failed to create subscription',
    file: 'src/features/subscription/checkout.test.ts',
    test: 'has the reason of the server, else a sentence of its own',
  },
  {
    document: 2,
    sentence: 'No client secret received',
    file: 'src/features/subscription/checkout-card.test.tsx',
    test: 'fails in words where the answer has no secret',
  },
  {
    document: 2,
    sentence: 'Subscription Error',
    file: 'e2e/checkout.spec.ts',
    test: 'the provider cannot be reached',
  },
  {
    document: 2,
    sentence: 'Failed to initialize subscription. Please try again.',
    file: 'e2e/checkout.spec.ts',
    test: 'the provider cannot be reached',
  },
  {
    document: 2,
    sentence: 'Plan Unavailable',
    file: 'e2e/checkout.spec.ts',
    test: 'without payments the plan is unavailable, and the plans follow',
  },
  {
    document: 2,
    sentence: 'Payment Failed',
    file: 'e2e/checkout.spec.ts',
    test: 'from the prices to a paid plan',
  },
  {
    document: 2,
    sentence: 'Failed to send message',
    file: 'e2e/contact.spec.ts',
    test: 'a message that cannot be sent is kept',
  },
  {
    document: 2,
    sentence: 'Please try again later.',
    file: 'e2e/contact.spec.ts',
    test: 'a message that cannot be sent is kept',
  },
  {
    document: 2,
    sentence: 'Copy failed',
    file: 'e2e/contact.spec.ts',
    test: 'says when copying fails',
  },
  {
    document: 2,
    sentence: 'Please manually copy the email address.',
    file: 'e2e/contact.spec.ts',
    test: 'says when copying fails',
  },
  {
    document: 2,
    sentence: 'Failed to send cancellation request',
    file: 'e2e/checkout.spec.ts',
    test: 'a paid plan is cancelled by request',
  },
  {
    document: 2,
    sentence: 'Please try contacting support directly.',
    file: 'e2e/checkout.spec.ts',
    test: 'a paid plan is cancelled by request',
  },
  {
    document: 2,
    sentence: 'Unable to load subscription information. Please try again later.',
    file: 'src/features/subscription/manage-subscription.test.tsx',
    test: 'says that the status cannot be loaded',
  },
  {
    document: 2,
    sentence: 'No parts found',
    file: 'src/features/parts/parts-browser.test.tsx',
    test: 'has a search box for four of the categories only, and only with parts',
  },
  {
    document: 2,
    sentence: 'No matching parts found',
    file: 'e2e/parts.spec.ts',
    test: 'find a part, see who sells it and how it is fitted',
  },
  {
    document: 2,
    sentence: 'No suppliers found for this part',
    file: 'src/features/parts/parts-browser.test.tsx',
    test: 'says when nobody sells a part',
  },
  { document: 2, sentence: 'Page Not Found', file: 'e2e/pages.spec.ts', test: 'no such page' },
  {
    document: 2,
    sentence: "The parts category you're looking for doesn't exist.",
    file: 'e2e/parts.spec.ts',
    test: '${path} is no category',
  },
  {
    document: 2,
    sentence: 'Invalid file type',
    file: 'e2e/company.spec.ts',
    test: 'make a company, with a logo',
  },
  {
    document: 2,
    sentence: 'File too large',
    file: 'e2e/company.spec.ts',
    test: 'make a company, with a logo',
  },
  {
    document: 2,
    sentence: 'No parts available in the Engine Components category.',
    file: 'src/features/parts/parts-browser.test.tsx',
    test: 'has a search box for four of the categories only, and only with parts',
  },
];
