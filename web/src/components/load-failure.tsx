import { sentenceOf } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';

type LoadFailureProps = { what: string; error: unknown; onRetry: () => void };

/** A read that failed: what is missing, why, and a way to ask again. */
export function LoadFailure({ what, error, onRetry }: LoadFailureProps) {
  return (
    <Notice
      tone="bad"
      title={`${what} could not be loaded`}
      action={
        <Button size="small" onClick={onRetry}>
          Try Again
        </Button>
      }
    >
      {sentenceOf(error, 'Try again in a moment.')}
    </Notice>
  );
}
