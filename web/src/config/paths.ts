/** Every address of the app in one place: the router reads `pattern`, links read `href`. */
export const paths = {
  home: '/',
  vehicle: '/vehicle',
  history: '/history',
  pricing: '/pricing',
  profile: '/profile',
  subscribe: '/subscribe',
  privacy: '/privacy',
  terms: '/terms',
} as const;

/** Addresses that the server answers itself; going there leaves the app. */
export const serverPaths = {
  signIn: '/api/login',
  signOut: '/api/logout',
} as const;

/** Address of a scan reopened in the history. */
export function historyScanHref(scanId: string): string {
  return `${paths.history}?scan=${encodeURIComponent(scanId)}`;
}
