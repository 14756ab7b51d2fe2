import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { LoadFailure } from '@/components/load-failure';
import { LoadingBlock } from '@/components/ui/skeleton';

type QueryStateProps = ComponentProps<typeof LoadingBlock> & {
  query: Pick<UseQueryResult, 'isPending' | 'isLoadingError' | 'error' | 'refetch'>;
  /** What is read, to begin a sentence: `Your keys`. */
  what: string;
};

/** That a read is under way, or why it failed; nothing once it is there. */
export function QueryState({ query, what, ...loading }: QueryStateProps) {
  if (query.isPending) return <LoadingBlock {...loading} />;
  return query.isLoadingError && <LoadFailure what={what} query={query} />;
}
