import type { Schemas } from '@/api/client';
import { PartSearchBox } from '@/components/part-search-box';
import { Button } from '@/components/ui/button';
import type { BoardAction } from '@/features/batches/components/board-action';
import type { BatchItem } from '@/features/batches/queries';
import { countOf } from '@/lib/format';

export type Act = {
  say: (said: Schemas['NewScanFeedback']) => unknown;
  teach: () => unknown;
  grade: () => unknown;
  other: (action: BoardAction) => unknown;
};

type ChosenActionsProps = {
  chosen: BatchItem[];
  /** What the keys 1 to 9 answer with. */
  quick: readonly { label: string; name: string }[];
  more: readonly BoardAction[];
  disabled: boolean;
  act: Act;
  onClear: () => void;
};

/** What can be done with the chosen photos, each by a button and a key. */
export function ChosenActions({ chosen, quick, more, disabled, act, onClear }: ChosenActionsProps) {
  if (chosen.length === 0) {
    return (
      <>
        <p className="hidden text-sm text-muted pointer-coarse:block">
          Tap the photos that you want to say something of.
        </p>
        <p className="text-sm text-muted pointer-coarse:hidden">
          Choose photos by a click, several with Shift or Ctrl, or with the arrow keys and Space.
          Then one key is an answer: R for right, N for no part, 1 to 9 for the most frequent parts,
          T to teach, G to grade
          {more.map(({ key, label }) => `, ${key.toUpperCase()} to ${label.toLowerCase()}`)}.
        </p>
      </>
    );
  }
  return (
    <div
      role="group"
      aria-label="Correct the chosen photos"
      className="grid grid-cols-1 gap-3 rounded-lg border p-3"
    >
      <div className="grid items-end gap-3 lg:grid-cols-[minmax(0,1fr)_auto]">
        <PartSearchBox
          label={`What ${countOf(chosen.length, 'photo')} show`}
          typesOnly
          disabled={disabled}
          onChoose={(part) => act.say({ answer: 'other-part', label: part.label })}
        />
        <div className="flex flex-wrap gap-2">
          <Keyed letter="r" disabled={disabled} onClick={() => act.say({ answer: 'right' })}>
            Right
          </Keyed>
          <Keyed letter="n" disabled={disabled} onClick={() => act.say({ answer: 'not-a-part' })}>
            Not a Part
          </Keyed>
          <Keyed letter="t" disabled={disabled} onClick={act.teach}>
            Teach
          </Keyed>
          <Keyed letter="g" disabled={disabled} onClick={act.grade}>
            Grade
          </Keyed>
          {more
            .filter(({ isFor }) => isFor(chosen))
            .map((action) => (
              <Keyed
                key={action.key}
                letter={action.key}
                disabled={disabled}
                onClick={() => act.other(action)}
              >
                {action.label}
              </Keyed>
            ))}
          <Button look="ghost" onClick={onClear}>
            Choose None
          </Button>
        </div>
      </div>
      <div className="flex flex-wrap gap-2 empty:hidden">
        {quick.map(({ label, name }, index) => (
          <Keyed
            key={label}
            letter={String(index + 1)}
            disabled={disabled}
            onClick={() => act.say({ answer: 'other-part', label })}
          >
            {name}
          </Keyed>
        ))}
      </div>
    </div>
  );
}

type KeyedProps = { letter: string; disabled: boolean; onClick: () => unknown; children: string };

function Keyed({ letter, disabled, onClick, children }: KeyedProps) {
  return (
    <Button
      size="small"
      aria-keyshortcuts={letter}
      disabled={disabled}
      onClick={() => void onClick()}
    >
      {children}
      <kbd aria-hidden className="rounded border px-1 text-xs text-muted uppercase">
        {letter}
      </kbd>
    </Button>
  );
}
