/** Every address of the app in one place: the router reads `pattern`, links read `href`. */
export const paths = {
  home: '/',
  vehicle: '/vehicle',
  history: '/history',
  pricing: '/pricing',
  profile: '/profile',
  subscribe: '/subscribe',
  manageSubscription: '/manage-subscription',
  contact: '/contact',
  privacy: '/privacy',
  terms: '/terms',
  parts: '/parts',
  partsCategory: '/parts/:category',
  shop: '/shop',
  catalog: '/shop/taught',
  catalogType: '/shop/taught/:id',
  catalogDoctor: '/shop/photo-check',
  shopParts: '/shop/parts',
  priceLists: '/shop/price-lists',
  crossReferences: '/shop/cross-references',
  shopTeam: '/shop/team',
  shopAccuracy: '/shop/accuracy',
  shopApiKeys: '/shop/api-keys',
  shopWebhooks: '/shop/webhooks',
  shopUsage: '/shop/usage',
  shopExports: '/shop/exports',
  unsubscribe: '/unsubscribe',
  bench: '/bench',
  batches: '/batches',
  pastScans: '/batches/past',
  batch: '/batches/:id',
  batchSheet: '/batches/:id/sheet',
  shopGrades: '/shop/grades',
  vehicleDatabase: '/carquery-test',
} as const;

/** Earlier addresses, which bookmarks and older texts still name, and where each leads now. */
export const movedPaths = {
  '/catalog': paths.catalog,
  '/catalog/:id': paths.catalogType,
  '/catalog-doctor': paths.catalogDoctor,
  '/shop-parts': paths.shopParts,
  '/price-lists': paths.priceLists,
} as const;

/**
 * What a link to the page of vehicles takes along to open its form at once. It is no part of the address: whoever
 * comes back to that later wants to see the vehicles.
 */
export const ADD_VEHICLE = { addVehicle: true } as const;

/** Whether somebody was led here to add a vehicle. */
export function isAddingVehicle(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'addVehicle' in state;
}

/** What goes along to the screen of a batch that was made just now. */
export const NEW_BATCH = { newBatch: true } as const;

/** Whether somebody made the batch just now. */
export function isNewBatch(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'newBatch' in state;
}

/** Addresses that the server answers itself; going there leaves the app. */
export const serverPaths = {
  signIn: '/api/login',
  signOut: '/api/logout',
  apiDocs: '/api/docs',
  accountExport: '/api/auth/user/export',
  scansExport: '/api/export/scans.csv',
  usageExport: '/api/export/usage.csv',
  shopPartsExport: '/api/export/parts.csv',
  shopPartsAces: '/api/export/parts.xml?format=aces',
  shopPartsPies: '/api/export/parts.xml?format=pies',
} as const;

/** The server's sign-in, which leads back to a path of ours where it can. */
export function signInHref(returnTo: string): string {
  const { signIn } = serverPaths;
  return returnTo === paths.home ? signIn : `${signIn}?returnTo=${encodeURIComponent(returnTo)}`;
}

/** The maintenance panel of one vehicle on the page of vehicles. */
export function maintenanceHref(vehicleId: string): string {
  return `${paths.vehicle}?maintenance=${encodeURIComponent(vehicleId)}`;
}

/** The repair form with a part filled in, and with what else the scan of it says. */
export function newRepairHref(part: string, scanId: string): string {
  return `${paths.vehicle}?repair=${encodeURIComponent(part)}&scan=${encodeURIComponent(scanId)}`;
}

/** The parts of one category. */
export function partsHref(category: string): string {
  return `/parts/${encodeURIComponent(category)}`;
}

/** One part of a category, opened. */
export function partHref(category: string, id: string): string {
  return `${partsHref(category)}?part=${encodeURIComponent(id)}`;
}

/** One part of the shop, opened. */
export function shopPartHref(id: string): string {
  return `${paths.shopParts}?part=${encodeURIComponent(id)}`;
}

/** One part of the catalogue with the photos that show it. */
export function catalogHref(id: string): string {
  return `${paths.catalog}/${encodeURIComponent(id)}`;
}

/** One batch of photos. */
export function batchHref(id: string): string {
  return `${paths.batches}/${encodeURIComponent(id)}`;
}

/** The sheet of a batch, to be printed. */
export function batchSheetHref(id: string): string {
  return `${batchHref(id)}/sheet`;
}

/** The form that teaches a part. */
export const teachHref = `${paths.catalog}?teach=new`;
