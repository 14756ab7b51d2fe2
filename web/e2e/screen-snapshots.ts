import { paths } from '@/config/paths';

/** Where each screen is opened: every route of the app, and an address that none has. */
export const SCREENS = {
  ...paths,
  partsCategory: '/parts/brake',
  catalogType: '/shop/taught/brake-rotor',
  notFound: '/no/such/page',
};

type Snapshots = Record<keyof typeof SCREENS, string>;

/** What the main part says on the screens that are the same for everybody. */
const PUBLIC = {
  pricing: `
    - heading "Pricing" [level=1]
    - group "Billing":
      - button "Monthly" [pressed]
      - button "Annual"
    - list:
      - listitem:
        - region "Basic plan"
      - listitem:
        - region "Pro plan"
      - listitem:
        - region "Business plan"
  `,
  unsubscribe: `
    - heading "Reminders by mail" [level=1]
    - paragraph: This link is not complete
    - link "account page"
  `,
  contact: `
    - link "Back to Profile"
    - heading "Contact Support" [level=1]
    - form "Contact support":
      - textbox "Name"
      - textbox "Email"
      - textbox "Subject"
      - textbox "Message"
      - button "Send Message"
    - region "Other ways to reach us":
      - button /@/
  `,
  privacy: `
    - article:
      - heading "Privacy Policy" [level=1]
      - paragraph: Last updated August 8, 2025
      - heading "1. Information we collect" [level=2]
      - heading "2. How we use information" [level=2]
      - heading "3. How we share information" [level=2]
      - heading "4. Security" [level=2]
      - heading "5. Retention" [level=2]
      - heading "6. Children under 13" [level=2]
      - heading "7. Your rights" [level=2]
      - heading "8. Changes to this policy" [level=2]
      - heading "9. Contact" [level=2]
  `,
  terms: `
    - article:
      - heading "Terms and Conditions" [level=1]
      - paragraph: Effective August 8, 2025
      - heading "1. These terms" [level=2]
      - heading "2. Who may use Partsight" [level=2]
      - heading "3. What the identification is, and what it is not" [level=2]
      - heading "4. Your account" [level=2]
      - heading "5. Plans, payment and cancellation" [level=2]
      - heading "6. Fair use and intellectual property" [level=2]
      - heading "7. Your photographs" [level=2]
  `,
  parts: `
    - heading "Page Not Found" [level=1]
    - paragraph: The parts category you're looking for doesn't exist.
    - link "Go Home"
  `,
  vehicleDatabase: `
    - heading "Vehicle Database Test" [level=1]
    - combobox "Year"
    - combobox "Make"
    - combobox "Model"
  `,
  notFound: `
    - paragraph: "404"
    - heading "Page Not Found" [level=1]
    - link "Go Home"
  `,
};

type SignInFirst = { back?: string; link?: string };

/** A screen of this title asks to sign in, and says why; `back` is the link above the title. */
function signInFirst(title: string, why: string, { back, link }: SignInFirst = {}): string {
  return `
    ${back === undefined ? '' : `- link "${back}"`}
    - heading "${title}" [level=1]
    - paragraph: Sign In Required
    - paragraph: ${why}
    - link "${link ?? 'Go to Sign In'}"
  `;
}

/** What the main part of each screen says to a visitor. */
export const SIGNED_OUT: Snapshots = {
  ...PUBLIC,
  home: `
    - heading "Welcome to Partsight" [level=1]
    - paragraph: Please sign in to access the car parts scanner
    - link "Sign In to Continue"
  `,
  vehicle: signInFirst('My Vehicles', 'Sign in to save your vehicles.', { link: 'Sign In' }),
  history: signInFirst('History', 'Sign in to see the parts you have scanned.', {
    link: 'Sign In',
  }),
  profile: `
    - heading "Your account" [level=1]
    - tablist "Sign in or sign up":
      - tab "Sign In" [selected]
      - tab "Sign Up"
    - tabpanel "Sign In":
      - button "Sign in with Google" [disabled]
      - paragraph: Google sign-in is not set up on this server. Use your e-mail address below.
      - form "Sign in":
        - textbox "E-mail"
        - textbox "Password"
        - button "Sign In"
  `,
  subscribe: signInFirst('Subscribe', "You need to sign in to subscribe to Partsight's Pro plan.", {
    back: 'Back to Profile',
  }),
  manageSubscription: signInFirst('Subscription', 'Sign in to see your subscription.', {
    back: 'Back to Profile',
  }),
  partsCategory: signInFirst('Brake System', 'Sign in to browse parts.'),
  shop: signInFirst('Shop', 'Sign in to open your shop.'),
  shopTeam: signInFirst('Company and Team', 'Sign in to see your company.'),
  shopAccuracy: signInFirst('Accuracy', 'Sign in to see how your scans are answered.'),
  shopApiKeys: signInFirst('API Keys', 'Sign in to see your keys.'),
  shopWebhooks: signInFirst('Webhooks', 'Sign in to see your webhooks.'),
  shopUsage: signInFirst('Usage', 'Sign in to see what was scanned.'),
  shopExports: signInFirst('Exports', 'Sign in to export what your shop knows.'),
  catalog: signInFirst('Taught Parts', 'Sign in to teach parts.'),
  catalogType: signInFirst('Part', 'Sign in to see this part.', { back: 'Taught Parts' }),
  catalogDoctor: signInFirst('Check Photos', 'Sign in to check photos.', { back: 'Taught Parts' }),
  shopParts: signInFirst('Shop Parts', 'Sign in to keep parts of your shop.'),
  pastScans: signInFirst('Past Scans', 'Sign in to see the parts you have scanned.'),
  batchSheet: signInFirst('Return Sheet', 'Sign in to see your batches.', {
    back: 'Back to the batch',
  }),
  shopGrades: signInFirst('Grades', 'Sign in to see what was graded.'),
  bench: signInFirst(
    'Bench',
    'Sign in to scan parts at a bench. Photos that wait in this browser are sent then.',
  ),
  batches: signInFirst('Batches', 'Sign in to scan many photos at once.'),
  batch: signInFirst('Batch', 'Sign in to scan many photos at once.', { back: 'All batches' }),
  priceLists: signInFirst('Price Lists', 'Sign in to keep price lists.'),
  crossReferences: signInFirst('Cross-References', 'Sign in to keep cross-references.'),
};

/** A tool of the shop on another plan. */
const inBusiness = (title: string) => `
    - heading "${title}" [level=1]
    - paragraph: Part of the Business plan
    - link "See Plans"
  `;

/** What it says to the owner of a 2015 Honda Civic who has done nothing yet. */
export const SIGNED_IN: Snapshots = {
  ...PUBLIC,
  home: `
    - heading "Scan" [level=1]
    - region "Scan a part":
      - heading "Scan a part" [level=2]
      - status: Ready
      - button "Start Camera"
      - button "Capture" [disabled]
      - button "Upload from Gallery"
    - region "Scan allowance":
      - paragraph: 2 scans left
      - progressbar "Scans used"
      - paragraph: Scans used 0/2
    - navigation "Parts by category":
      - list:
        - listitem:
          - link "Engine"
        - listitem:
          - link "Brake"
        - listitem:
          - link "Electrical"
        - listitem:
          - link "Suspension"
    - button /Oil & Filter .*Type .+ Capacity .+/
    - region "Scan History":
      - paragraph: No scans yet
      - paragraph: Start scanning car parts to see your history here
  `,
  vehicle: `
    - heading "My Vehicles" [level=1]
    - button "Add Vehicle"
    - list:
      - listitem:
        - article:
          - heading "Honda Civic" [level=2]
          - text: Default
          - button "Edit 2015 Honda Civic"
          - button "Delete 2015 Honda Civic"
    - region "Maintenance":
      - button "Add Reminder"
      - button "Update Mileage"
    - region "Costs and Mileage":
      - paragraph: Enter what an oil change or a repair cost, and it adds up here.
      - paragraph: Readings of two days make a line. Use Update Mileage, or log an oil change or a repair.
  `,
  history: `
    - heading "History" [level=1]
    - search:
      - searchbox "Search scans"
      - combobox "Vehicle"
      - combobox "Category"
    - region "Scan History":
      - paragraph: No scans yet
  `,
  profile: `
    - region "Account":
      - heading "Ada Byron" [level=1]
      - paragraph: ada@example.org
      - text: Basic plan
      - term: Monthly scans
      - definition: 2 remaining
      - link "Manage Subscription"
      - link "View Plans"
      - link "Contact Support"
      - link "Privacy Policy"
      - link "Terms of Service"
      - button "Sign Out"
    - region "Your name"
    - region "Password"
    - region "Signed-in browsers"
    - region "Your data"
  `,
  subscribe: `
    - link "Back to Profile"
    - heading "Subscribe" [level=1]
    - paragraph: Plan Unavailable
  `,
  manageSubscription: `
    - link "Back to Profile"
    - heading "Subscription" [level=1]
    - region "Current Plan":
      - text: Free
      - term: Monthly Scans
      - definition: 2 remaining
      - term: Next Billing Date
      - definition: N/A
    - region "Upgrade":
      - link "View Pricing Plans"
  `,
  partsCategory: `
    - heading "Brake System" [level=1]
    - searchbox "Search parts"
    - list "Parts":
      - listitem:
        - button /Brake/
  `,
  // Without Business there is no shop, but what everybody has.
  shop: `
    - heading "Shop" [level=1]
    - paragraph: A shop comes with Business
    - link "See Plans"
    - link "Taught Parts"
    - link "Shop Parts"
    - link "Accuracy"
  `,
  shopTeam: inBusiness('Company and Team'),
  shopAccuracy: `
    - heading "Accuracy" [level=1]
    - region "How Sure an Answer Must Be"
    - region "Second Opinion":
      - paragraph: /none gets your photos/
    - region "Learning from Feedback"
  `,
  shopApiKeys: inBusiness('API Keys'),
  shopWebhooks: inBusiness('Webhooks'),
  shopUsage: inBusiness('Usage'),
  shopExports: inBusiness('Exports'),
  catalog: `
    - heading "Taught Parts" [level=1]
    - button "Teach a Part"
    - paragraph: No parts taught yet
    - paragraph: A few photos and a name are enough. The next scan can find the part.
    - button "Teach a Part"
  `,
  catalogType: `
    - link "Taught Parts"
    - heading "Brake Rotor" [level=1]
    - button "Add Photos"
    - region "Photos of this part":
      - paragraph: No photos taught
  `,
  catalogDoctor: `
    - link "Taught Parts"
    - heading "Check Photos" [level=1]
    - region "Photos and Model"
    - region "Summary":
      - status: There are no photos to check yet. Teach a part first.
      - button "Check Again"
  `,
  shopParts: `
    - heading "Shop Parts" [level=1]
    - region "Parts of your shop":
      - button "Export"
      - button "Import"
      - button "Add Part"
      - paragraph: No parts yet
  `,
  pastScans: `
    - heading "Past Scans" [level=1]
    - region "Scans":
      - search:
        - searchbox "Search scans"
        - combobox "Category"
        - combobox "Answer"
        - combobox "Checked"
      - paragraph: /No scans of this kind/
  `,
  // A batch that there is none of.
  batchSheet: `
    - link "Back to the batch"
    - heading "Return Sheet" [level=1]
    - paragraph: The batch could not be loaded
    - button "Try Again"
  `,
  shopGrades: `
    - heading "Grades" [level=1]
    - region "Totals":
      - combobox "By"
      - paragraph: No grades in these days
    - region "Scale":
      - form "Scale of grades":
        - textbox "Grades, the best first"
        - button "Save" [disabled]
  `,
  bench: `
    - heading "Bench" [level=1]
    - textbox "Bin or order"
    - region "The camera is off":
      - button "Start the Camera"
    - region "Answer":
      - paragraph: One part after the other
    - region "Running List":
      - paragraph: Nothing yet. Each part that you lay down becomes a line here.
  `,
  batches: `
    - heading "Batches" [level=1]
    - form "New batch":
      - textbox "Name of the batch"
      - checkbox "Read the numbers on the parts too. The batch takes many times as long."
      - button "New Batch" [disabled]
    - region "Your batches":
      - paragraph: No batches yet
  `,
  // A batch that there is none of.
  batch: `
    - link "All batches"
    - heading "Batch" [level=1]
    - paragraph: The batch could not be loaded
    - button "Try Again"
  `,
  priceLists: `
    ${inBusiness('Price Lists')}
    - region "Lists of your shop":
      - paragraph: No price lists yet
  `,
  crossReferences: `
    ${inBusiness('Cross-References')}
    - region "Lists of your shop":
      - paragraph: No cross-references yet
  `,
};
