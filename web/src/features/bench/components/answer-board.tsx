import { Printer, Undo2 } from 'lucide-react';
import { useRef, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { VehicleRequiredNotice } from '@/components/vehicle-required-notice';
import { Candidates } from '@/features/bench/components/candidates';
import { PutBack } from '@/features/bench/components/put-back';
import { ReadNumber } from '@/features/bench/components/read-number';
import { Retry } from '@/features/bench/components/retry';
import { KeySign } from '@/features/bench/components/table-view';
import {
  canRetry,
  nameOf,
  spokenOf,
  standingOf,
  titleOf,
  type BenchLine,
} from '@/features/bench/list/model';
import { useFocusHeir } from '@/hooks/use-focus-heir';
import { classNames } from '@/lib/class-names';

type AnswerBoardProps = {
  board: RefObject<HTMLElement | null>;
  /** The newest part; null before the first. */
  line: BenchLine | null;
  /** What was taken out last and can be put back. */
  undone: BenchLine | null;
  hasVehicle: boolean;
  /** Letters and digits do what buttons do, which name them. */
  usesKeys: boolean;
  /** The candidate of a digit, from 1; 0 is no part. */
  onChoose: (digit: number) => void;
  onRead: (key: string, partNumber: string) => void;
  onTakeOut: (line: BenchLine) => void;
  onPutBack: (line: BenchLine) => void;
  hold: (key: string) => () => void;
  onLabel: (line: BenchLine) => void;
  onRetry: (line: BenchLine) => void;
};

/** The answer for the newest part, in letters that are read from two metres. */
export function AnswerBoard({ board, line, undone, hasVehicle, ...actions }: AnswerBoardProps) {
  const notice = useRef<HTMLDivElement>(null);
  const takeOut = (taken: BenchLine) => {
    // The pressed button goes; what says so, and has the way back, must be there to take its focus.
    flushSync(() => actions.onTakeOut(taken));
    notice.current?.focus();
  };
  return (
    <Card
      ref={board}
      tabIndex={-1}
      aria-labelledby="answer-title"
      className={classNames(
        'flex min-h-64 min-w-0 flex-col gap-4 sm:p-6! lg:row-span-2 lg:overflow-y-auto lg:contain-size',
        // On a phone the answer stands above the table once there is one.
        line !== null && 'max-lg:order-first',
      )}
    >
      <h2 id="answer-title" className="sr-only">
        Answer
      </h2>
      {/* The large letters, for those who listen. */}
      <p role="status" className="sr-only">
        {line === null ? '' : `Part ${line.number}. ${spokenOf(line)}`}
      </p>
      {!hasVehicle && (
        <VehicleRequiredNotice>
          Every scan is for a vehicle: what cannot be on it is less likely. Add one, then come back.
        </VehicleRequiredNotice>
      )}
      {line === null ? (
        <Instructions />
      ) : (
        // Each part has buttons of its own: one that has the focus must not become that of the next part.
        <Part key={line.key} line={line} board={board} {...actions} onTakeOut={takeOut} />
      )}
      {undone !== null && (
        <Undone key={undone.key} line={undone} notice={notice} board={board} {...actions} />
      )}
    </Card>
  );
}

const STEPS = [
  'Fix a camera over the table, looking straight down.',
  'Clear the table and start the camera.',
  'Lay a part down and take your hands away. It is scanned once it lies still.',
  'Take it away and lay the next one down.',
];

function Instructions() {
  return (
    <div className="grid content-center gap-6 lg:flex-1 lg:px-6">
      <p className="text-3xl font-semibold tracking-tight xl:text-6xl">One part after the other</p>
      <ol className="grid list-inside list-decimal gap-3 text-lg text-soft xl:text-3xl xl:leading-snug">
        {STEPS.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </div>
  );
}

type PartProps = Pick<
  AnswerBoardProps,
  'board' | 'usesKeys' | 'onChoose' | 'onRead' | 'onTakeOut' | 'onLabel' | 'onRetry'
> & { line: BenchLine };

function Part({ line, board, usesKeys, onChoose, onRead, onTakeOut, onLabel, onRetry }: PartProps) {
  const { answer } = line;
  const area = useRef<HTMLDivElement>(null);
  useFocusHeir(area, () => board.current);
  return (
    <div ref={area} className="contents">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-xl text-soft xl:text-3xl">
        <p className="tabular-nums">Part {line.number}</p>
        {line.bin !== '' && (
          <p className="wrap-anywhere">
            Bin <bdi className="font-semibold text-ink">{line.bin}</bdi>
          </p>
        )}
      </div>
      <div className="flex min-w-0 items-start gap-6">
        <div className="grid min-w-0 flex-1 gap-2 xl:gap-4">
          <p
            className={classNames(
              'text-[clamp(2.25rem,5.4vw,6.5rem)] leading-[1.05] font-semibold tracking-tight text-balance wrap-anywhere',
              toneOf(line),
            )}
          >
            <bdi>{titleOf(line)}</bdi>
          </p>
          <p className="text-xl text-soft xl:text-4xl">{standingOf(line)}</p>
          {line.partNumber !== null && (
            <p className="text-xl wrap-anywhere xl:text-4xl">
              No. <bdi className="font-semibold">{line.partNumber}</bdi>
            </p>
          )}
        </div>
        {line.thumb !== null && (
          <img
            src={line.thumb}
            alt="The part as it was photographed"
            className="size-24 shrink-0 rounded-lg border object-contain sm:size-40 xl:size-56 2xl:size-72"
          />
        )}
      </div>
      {answer.state === 'answered' && (
        <>
          <ReadNumber
            key={line.key}
            scanId={answer.scanId}
            onRead={(partNumber) => onRead(line.key, partNumber)}
          />
          <Candidates answer={answer} usesKeys={usesKeys} onChoose={onChoose} />
        </>
      )}
      <div className="flex flex-wrap gap-2">
        {canRetry(line) && <Retry line={line} heir={board} onRetry={onRetry} />}
        <Button onClick={() => onLabel(line)}>
          <Printer className="size-4" aria-hidden />
          Label
          {usesKeys && <KeySign name="P" />}
        </Button>
        <Button onClick={() => onTakeOut(line)}>
          <Undo2 className="size-4" aria-hidden />
          Take Out
          {usesKeys && <KeySign name="U" />}
        </Button>
      </div>
    </div>
  );
}

type UndoneProps = Pick<AnswerBoardProps, 'board' | 'usesKeys' | 'onPutBack' | 'hold'> & {
  line: BenchLine;
  notice: RefObject<HTMLDivElement | null>;
};

/** Says what was taken out, and puts it back. */
function Undone({ line, notice, board, usesKeys, ...actions }: UndoneProps) {
  useFocusHeir(notice, () => board.current);
  return (
    <div
      ref={notice}
      tabIndex={-1}
      className="mt-auto flex flex-wrap items-center justify-between gap-3 rounded-md bg-raised px-4 py-3"
    >
      <p className="text-lg">
        Part {line.number} is taken out: <bdi>{nameOf(line) ?? 'no name'}</bdi>
      </p>
      <PutBack line={line} {...actions}>
        {usesKeys && <KeySign name="U" />}
      </PutBack>
    </div>
  );
}

/** The colour of what stands largest. */
function toneOf({ answer }: BenchLine): string {
  switch (answer.state) {
    case 'sending':
    case 'elsewhere':
      return 'text-soft';
    case 'waiting':
      return 'text-warn';
    case 'refused':
      return 'text-bad';
    case 'answered':
      return answer.verdict === 'identified' || answer.said !== undefined
        ? 'text-good'
        : 'text-warn';
  }
}
