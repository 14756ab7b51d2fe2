import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { userQuery } from '@/api/user';
import { loadAnew } from '@/lib/load-anew';

/**
 * Keeps apart two people who sign in in one browser: all tabs share its cookie, and only the tab in which somebody signs
 * in or out knows of it.
 *
 * `personId` is null for a visitor.
 */
export function usePersonChange(personId: string | null): void {
  const queryClient = useQueryClient();
  const before = useRef(personId);
  useEffect(() => {
    const beforeId = before.current;
    before.current = personId;
    if (beforeId === null || beforeId === personId) return;
    if (personId === null) {
      // The screens of the person are gone; what they read must not wait for the next one.
      queryClient.removeQueries({ type: 'inactive' });
    } else {
      // The screens hold what the other person read, typed and still sends.
      loadAnew();
    }
  }, [personId, queryClient]);

  useEffect(() => {
    // React Query asks when a tab is shown; of two windows beside each other both are shown all the time.
    const ask = () =>
      void queryClient.refetchQueries({ queryKey: userQuery().queryKey }, { cancelRefetch: false });
    window.addEventListener('focus', ask);
    return () => window.removeEventListener('focus', ask);
  }, [queryClient]);
}
