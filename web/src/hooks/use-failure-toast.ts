import { isSignedOut, sentenceOf } from '@/api/api-error';
import { useToast } from '@/components/ui/use-toast';
import { useSessionEnd } from '@/hooks/use-session-end';

/** Tells a change that failed, with `fallback` where the server gives no sentence of its own. */
export function useFailureToast(): (error: unknown, fallback: string, title?: string) => void {
  const toast = useToast();
  const endSession = useSessionEnd();
  return (error, fallback, title = 'Error') => {
    if (isSignedOut(error)) endSession();
    else toast({ title, description: sentenceOf(error, fallback), tone: 'bad' });
  };
}
