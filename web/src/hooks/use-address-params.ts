import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'react-router';

type Changes = Record<string, string | null>;
/** Far down a page, a change is to leave it where it is scrolled to. */
type ChangeOptions = { replace: boolean; preventScrollReset?: boolean };

/** The query of the address, and a way to change some of it; null or empty text removes a name. */
export function useAddressParams(): [
  URLSearchParams,
  (changes: Changes, options?: ChangeOptions) => void,
] {
  const [params, setParams] = useSearchParams();
  // What `useOpened` noted of this step outlives a change of it.
  const state: unknown = useLocation().state;
  const change = useCallback(
    (changes: Changes, options?: ChangeOptions) => {
      setParams(
        (current) => {
          const next = new URLSearchParams(current);
          for (const [name, value] of Object.entries(changes)) {
            if (value === null || value === '') next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        options?.replace === true ? { ...options, state } : options,
      );
    },
    [setParams, state],
  );
  return [params, change];
}
