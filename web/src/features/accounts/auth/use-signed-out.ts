import { useQueryClient } from '@tanstack/react-query';
import { settingsQuery } from '@/api/settings';
import { authQueries } from '@/features/accounts/auth/queries';

/** Forgets all that was read for the person who is signed out by now, and lets the app know. */
export function useSignedOut(): () => void {
  const queryClient = useQueryClient();
  return () => {
    const kept = settingsQuery().queryKey[0];
    const { queryKey } = authQueries.user();
    queryClient.removeQueries({
      predicate: (query) => ![kept, queryKey[0]].includes(String(query.queryKey[0])),
    });
    // They begin with the same word as the user, which the line above spares.
    queryClient.removeQueries({ queryKey: authQueries.sessions().queryKey });
    queryClient.setQueryData(queryKey, null);
  };
}
