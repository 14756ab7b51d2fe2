/** Every address of the app in one place: the router reads `pattern`, links read `href`. */
export const paths = {
  home: '/',
  vehicle: '/vehicle',
  history: '/history',
  pricing: '/pricing',
  profile: '/profile',
  subscribe: '/subscribe',
} as const;

/** Addresses that the server answers itself; going there leaves the app. */
export const serverPaths = {
  signIn: '/api/login',
  signOut: '/api/logout',
} as const;
