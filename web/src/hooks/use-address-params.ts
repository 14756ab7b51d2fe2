import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

type Changes = Record<string, string | null>;

/** The query of the address, and a way to change some of it; null or empty text removes a name. */
export function useAddressParams(): [
  URLSearchParams,
  (changes: Changes, options?: { replace: boolean }) => void,
] {
  const [params, setParams] = useSearchParams();
  const change = useCallback(
    (changes: Changes, options?: { replace: boolean }) => {
      setParams((current) => {
        const next = new URLSearchParams(current);
        for (const [name, value] of Object.entries(changes)) {
          if (value === null || value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      }, options);
    },
    [setParams],
  );
  return [params, change];
}
