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
    - region "Other ways to reach us"
  `,
  privacy: `
    - article:
      - heading "Privacy Policy" [level=1]
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

/** What the main part of each screen says to a visitor. */
export const SIGNED_OUT: Snapshots = {
  ...PUBLIC,
  home: `
    - heading "Welcome to Partsight" [level=1]
    - link "Sign In to Continue"
  `,
  vehicle: `
    - heading "My Vehicles" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to save your vehicles.
    - link "Sign In"
  `,
  history: `
    - heading "History" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see the parts you have scanned.
    - link "Sign In"
  `,
  profile: `
    - heading "Your account" [level=1]
    - tablist "Sign in or sign up":
      - tab "Sign In" [selected]
      - tab "Sign Up"
    - tabpanel "Sign In":
      - form "Sign in"
  `,
  subscribe: `
    - link "Back to Profile"
    - heading "Subscribe" [level=1]
    - paragraph: Sign In Required
    - paragraph: You need to sign in to subscribe to Partsight's Pro plan.
    - link "Go to Sign In"
  `,
  manageSubscription: `
    - link "Back to Profile"
    - heading "Subscription" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see your subscription.
    - link "Go to Sign In"
  `,
  partsCategory: `
    - heading "Brake System" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to browse parts.
    - link "Go to Sign In"
  `,
  shop: `
    - heading "Shop" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to open your shop.
    - link "Go to Sign In"
  `,
  shopTeam: `
    - heading "Company and Team" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see your company.
    - link "Go to Sign In"
  `,
  shopAccuracy: `
    - heading "Accuracy" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see how your scans are answered.
    - link "Go to Sign In"
  `,
  shopApiKeys: `
    - heading "API Keys" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see your keys.
    - link "Go to Sign In"
  `,
  shopWebhooks: `
    - heading "Webhooks" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see your webhooks.
    - link "Go to Sign In"
  `,
  shopUsage: `
    - heading "Usage" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see what was scanned.
    - link "Go to Sign In"
  `,
  shopExports: `
    - heading "Exports" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to export what your shop knows.
    - link "Go to Sign In"
  `,
  catalog: `
    - heading "Taught Parts" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to teach parts.
    - link "Go to Sign In"
  `,
  catalogType: `
    - link "Taught Parts"
    - heading "Part" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see this part.
    - link "Go to Sign In"
  `,
  catalogDoctor: `
    - link "Taught Parts"
    - heading "Check Photos" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to check photos.
    - link "Go to Sign In"
  `,
  shopParts: `
    - heading "Shop Parts" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to keep parts of your shop.
    - link "Go to Sign In"
  `,
  pastScans: `
    - heading "Past Scans" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see the parts you have scanned.
    - link "Go to Sign In"
  `,
  batchSheet: `
    - link "Back to the batch"
    - heading "Return Sheet" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see your batches.
    - link "Go to Sign In"
  `,
  shopGrades: `
    - heading "Grades" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to see what was graded.
    - link "Go to Sign In"
  `,
  bench: `
    - heading "Bench" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to scan parts at a bench. Photos that wait in this browser are sent then.
    - link "Go to Sign In"
  `,
  batches: `
    - heading "Batches" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to scan many photos at once.
    - link "Go to Sign In"
  `,
  batch: `
    - link "All batches"
    - heading "Batch" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to scan many photos at once.
    - link "Go to Sign In"
  `,
  priceLists: `
    - heading "Price Lists" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to keep price lists.
    - link "Go to Sign In"
  `,
  crossReferences: `
    - heading "Cross-References" [level=1]
    - paragraph: Sign In Required
    - paragraph: Sign in to keep cross-references.
    - link "Go to Sign In"
  `,
};

/** What it says to the owner of a 2015 Honda Civic who has done nothing yet. */
export const SIGNED_IN: Snapshots = {
  ...PUBLIC,
  home: `
    - heading "Scan" [level=1]
    - region "Scan a part":
      - status: Ready
      - button "Start Camera"
      - button "Capture" [disabled]
      - button "Upload from Gallery"
    - region "Scan allowance":
      - paragraph: 2 scans left
    - navigation "Parts by category"
    - region "Scan History":
      - paragraph: No scans yet
  `,
  vehicle: `
    - heading "My Vehicles" [level=1]
    - button "Add Vehicle"
    - list:
      - listitem:
        - article:
          - heading "Honda Civic" [level=2]
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
      - text: Basic plan
      - link "Manage Subscription"
      - button "Sign Out"
    - region "Your name"
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
  shopTeam: `
    - heading "Company and Team" [level=1]
    - paragraph: Part of the Business plan
    - link "See Plans"
  `,
  shopAccuracy: `
    - heading "Accuracy" [level=1]
    - region "How Sure an Answer Must Be"
    - region "Second Opinion"
    - region "Learning from Feedback"
  `,
  shopApiKeys: `
    - heading "API Keys" [level=1]
    - paragraph: Part of the Business plan
    - link "See Plans"
  `,
  shopWebhooks: `
    - heading "Webhooks" [level=1]
    - paragraph: Part of the Business plan
    - link "See Plans"
  `,
  shopUsage: `
    - heading "Usage" [level=1]
    - paragraph: Part of the Business plan
    - link "See Plans"
  `,
  shopExports: `
    - heading "Exports" [level=1]
    - paragraph: Part of the Business plan
    - link "See Plans"
  `,
  catalog: `
    - heading "Taught Parts" [level=1]
    - button "Teach a Part"
    - paragraph: No parts taught yet
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
    - heading "Price Lists" [level=1]
    - paragraph: Part of the Business plan
    - link "See Plans"
    - region "Lists of your shop":
      - paragraph: No price lists yet
  `,
  crossReferences: `
    - heading "Cross-References" [level=1]
    - paragraph: Part of the Business plan
    - link "See Plans"
    - region "Lists of your shop":
      - paragraph: No cross-references yet
  `,
};
