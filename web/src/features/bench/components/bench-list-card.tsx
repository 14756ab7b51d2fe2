import { Download, ListX } from 'lucide-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { BenchListLine, type LineActions } from '@/features/bench/components/bench-list-line';
import { csvOf, isIn, type BenchLine } from '@/features/bench/list/model';
import { today } from '@/lib/dates';
import { countOf } from '@/lib/format';

type BenchListCardProps = LineActions & {
  lines: BenchLine[];
  /** Whether the browser keeps the list over a reload. */
  isKept: boolean;
  onClear: () => void;
};

/** Lines that are shown at first, and more at a time. */
const PAGE = 50;

/** The parts of the running list, the newest first. */
export function BenchListCard({ lines, isKept, onClear, ...actions }: BenchListCardProps) {
  const [shown, setShown] = useState(PAGE);
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const newest = lines.slice(-shown).toReversed();
  const showMore = () => {
    // The button goes with the last lines; the first of those that came has its focus.
    flushSync(() => setShown(shown + PAGE));
    list.current?.querySelectorAll('li')[shown]?.focus();
  };
  return (
    <Card
      aria-labelledby="bench-list-title"
      // Side by side, list and answer are as high as the window leaves room for, however long they are.
      className="flex min-h-0 min-w-0 flex-col gap-2 max-lg:max-h-[80dvh] lg:contain-size"
    >
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="bench-list-title" ref={heading} tabIndex={-1} className="section-title xl:text-xl">
          Running List
        </h2>
        <div className="flex gap-1">
          <Button size="small" disabled={lines.length === 0} onClick={() => save(lines)}>
            <Download className="size-4" aria-hidden />
            Export CSV
          </Button>
          <ConfirmDialog
            trigger={
              <Button size="small" disabled={lines.length === 0}>
                <ListX className="size-4" aria-hidden />
                New List
              </Button>
            }
            title="Begin a new list?"
            description={`${countOf(lines.filter(isIn).length, 'part')} with their bins go from this list; export them first if you need them. The scans stay in the scan history.`}
            confirmLabel="New List"
            onConfirm={onClear}
            focusOnConfirm={heading}
          />
        </div>
      </header>
      {!isKept && (
        <p role="alert" className="rounded-md bg-warn-wash px-3 py-2 text-sm text-warn">
          This browser has no room to keep the list over a reload. Export it, and begin a new one.
        </p>
      )}
      {lines.length === 0 && (
        <p className="py-4 text-center text-sm text-muted">
          Nothing yet. Each part that you lay down becomes a line here.
        </p>
      )}
      <ol
        ref={list}
        aria-label="Parts, the newest first"
        className="-mx-2 min-h-0 flex-1 overflow-y-auto px-2"
      >
        {newest.map((line) => (
          <BenchListLine key={line.key} line={line} heading={heading} {...actions} />
        ))}
      </ol>
      {lines.length > shown && (
        <Button size="small" onClick={showMore}>
          Show {Math.min(PAGE, lines.length - shown)} More
        </Button>
      )}
    </Card>
  );
}

/** Saves the list as a file; nothing is asked of the server, which may be away. */
function save(lines: BenchLine[]): void {
  const url = URL.createObjectURL(new Blob([csvOf(lines)], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `bench-${today()}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
