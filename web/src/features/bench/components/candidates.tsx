import type { Answer, Candidate } from '@/features/bench/list/model';
import { classNames } from '@/lib/class-names';
import { formatPercent } from '@/lib/format';

type CandidatesProps = {
  answer: Extract<Answer, { state: 'answered' }>;
  /** A digit chooses as well. */
  usesKeys: boolean;
  onChoose: (digit: number) => void;
};

/** What a part could be, to say which one it is. */
export function Candidates({ answer, usesKeys, onChoose }: CandidatesProps) {
  const { candidates, said, verdict } = answer;
  const isOpen = verdict !== 'identified' && said === undefined;
  return (
    <div className="grid grid-cols-1 gap-2">
      <p className={classNames('font-medium', isOpen ? 'text-xl xl:text-3xl' : 'text-soft')}>
        {isOpen ? 'Which one is it?' : 'Is it something else?'}
      </p>
      <ol
        aria-label="What it could be"
        className={classNames(
          'grid grid-cols-1 gap-2',
          !isOpen && 'sm:grid-cols-2 2xl:grid-cols-3',
        )}
      >
        {candidates.map((candidate, n) => (
          <li key={candidate.label}>
            <Choice
              digit={n + 1}
              usesKeys={usesKeys}
              candidate={candidate}
              isLarge={isOpen}
              isChosen={said?.label === candidate.label}
              onChoose={onChoose}
            />
          </li>
        ))}
        <li>
          <Choice
            digit={0}
            usesKeys={usesKeys}
            candidate={null}
            isLarge={isOpen}
            isChosen={said === null}
            onChoose={onChoose}
          />
        </li>
      </ol>
    </div>
  );
}

type ChoiceProps = Pick<CandidatesProps, 'usesKeys' | 'onChoose'> & {
  digit: number;
  /** Null for no part at all. */
  candidate: Candidate | null;
  isLarge: boolean;
  isChosen: boolean;
};

function Choice({ digit, usesKeys, candidate, isLarge, isChosen, onChoose }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={() => onChoose(digit)}
      className={classNames(
        'flex w-full min-w-0 items-center gap-3 rounded-md border border-control/60 bg-raised px-3 py-1 text-left hover:border-control hover:bg-hover',
        isLarge
          ? 'min-h-12 text-lg xl:min-h-14 xl:text-2xl 2xl:min-h-16 2xl:text-3xl'
          : 'min-h-11 text-base',
        isChosen && 'border-accent! bg-accent-wash! text-accent!',
      )}
    >
      {usesKeys && (
        <span aria-hidden className="font-semibold text-muted tabular-nums">
          {digit}
        </span>
      )}
      <bdi className="min-w-0 flex-1 wrap-anywhere">{candidate?.name ?? 'Not a part'}</bdi>
      {candidate !== null && (
        <span className="text-soft tabular-nums">{formatPercent(candidate.confidence)}</span>
      )}
    </button>
  );
}
