/** A journey in a browser, and the sentences of the error catalogue that it shows to a reader. */
export type CatalogueEntry = {
  /** Which of the two documents. */
  document: 1 | 2;
  file: `e2e/${string}.spec.ts`;
  /** The title of the test, as it stands in the file. */
  test: string;
  /** Word for word; where the specification leaves a blank, with what the journey puts there. */
  sentences: string[];
};

/**
 * Each sentence of section 8 of both documents, and of the sections that it refers to.
 *
 * `error-catalogue.spec.ts` fails when an entry names a journey that is not there or does not have the sentence.
 */
export const ERROR_CATALOGUE: CatalogueEntry[] = [
  {
    document: 1,
    file: 'e2e/scanning/failed-scan.spec.ts',
    test: 'a session that ended leads back to the sign-in',
    sentences: ['Please sign in to scan parts'],
  },
  {
    document: 1,
    file: 'e2e/scanning/failed-scan.spec.ts',
    test: 'after two scans the allowance of Basic is used up',
    sentences: [
      'Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.',
    ],
  },
  {
    document: 1,
    file: 'e2e/scanning/bad-input.spec.ts',
    test: 'a scan that the server refuses is not sent again by itself',
    sentences: ['Failed to identify part: Service Unavailable'],
  },
  {
    document: 1,
    file: 'e2e/scanning/failed-scan.spec.ts',
    test: 'a server that is away is named as the reason',
    sentences: ['Failed to analyze image'],
  },
  {
    document: 1,
    file: 'e2e/accounts/failed-account.spec.ts',
    test: 'terms that cannot be accepted stay, with both boxes ticked',
    sentences: [
      'Error',
      'Failed to accept terms. Please try again.',
      'Terms Accepted',
      'Thank you for accepting our terms and privacy policy.',
    ],
  },
  {
    document: 1,
    file: 'e2e/home.spec.ts',
    test: 'oil specifications that cannot be had',
    sentences: ['Failed to fetch oil specifications'],
  },
  {
    document: 1,
    file: 'e2e/garage/failed-records.spec.ts',
    test: 'an oil change that cannot be saved is kept, and one that cannot be deleted stays',
    sentences: [
      'Failed to record oil change',
      'Please try again.',
      'Oil change recorded!',
      'Your oil change has been successfully logged.',
      'Failed to delete oil change',
      'Oil change deleted',
      'The oil change record has been removed.',
    ],
  },
  {
    document: 1,
    file: 'e2e/garage/failed-records.spec.ts',
    test: 'a repair that cannot be saved is kept, and one that cannot be deleted stays',
    sentences: ['Failed to add repair', 'Failed to delete repair'],
  },
  {
    document: 1,
    file: 'e2e/garage/failed-vehicles.spec.ts',
    test: 'a default that cannot be changed stays, and so does a vehicle that cannot be deleted',
    sentences: [
      'Vehicle Updated',
      'Default vehicle changed successfully',
      'Failed to update default vehicle',
      'Failed to set default vehicle. Please try again.',
      'Failed to delete vehicle. Please try again.',
    ],
  },
  {
    document: 1,
    file: 'e2e/garage/failed-vehicles.spec.ts',
    test: 'lists that do not come, and a vehicle that cannot be saved, are said in the dialog',
    sentences: [
      'Failed to add vehicle. Please try again.',
      'Failed to fetch makes',
      'Failed to fetch models',
      'Failed to fetch engines',
    ],
  },
  {
    document: 1,
    file: 'e2e/garage/garage.spec.ts',
    test: 'edit, search, choose and delete vehicles',
    sentences: ['Failed to update vehicle. Please try again.'],
  },
  {
    document: 1,
    file: 'e2e/garage/failed-vehicles.spec.ts',
    test: 'a session that ended is said before the sign-in comes, and the vehicle is kept',
    sentences: ['Unauthorized', 'You are logged out. Logging in again...'],
  },
  {
    document: 1,
    file: 'e2e/scanning/camera.spec.ts',
    test: 'a flashlight that does not light says why',
    sentences: [
      'Camera must be active to use flashlight',
      'No video track available',
      'Flashlight not supported on this device',
      'Flashlight error: too hot',
    ],
  },
  {
    document: 2,
    file: 'e2e/accounts/account.spec.ts',
    test: 'a wrong password is refused in the words of the specification',
    sentences: ['Authentication failed', 'Please check your credentials and try again.'],
  },
  {
    document: 2,
    file: 'e2e/accounts/failed-account.spec.ts',
    test: 'a plan that cannot be loaded, and scans that the plan does not give',
    sentences: [
      'Reset failed',
      'Unable to reset scan limits.',
      'Unable to load subscription information. Please try again later.',
    ],
  },
  {
    document: 2,
    file: 'e2e/plans/company.spec.ts',
    test: 'what fails of a company and its team is said, and nothing typed is lost',
    sentences: [
      'Error',
      'Failed to create company',
      'Failed to update company',
      'Failed to add team member',
      'Failed to remove team member',
    ],
  },
  {
    document: 2,
    file: 'e2e/plans/checkout.spec.ts',
    test: 'an order that fails says why, and can be made again',
    sentences: [
      'Failed to create subscription',
      'No client secret received',
      'Subscription Error',
      'Failed to initialize subscription. Please try again.',
    ],
  },
  {
    document: 2,
    file: 'e2e/plans/checkout.spec.ts',
    test: 'without payments the plan is unavailable, and the plans follow',
    sentences: [
      'Plan Unavailable',
      'This subscription plan is being updated. Please contact support or try again later.',
    ],
  },
  {
    document: 2,
    file: 'e2e/plans/checkout.spec.ts',
    test: 'from the prices to a paid plan',
    sentences: ['Payment Failed'],
  },
  {
    document: 2,
    file: 'e2e/plans/contact.spec.ts',
    test: 'a message that cannot be sent is kept',
    sentences: ['Failed to send message', 'Please try again later.'],
  },
  {
    document: 2,
    file: 'e2e/plans/contact.spec.ts',
    test: 'a visitor writes to support',
    sentences: ['Please fill in all required fields', 'Name, email, and message are required.'],
  },
  {
    document: 2,
    file: 'e2e/plans/contact.spec.ts',
    test: 'says when copying fails',
    sentences: ['Copy failed', 'Please manually copy the email address.'],
  },
  {
    document: 2,
    file: 'e2e/plans/checkout.spec.ts',
    test: 'a paid plan is cancelled by request',
    sentences: ['Failed to send cancellation request', 'Please try contacting support directly.'],
  },
  {
    document: 2,
    file: 'e2e/parts/parts.spec.ts',
    test: 'a category without parts, and a part that nobody sells',
    sentences: [
      'No parts found',
      'No parts available in the Engine Components category.',
      'No suppliers found for this part',
    ],
  },
  {
    document: 2,
    file: 'e2e/parts/parts.spec.ts',
    test: 'find a part, see who sells it and how it is fitted',
    sentences: ['No matching parts found', 'Clear Search'],
  },
  {
    document: 2,
    file: 'e2e/parts/parts.spec.ts',
    test: '${path} is no category',
    sentences: [
      'Page Not Found',
      "The parts category you're looking for doesn't exist.",
      'Go Home',
    ],
  },
  {
    document: 2,
    file: 'e2e/plans/company.spec.ts',
    test: 'make a company, with a logo',
    sentences: [
      'Invalid file type',
      'Please select an image file.',
      'File too large',
      'Please select an image smaller than 5MB.',
    ],
  },
];
