import { useEffect, useRef } from 'react';
import { sentenceOf } from '@/api/api-error';
import { Button } from '@/components/ui/button';

type LoadMoreProps = {
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: unknown;
    fetchNextPage: () => Promise<unknown>;
  };
};

/** The way on in a long list; nothing behind its end. */
export function LoadMore({ query }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage } = query;
  const element = useRef<HTMLDivElement>(null);
  /** What stood beside the button when it was pressed. */
  const pressed = useRef<{ list: HTMLElement; rows: Set<Element> } | null>(null);
  // With the last page the button goes, and what had the focus with it: the first new row takes it.
  useEffect(() => {
    if (isFetchingNextPage) return;
    const before = pressed.current;
    pressed.current = null;
    if (hasNextPage || before === null || document.activeElement !== document.body) return;
    const added = [...before.list.querySelectorAll('li')].find((row) => !before.rows.has(row));
    if (added === undefined) return;
    added.tabIndex = -1;
    added.focus();
  }, [hasNextPage, isFetchingNextPage]);
  if (!hasNextPage) return null;
  return (
    <div ref={element} className="grid justify-items-center gap-2">
      {query.isFetchNextPageError && (
        <p role="alert" className="text-sm text-bad">
          {sentenceOf(query.error, 'The next ones could not be loaded. Try again in a moment.')}
        </p>
      )}
      <Button
        size="small"
        disabled={isFetchingNextPage}
        onClick={() => {
          const list = element.current?.parentElement ?? null;
          if (list !== null) pressed.current = { list, rows: new Set(list.querySelectorAll('li')) };
          void query.fetchNextPage();
        }}
      >
        {isFetchingNextPage ? 'Loading...' : 'Load more'}
      </Button>
    </div>
  );
}
