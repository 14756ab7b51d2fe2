import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'react-router';
import { userQuery } from '@/api/user';
import { signInHref } from '@/config/paths';
import { letLeave } from '@/lib/leave-guard';
import { keepReturnPath } from '@/lib/return-path';

/** Pause before leaving for sign-in or sign-out, so that the toast is seen (section 9). */
const REDIRECT_DELAY_MS = 500;

export function leaveFor(address: string): void {
  // Taken now: a test's window may be gone by then.
  const { location } = window;
  // Signing out was chosen, and what was typed when a session ended is kept.
  letLeave();
  setTimeout(() => location.assign(address), REDIRECT_DELAY_MS);
}

/** Takes a person whose session ended to the sign-in, which leads back to where they are. */
export function useSignInRedirect(): () => void {
  const queryClient = useQueryClient();
  const { pathname, search } = useLocation();
  return () => {
    const returnTo = `${pathname}${search}`;
    // The sign-in form of the account page has no other way to know it.
    keepReturnPath(queryClient.getQueryData(userQuery().queryKey)?.id ?? null, returnTo);
    leaveFor(signInHref(returnTo));
  };
}
