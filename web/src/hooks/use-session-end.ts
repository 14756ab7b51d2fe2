import { useToast } from '@/components/ui/use-toast';
import { useSignInRedirect } from '@/hooks/use-sign-in-redirect';

/** Says that the session ended while somebody worked, and leads to the sign-in (section 8). */
export function useSessionEnd(): () => void {
  const toast = useToast();
  const goToSignIn = useSignInRedirect();
  return () => {
    toast({
      title: 'Unauthorized',
      description: 'You are logged out. Logging in again...',
      tone: 'bad',
    });
    goToSignIn();
  };
}
