import { serverPaths } from '@/config/paths';

/** Pause before leaving for sign-in or sign-out, so that the toast is seen (section 9). */
const REDIRECT_DELAY_MS = 500;

export function leaveFor(address: string): void {
  setTimeout(() => {
    window.location.assign(address);
  }, REDIRECT_DELAY_MS);
}

/** Takes a person whose session ended to the sign-in. */
export function useSignInRedirect(): () => void {
  return () => {
    leaveFor(serverPaths.signIn);
  };
}
