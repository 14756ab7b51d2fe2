import type { Schemas } from '@/api/client';
import { PartSearchBox } from '@/components/part-search-box';
import { Button } from '@/components/ui/button';
import type { BoardAction } from '@/features/batches/components/board-action';
import { WholePhotos } from '@/features/batches/components/whole-photos';
import { scansOf, withoutAnswer } from '@/features/batches/model';
import type { BatchItem } from '@/features/batches/queries';

export type Act = {
  say: (said: Schemas['NewScanFeedback']) => unknown;
  teach: () => unknown;
  grade: () => unknown;
  other: (action: BoardAction) => unknown;
};

type ChosenActionsProps = {
  chosen: BatchItem[];
  /** Those of them that have an answer: only these are corrected, taught and graded. */
  answered: BatchItem[];
  /** What the keys 1 to 9 answer with. */
  quick: readonly { label: string; name: string }[];
  more: readonly BoardAction[];
  act: Act;
  onClear: () => void;
};

/** What can be done with the chosen photos, each by a button and a key. */
export function ChosenActions({ chosen, answered, quick, more, act, onClear }: ChosenActionsProps) {
  if (chosen.length === 0) return <Hint more={more} />;
  const [first] = chosen;
  const { title, description } = withoutAnswer(chosen);
  const nPhotos = answered.flatMap(scansOf).length;
  const others = more.filter(({ impossible }) => impossible(chosen) === null);
  const otherKeys = others.map((action) => (
    <Keyed key={action.key} letter={action.key} onClick={() => act.other(action)}>
      {action.label}
    </Keyed>
  ));
  const clear = (
    <Button size="small" look="ghost" className="shrink-0" onClick={onClear}>
      Choose None
    </Button>
  );
  // It stays in sight of the photos: on a phone its rows scroll sideways, so that most of the screen is theirs.
  return (
    <div
      role="group"
      aria-label="Correct the chosen photos"
      className="sticky top-18 low:static z-10 grid grid-cols-1 gap-3 rounded-lg border bg-surface p-3 shadow-float"
    >
      {answered.length === 0 ? (
        <>
          <p className="text-sm text-soft">
            {title}. {description}
          </p>
          <div className={ROW_CLASS}>
            {otherKeys}
            {clear}
          </div>
        </>
      ) : (
        <>
          <div className="grid items-end gap-3 lg:grid-cols-[minmax(0,1fr)_auto]">
            <PartSearchBox
              label={nPhotos === 1 ? 'What 1 photo shows' : `What ${nPhotos} photos show`}
              typesOnly
              onChoose={(part) => act.say({ answer: 'other-part', label: part.label })}
            />
            <div className={ROW_CLASS}>
              <Keyed letter="r" onClick={() => act.say({ answer: 'right' })}>
                Right
              </Keyed>
              <Keyed
                letter="n"

                onClick={() => act.say({ answer: 'not-a-part' })}
              >
                Not a Part
              </Keyed>
              <Keyed letter="t" onClick={act.teach}>
                Teach
              </Keyed>
              <Keyed letter="g" onClick={act.grade}>
                Grade
              </Keyed>
              {otherKeys}
              {clear}
            </div>
          </div>
          <div className={`${ROW_CLASS} empty:hidden`}>
            {quick.map(({ label, name }, index) => (
              <Keyed
                key={label}
                letter={String(index + 1)}

                onClick={() => act.say({ answer: 'other-part', label })}
              >
                {name}
              </Keyed>
            ))}
            {chosen.length === 1 && first !== undefined && <WholePhotos item={first} />}
          </div>
        </>
      )}
    </div>
  );
}

/** Buttons side by side; on a phone in one line that scrolls. The padding is room for the frame of the focus. */
const ROW_CLASS = 'flex gap-2 max-sm:-m-1 max-sm:overflow-x-auto max-sm:p-1 sm:flex-wrap';

/** How photos are chosen, and what can then be done. */
function Hint({ more }: { more: readonly BoardAction[] }) {
  return (
    <p className="text-sm text-muted">
      <span className="hidden pointer-coarse:inline">
        Tap the photos that show the same. What can be done with them then stands here.
      </span>
      <span className="pointer-coarse:hidden">
        Choose photos by a click, several with Shift or Ctrl, or with the arrow keys and Space. Then
        one key is an answer: R for right, N for no part, 1 to 9 for the most frequent parts, T to
        teach, G to grade
        {more.map(({ key, label }) => `, ${key.toUpperCase()} to ${label.toLowerCase()}`)}.
      </span>
    </p>
  );
}

type KeyedProps = { letter: string; onClick: () => unknown; children: string };

function Keyed({ letter, onClick, children }: KeyedProps) {
  return (
    <Button
      size="small"
      className="shrink-0"
      aria-keyshortcuts={letter}

      onClick={() => void onClick()}
    >
      {children}
      <kbd
        aria-hidden
        className="pointer-coarse:hidden rounded border px-1 text-xs text-muted uppercase"
      >
        {letter}
      </kbd>
    </Button>
  );
}
