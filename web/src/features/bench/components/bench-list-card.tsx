import { Download, ListX, Printer, Undo2 } from 'lucide-react';
import { useRef, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { PutBack } from '@/features/bench/components/put-back';
import {
  calledOf,
  csvOf,
  isIn,
  standingOf,
  titleOf,
  type BenchLine,
} from '@/features/bench/list/model';
import { useFocusHeir } from '@/hooks/use-focus-heir';
import { classNames } from '@/lib/class-names';
import { today } from '@/lib/dates';
import { countOf } from '@/lib/format';

type BenchListCardProps = {
  lines: BenchLine[];
  /** Whether the browser keeps the list over a reload. */
  isKept: boolean;
  onTakeOut: (line: BenchLine) => void;
  onPutBack: (line: BenchLine) => void;
  hold: (key: string) => () => void;
  onLabel: (line: BenchLine) => void;
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
      className="flex min-h-0 min-w-0 flex-col gap-2 max-lg:max-h-[80dvh]"
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
          <Line key={line.key} line={line} heading={heading} {...actions} />
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

const TIME = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });

type LineProps = Pick<BenchListCardProps, 'onTakeOut' | 'onPutBack' | 'hold' | 'onLabel'> & {
  line: BenchLine;
};

function Line({ heading, ...props }: LineProps & { heading: RefObject<HTMLElement | null> }) {
  const row = useRef<HTMLLIElement>(null);
  useFocusHeir(
    row,
    ({ nextElementSibling, previousElementSibling }) =>
      nextElementSibling ?? previousElementSibling ?? heading.current,
  );
  const isListed = isIn(props.line);
  return (
    <li
      ref={row}
      tabIndex={-1}
      className={classNames(
        'flex items-center gap-3 border-b py-2 last:border-b-0',
        !isListed && 'justify-between text-sm text-muted',
      )}
    >
      {isListed ? <Listed row={row} {...props} /> : <TakenOut row={row} {...props} />}
    </li>
  );
}

type ContentProps = LineProps & { row: RefObject<HTMLLIElement | null> };

function Listed({ line, row, onTakeOut, onLabel }: ContentProps) {
  useFocusHeir(row, () => row.current);
  return (
    <>
      <Part line={line} />
      <div className="flex shrink-0">
        <Button
          look="ghost"
          size="icon"
          aria-label={`Label for ${calledOf(line)}`}
          onClick={() => onLabel(line)}
        >
          <Printer className="size-4" aria-hidden />
        </Button>
        <Button
          look="ghost"
          size="icon"
          aria-label={`Take out ${calledOf(line)}`}
          onClick={() => onTakeOut(line)}
        >
          <Undo2 className="size-4" aria-hidden />
        </Button>
      </div>
    </>
  );
}

function TakenOut({ line, row, onPutBack, hold }: ContentProps) {
  useFocusHeir(row, () => row.current);
  return (
    <>
      <p className="wrap-anywhere">Part {line.number} is taken out.</p>
      <PutBack size="small" line={line} onPutBack={onPutBack} hold={hold} />
    </>
  );
}

function Part({ line }: { line: BenchLine }) {
  const { number, bin, thumb, at } = line;
  return (
    <>
      <span className="w-6 shrink-0 sm:w-8 text-right text-sm text-muted tabular-nums">
        {number}
      </span>
      {thumb === null ? (
        <span className="size-12 shrink-0 rounded-md border bg-canvas" />
      ) : (
        <img
          src={thumb}
          alt=""
          className="size-12 shrink-0 rounded-md border bg-canvas object-cover"
        />
      )}
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-3">
          <bdi
            className={classNames(
              'line-clamp-2 min-w-0 flex-1 font-medium wrap-anywhere',
              toneOf(line),
            )}
          >
            {titleOf(line)}
          </bdi>
          <span className="shrink-0 text-sm text-muted tabular-nums max-sm:hidden">
            {TIME.format(at)}
          </span>
        </p>
        <p className="line-clamp-2 text-sm text-muted">
          {bin !== '' && (
            <>
              <bdi className="text-soft">{bin}</bdi>
              {', '}
            </>
          )}
          {standingOf(line)}
        </p>
      </div>
    </>
  );
}

function toneOf({ answer }: BenchLine): string {
  switch (answer.state) {
    case 'refused':
      return 'text-bad';
    case 'waiting':
      return 'text-warn';
    case 'answered':
      return answer.verdict === 'identified' || answer.said !== undefined ? '' : 'text-warn';
    default:
      return 'text-muted';
  }
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
