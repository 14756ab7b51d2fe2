import type { UseQueryResult } from '@tanstack/react-query';
import { sentenceOf } from '@/api/api-error';
import { Notice } from '@/components/ui/notice';

type LoadFailureProps = { what: string; query: Pick<UseQueryResult, 'error' | 'refetch'> };

/** A read that failed: what is missing, why, and a way to ask again. */
export function LoadFailure({ what, query }: LoadFailureProps) {
  return (
    <Notice tone="bad" title={`${what} could not be loaded`} onRetry={() => void query.refetch()}>
      {sentenceOf(query.error, 'Try again in a moment.')}
    </Notice>
  );
}
