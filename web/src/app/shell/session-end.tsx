import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isSignedOut } from '@/api/api-error';
import { useToast } from '@/components/ui/use-toast';
import { authQueries } from '@/features/accounts/auth/queries';

/** Tells somebody whose session ended; only something typed keeps their screen. */
export function SessionEnd() {
  const user = useQuery(authQueries.user());
  const toast = useToast();
  const hasEnded = user.data != null && isSignedOut(user.error);
  useEffect(() => {
    if (!hasEnded) return;
    toast({
      title: 'Unauthorized',
      description: 'You are logged out. Save what you typed: it is kept while you sign in again.',
      tone: 'bad',
    });
  }, [hasEnded, toast]);
  return null;
}
