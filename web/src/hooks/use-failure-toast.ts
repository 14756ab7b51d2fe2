import { isSignedOut, sentenceOf } from '@/api/api-error';
import { useToast, type ToastMessage } from '@/components/ui/use-toast';
import { useSessionEnd } from '@/hooks/use-session-end';

/** The toast of what failed: the server's own sentence, or `fallback` without one. */
export function failureMessage(
  title: string,
  error: unknown,
  fallback = 'Please try again.',
): ToastMessage {
  return { title, description: sentenceOf(error, fallback), tone: 'bad' };
}

/** Tells a change that failed, with `fallback` where the server gives no sentence of its own. */
export function useFailureToast(): (error: unknown, fallback: string, title?: string) => void {
  const toast = useToast();
  const endSession = useSessionEnd();
  return (error, fallback, title = 'Error') => {
    if (isSignedOut(error)) endSession();
    else toast(failureMessage(title, error, fallback));
  };
}
