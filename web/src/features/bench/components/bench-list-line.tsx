import { Printer, Undo2 } from 'lucide-react';
import { useRef, type RefObject } from 'react';
import { Button } from '@/components/ui/button';
import { PutBack } from '@/features/bench/components/put-back';
import { Retry } from '@/features/bench/components/retry';
import {
  calledOf,
  canRetry,
  isIn,
  standingOf,
  titleOf,
  type BenchLine,
} from '@/features/bench/list/model';
import { useFocusHeir } from '@/hooks/use-focus-heir';
import { classNames } from '@/lib/class-names';

const TIME = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });

export type LineActions = {
  onTakeOut: (line: BenchLine) => void;
  onPutBack: (line: BenchLine) => void;
  /** Keeps the line of this key from going for good, until what it returns is called. */
  hold: (key: string) => () => void;
  onLabel: (line: BenchLine) => void;
  onRetry: (line: BenchLine) => void;
};

type LineProps = LineActions & { line: BenchLine };

/** A part of the running list, or where it was taken out. `heading` has the focus of the last one that goes. */
export function BenchListLine({
  heading,
  ...props
}: LineProps & { heading: RefObject<HTMLElement | null> }) {
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
        'flex flex-wrap items-center gap-3 border-b py-2 last:border-b-0',
        !isListed && 'justify-between text-sm text-muted',
      )}
    >
      {isListed ? <Listed row={row} {...props} /> : <TakenOut row={row} {...props} />}
    </li>
  );
}

type ContentProps = LineProps & { row: RefObject<HTMLLIElement | null> };

function Listed({ line, row, onTakeOut, onLabel, onRetry }: ContentProps) {
  useFocusHeir(row, () => row.current);
  return (
    <>
      <Part line={line} />
      <div className="flex max-w-24 shrink-0 flex-wrap items-center justify-end">
        {canRetry(line) && <Retry size="small" line={line} heir={row} onRetry={onRetry} />}
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
      <div className="min-w-0 flex-1 basis-24">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <bdi
            className={classNames(
              'line-clamp-2 min-w-0 flex-1 basis-24 font-medium wrap-anywhere',
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
