import { MutationCache, QueryClient } from '@tanstack/react-query';
import { isOutdated, isOverLimit } from '@/api/api-error';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;

/** Default cache behaviour of reads (specification 1, section 7). */
const READ_DEFAULTS = {
  staleTime: 30 * SECOND_MS,
  gcTime: 60 * SECOND_MS,
  refetchOnWindowFocus: true,
  refetchInterval: false,
  retry: false,
} as const;

/** Scan limits and subscription status (specification 1, section 7). */
export const ALLOWANCE_FRESHNESS = {
  staleTime: 10 * SECOND_MS,
  gcTime: 30 * SECOND_MS,
  refetchOnWindowFocus: 'always',
  refetchOnMount: 'always',
} as const;

/** The signed-in user: always refetched on mount, never cached, not retried (section 7). */
export const USER_FRESHNESS = {
  staleTime: 0,
  gcTime: 0,
  refetchOnMount: 'always',
  retry: false,
} as const;

/** Oil specifications: fetched afresh on mount and focus (specification 1, section 7). */
export const OIL_SPECS_FRESHNESS = {
  staleTime: 0,
  refetchOnWindowFocus: 'always',
  refetchOnMount: 'always',
} as const;

/** What the operator sets changes only when the server starts anew. */
export const SETTINGS_FRESHNESS = {
  staleTime: HOUR_MS,
  gcTime: Infinity,
} as const;

export function createQueryClient(): QueryClient {
  const queryClient: QueryClient = new QueryClient({
    defaultOptions: {
      // The server usually runs on this very machine, so "offline" says nothing about reaching it.
      queries: { ...READ_DEFAULTS, networkMode: 'always' },
      mutations: { networkMode: 'always', retry: false },
    },
    mutationCache: new MutationCache({
      // Every successful mutation invalidates all cached data (section 4).
      onSuccess: () => {
        void queryClient.invalidateQueries();
      },
      // A refusal for lack of allowance means that the figures on screen are old (section 8), and one for something
      // that somebody else has deleted or changed, or that is theirs to do no longer, that the rest of the screen is:
      // what is gone could be chosen again and again.
      onError: (error) => {
        if (isOverLimit(error) || isOutdated(error)) void queryClient.invalidateQueries();
      },
    }),
  });
  return queryClient;
}
