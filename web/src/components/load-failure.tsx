import { sentenceOf } from '@/api/api-error';
import type { Pages } from '@/api/page';
import { Notice } from '@/components/ui/notice';

type LoadFailureProps = {
  what: string;
  query: { error: unknown; refetch: () => Promise<unknown> };
};

/** A read that failed: what is missing, why, and a way to ask again. */
export function LoadFailure({ what, query }: LoadFailureProps) {
  return (
    <Notice tone="bad" title={`${what} could not be loaded`} onRetry={() => void query.refetch()}>
      {sentenceOf(query.error, 'Try again in a moment.')}
    </Notice>
  );
}

/** The same of the next page of a list that reads on by itself. */
export function NextPageFailure({ pages }: { pages: Pages }) {
  const { isFetchNextPageError, isFetching, error, fetchNextPage } = pages;
  if (!isFetchNextPageError || isFetching) return null;
  return (
    <div role="alert">
      <LoadFailure what="The rest" query={{ error, refetch: fetchNextPage }} />
    </div>
  );
}
