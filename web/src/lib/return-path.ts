import { paths } from '@/config/paths';

/** Where somebody who has to sign in first wants to be afterwards; travels as router state. */
export type ReturnState = { returnTo: string };

/** A path of our own from router state, else the home page. */
export function returnPathOf(state: unknown): string {
  const wanted =
    typeof state === 'object' && state !== null && 'returnTo' in state ? state.returnTo : null;
  return typeof wanted === 'string' && /^\/(?!\/)/.test(wanted) ? wanted : paths.home;
}
