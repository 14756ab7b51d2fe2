/** Journeys in a browser, by file and title, with the sentences of the error catalogue that each shows to a reader. */
type Journeys = Record<`e2e/${string}.spec.ts`, Record<string, string[]>>;

/**
 * Each sentence of section 8 of both documents, and of the sections that it refers to: word for word, or where the
 * specification leaves a blank, with what the journey puts there.
 *
 * `error-catalogue.spec.ts` fails when a journey is not there or does not have the sentence.
 */
export const ERROR_CATALOGUE: Record<1 | 2, Journeys> = {
  1: {
    'e2e/scanning/weather.spec.ts': {
      'a photo outlives a session that has ended': ['Please sign in to scan parts'],
    },
    'e2e/scanning/failed-scan.spec.ts': {
      'after two scans the allowance of Basic is used up': [
        'Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.',
      ],
      'a server that is away is named as the reason': ['Failed to analyze image'],
    },
    'e2e/scanning/bad-input.spec.ts': {
      'a scan that the server refuses is not sent again by itself': [
        'Failed to identify part: Service Unavailable',
      ],
    },
    'e2e/accounts/failed-account.spec.ts': {
      'terms that cannot be accepted stay, with both boxes ticked': [
        'Error',
        'Failed to accept terms. Please try again.',
        'Terms Accepted',
        'Thank you for accepting our terms and privacy policy.',
      ],
    },
    'e2e/home.spec.ts': {
      'oil specifications that cannot be had': ['Failed to fetch oil specifications'],
    },
    'e2e/garage/failed-records.spec.ts': {
      'an oil change that cannot be saved is kept, and one that cannot be deleted stays': [
        'Failed to record oil change',
        'Please try again.',
        'Oil change recorded!',
        'Your oil change has been successfully logged.',
        'Failed to delete oil change',
        'Oil change deleted',
        'The oil change record has been removed.',
      ],
      'a repair that cannot be saved is kept, and one that cannot be deleted stays': [
        'Failed to add repair',
        'Failed to delete repair',
      ],
    },
    'e2e/garage/failed-vehicles.spec.ts': {
      'a default that cannot be changed stays, and so does a vehicle that cannot be deleted': [
        'Vehicle Updated',
        'Default vehicle changed successfully',
        'Failed to update default vehicle',
        'Failed to set default vehicle. Please try again.',
        'Failed to delete vehicle. Please try again.',
      ],
      'lists that do not come, and a vehicle that cannot be saved, are said in the dialog': [
        'Failed to add vehicle. Please try again.',
        'Failed to fetch makes',
        'Failed to fetch models',
        'Failed to fetch engines',
      ],
      'a session that ended is said before the sign-in comes, and the vehicle is kept': [
        'Unauthorized',
        'You are logged out. Logging in again...',
      ],
    },
    'e2e/garage/garage.spec.ts': {
      'edit, search, choose and delete vehicles': ['Failed to update vehicle. Please try again.'],
    },
    'e2e/scanning/camera.spec.ts': {
      'a flashlight that does not light says why': [
        'Camera must be active to use flashlight',
        'No video track available',
        'Flashlight not supported on this device',
        'Flashlight error: too hot',
      ],
    },
  },
  2: {
    'e2e/accounts/account.spec.ts': {
      'sign out after half a second, and in again after a wrong password': [
        'Authentication failed',
        'Please check your credentials and try again.',
      ],
    },
    'e2e/accounts/failed-account.spec.ts': {
      'a plan that cannot be loaded, and scans that the plan does not give': [
        'Reset failed',
        'Unable to reset scan limits.',
        'Unable to load subscription information. Please try again later.',
      ],
    },
    'e2e/plans/company.spec.ts': {
      'what fails of a company and its team is said, and nothing typed is lost': [
        'Error',
        'Failed to create company',
        'Failed to update company',
        'Failed to add team member',
        'Failed to remove team member',
      ],
      'make a company, with a logo': [
        'Invalid file type',
        'Please select an image file.',
        'File too large',
        'Please select an image smaller than 5MB.',
      ],
    },
    'e2e/plans/checkout.spec.ts': {
      'an order that fails says why, and can be made again': [
        'Failed to create subscription',
        'No client secret received',
        'Subscription Error',
        'Failed to initialize subscription. Please try again.',
      ],
      'without payments the plan is unavailable, and the plans follow': [
        'Plan Unavailable',
        'This subscription plan is being updated. Please contact support or try again later.',
      ],
      'from the prices to a paid plan': ['Payment Failed'],
      'a paid plan is cancelled by request': [
        'Failed to send cancellation request',
        'Please try contacting support directly.',
      ],
    },
    'e2e/plans/contact.spec.ts': {
      'a message that cannot be sent is kept': [
        'Failed to send message',
        'Please try again later.',
      ],
      'a visitor writes to support': [
        'Please fill in all required fields',
        'Name, email, and message are required.',
      ],
      'says when copying fails': ['Copy failed', 'Please manually copy the email address.'],
    },
    'e2e/parts/parts.spec.ts': {
      'a category without parts, and a part that nobody sells': [
        'No parts found',
        'No parts available in the Engine Components category.',
        'No suppliers found for this part',
      ],
      'find a part, see who sells it and how it is fitted': [
        'No matching parts found',
        'Clear Search',
      ],
      'a category that there is none of': [
        'Page Not Found',
        "The parts category you're looking for doesn't exist.",
        'Go Home',
      ],
    },
  },
};
