import { useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { settingsQuery } from '@/api/settings';
import { authQueries } from '@/features/accounts/auth/queries';

/** Lets the app know who signed in before `then` moves on, so that no screen shows a visitor. */
export function useSignedIn(then: () => void): (user: Schemas['User']) => void {
  const queryClient = useQueryClient();
  return (user) => {
    const { queryKey } = authQueries.user();
    const kept = [queryKey[0], settingsQuery().queryKey[0]];
    // What is cached may be another person's; only the settings are everyone's.
    queryClient.removeQueries({ predicate: (query) => !kept.includes(String(query.queryKey[0])) });
    queryClient.setQueryData(queryKey, user);
    then();
  };
}
