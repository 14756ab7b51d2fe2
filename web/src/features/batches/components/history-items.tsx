import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { QueryState } from '@/components/query-state';
import { CategoryFilter, ScansExport, ScanSearch } from '@/components/scan-filters';
import { Card } from '@/components/ui/card';
import { SelectField } from '@/components/ui/select-field';
import { discardAction } from '@/features/batches/components/board-action';
import { ItemBoard } from '@/features/batches/components/item-board';
import { NOTHING } from '@/features/batches/model';
import { discardScans } from '@/features/batches/mutations';
import { historyQueries, type HistoryItemFilter } from '@/features/batches/queries';
import { useSettled } from '@/hooks/use-settled';

/** Words are searched for when nothing was typed for so long. */
const TYPING_MS = 300;

/** The scans of the past in the grid of a batch, to correct many at once. */
export function HistoryItems() {
  const [filter, setFilter] = useState<HistoryItemFilter>({
    search: '',
    category: null,
    verdict: '',
    labelled: 'no',
    discarded: false,
  });
  const [selection, setSelection] = useState(NOTHING);
  const search = useSettled(filter.search.trim(), TYPING_MS);
  const pages = useInfiniteQuery(historyQueries.items({ ...filter, search }));
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  const hidden = pages.data?.pages[0]?.hiddenByPlan ?? 0;
  const { discarded } = filter;
  const more = useMemo(() => [discardAction(discarded, discardScans)], [discarded]);
  const change = (part: Partial<HistoryItemFilter>) => {
    setFilter({ ...filter, ...part });
    setSelection(NOTHING);
  };
  return (
    <Card aria-labelledby="history-items-title" className="grid grid-cols-1 gap-4">
      <header className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <h2 id="history-items-title" className="section-title">
          Scans
        </h2>
        {items.length > 0 && <ScansExport />}
      </header>
      <search className="filter-columns gap-3 sm:grid-cols-3 lg:grid-cols-5">
        <ScanSearch
          value={filter.search}
          onChange={(text) => change({ search: text })}
          className="max-sm:col-span-full"
        />
        <CategoryFilter value={filter.category} onChange={(category) => change({ category })} />
        <SelectField
          label="Answer"
          value={filter.verdict}
          onChange={({ target }) => change({ verdict: target.value })}
          options={{ '': 'All', identified: 'Identified', 'not-sure': 'Not sure' }}
        />
        <SelectField
          label="Checked"
          value={filter.labelled}
          onChange={({ target }) => change({ labelled: target.value })}
          options={{ '': 'All', no: 'Not yet', yes: 'Confirmed or corrected' }}
        />
        <SelectField
          label="Show"
          value={discarded ? 'discarded' : 'kept'}
          onChange={({ target }) => change({ discarded: target.value === 'discarded' })}
          options={{ kept: 'The list', discarded: 'Discarded' }}
        />
      </search>
      {hidden > 0 && (
        <p className="text-sm text-muted">Your plan shows the newest scans; {hidden} are hidden.</p>
      )}
      <QueryState query={pages} what="Your scans" label="Loading scans" />
      {pages.data !== undefined && items.length === 0 && (
        <p className="py-6 text-center text-sm text-muted">
          No scans of this kind. Choose other kinds above, or scan a part first.
        </p>
      )}
      <ItemBoard
        items={items}
        selection={selection}
        onSelect={setSelection}
        more={more}
        pages={pages}
      />
    </Card>
  );
}
