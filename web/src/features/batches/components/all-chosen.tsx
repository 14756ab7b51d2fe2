import { useEffect, useState, type Dispatch, type SetStateAction } from 'react';
import { readOn, type Pages } from '@/api/page';
import { Button } from '@/components/ui/button';
import { photosOf, type Selection } from '@/features/batches/model';
import type { BatchItem } from '@/features/batches/queries';
import { countOf, formatCount } from '@/lib/format';

type AllChosenProps = {
  items: BatchItem[];
  chosen: BatchItem[];
  selection: Selection;
  onSelect: Dispatch<SetStateAction<Selection>>;
  pages: Pages;
  /** Gives the grid the focus, which would go with the button. */
  toGrid: () => void;
};

/** Whether all that is chosen is all that there is: only what is loaded can be chosen, so the rest is loaded on request. */
export function AllChosen({ items, chosen, selection, onSelect, pages, toGrid }: AllChosenProps) {
  // What was chosen when the rest was asked for: whoever chooses something else wants it no longer.
  const [asked, setAsked] = useState<Selection['chosen'] | null>(null);
  const isAsked = asked === selection.chosen;
  const { hasNextPage, isFetching, isFetchNextPageError } = pages;
  useEffect(() => {
    if (!isAsked) return;
    if (hasNextPage) readOn(pages);
    else if (!isFetching) {
      onSelect((now) => ({ ...now, chosen: new Set(items.map(({ id }) => id)) }));
    }
  });
  const isLoading = isAsked && (isFetching || !isFetchNextPageError);
  const isShown = items.length > 1 && (isAsked || chosen.length === items.length);
  const nPhotos = countOf(chosen.flatMap(photosOf).length, 'photo');
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-soft has-[p:empty]:hidden">
      <p role="status">
        {isShown &&
          (isLoading
            ? 'Loading all photos...'
            : hasNextPage
              ? `${nPhotos} chosen; more photos are not loaded yet`
              : `All ${nPhotos} chosen`)}
      </p>
      {/* Not said to those who listen: it changes with each page. */}
      {isLoading && <span className="tabular-nums">{formatCount(items.length)} so far</span>}
      {isShown && hasNextPage && (
        <Button
          size="small"
          onClick={() => {
            setAsked(isLoading ? null : selection.chosen);
            toGrid();
            // One that failed is read again only when a person asks for it.
            if (!isLoading && isFetchNextPageError) void pages.fetchNextPage();
          }}
        >
          {isLoading ? 'Stop' : 'Load and Choose All'}
        </Button>
      )}
    </div>
  );
}
