import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { signsOfWear, WearHint } from '@/components/drawings/wear';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextAreaField } from '@/components/ui/text-area-field';
import { scansOf } from '@/features/batches/model';
import type { NewGrade } from '@/features/batches/mutations';
import { gradeQueries, type BatchItem } from '@/features/batches/queries';
import { useGuardedClose } from '@/hooks/use-guarded-close';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { classNames } from '@/lib/class-names';
import { focusFirstField } from '@/lib/dialog-focus';
import { countOf } from '@/lib/format';

/** What any part may have; before these stand the signs of wear of its type. */
const ANY_DAMAGE = [
  'Cracked or broken',
  'Bent',
  'Rusted',
  'Leaks',
  'Burnt or overheated',
  'Broken connector',
  'Damaged thread',
  'Not complete',
];
/** The longest note that the server takes, in characters. */
const NOTE_MAX_LENGTH = 1000;

type GradeDialogProps = {
  items: BatchItem[];
  /** What the first of them shows: whose signs of wear are offered. */
  part: { label: string; name: string } | null;
  pending: boolean;
  onGrade: (grade: NewGrade) => void;
  onClose: () => void;
};

/** The condition of the chosen parts: a grade of the shop's scale, what is damaged, and a note. */
export function GradeDialog({ items, part, pending, onGrade, onClose }: GradeDialogProps) {
  const formId = useId();
  const form = useRef<HTMLFormElement>(null);
  const scale = useQuery(gradeQueries.scale());
  const hasGrades = scale.data !== undefined;
  useEffect(() => {
    // Where the grades come after the dialog has opened, and nobody has gone on to what is below them.
    const at = document.activeElement;
    if (hasGrades && at !== null && !form.current?.contains(at)) {
      form.current?.querySelector('input')?.focus();
    }
  }, [hasGrades]);
  const before = items.length === 1 ? (items[0]?.grade ?? null) : null;
  const [grade, setGrade] = useState(before?.grade ?? '');
  const [damage, setDamage] = useState<ReadonlySet<string>>(new Set(before?.damage));
  const [note, setNote] = useState(before?.note ?? '');
  const damageBefore = new Set(before?.damage);
  const isChanged =
    grade !== (before?.grade ?? '') ||
    note !== (before?.note ?? '') ||
    [...damage, ...damageBefore].some((line) => damage.has(line) !== damageBefore.has(line));
  useUnsavedWork(isChanged);
  const { close, question } = useGuardedClose(isChanged, onClose);
  const given = before === null ? [] : [before.grade];
  const names = scale.data == null ? [] : [...new Set([...scale.data.grades, ...given])];
  const offered = [...(part === null ? [] : signsOfWear(part.label)), ...ANY_DAMAGE];
  // What was said before stays in the list, also where the type is another one now.
  const lines = [...new Set([...offered, ...damage])];
  const toggle = (line: string) => {
    const next = new Set(damage);
    if (!next.delete(line)) next.add(line);
    setDamage(next);
  };
  return (
    <>
      <Dialog
        open
        busy={pending}
        onOpenAutoFocus={hasGrades ? focusFirstField : undefined}
        onClose={close}
        title={`Grade ${countOf(items.flatMap(scansOf).length, 'Photo')}`}
        description="The grade stands in the results and on the return sheet, with the photo as evidence."
        className="max-w-2xl"
        footer={
          <>
            <Button disabled={pending} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" form={formId} look="primary" disabled={pending || grade === ''}>
              {pending ? 'Saving...' : 'Save Grade'}
            </Button>
          </>
        }
      >
        <QueryState query={scale} what="The grades" label="Loading the grades" />
        <form
          ref={form}
          id={formId}
          aria-label="Condition"
          className="grid grid-cols-1 gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            onGrade({ grade, damage: lines.filter((line) => damage.has(line)), note });
          }}
        >
          <fieldset className="grid gap-2">
            <legend className="mb-2 text-sm font-medium">Grade</legend>
            <div className="flex flex-wrap gap-2">
              {/* Where the part has a grade that left the scale, that stays possible. */}
              {names.map((name) => (
                <label
                  key={name}
                  className={classNames(
                    'min-w-11 cursor-pointer rounded-md border px-3 py-2 text-center text-sm font-medium has-focus-visible:outline-2',
                    grade === name ? 'border-accent bg-accent-wash' : 'hover:bg-hover',
                  )}
                >
                  <input
                    type="radio"
                    name="grade"
                    className="sr-only"
                    checked={grade === name}
                    onChange={() => setGrade(name)}
                  />
                  {name}
                </label>
              ))}
            </div>
          </fieldset>
          {part !== null && <WearHint label={part.label} name={part.name} />}
          <fieldset>
            <legend className="mb-2 text-sm font-medium">Damage</legend>
            <div className="grid gap-2 sm:grid-cols-2">
              {lines.map((line) => (
                <label key={line} className="flex items-start gap-2 text-sm">
                  <input
                    type="checkbox"
                    className="mt-1 accent-accent"
                    checked={damage.has(line)}
                    onChange={() => toggle(line)}
                  />
                  {line}
                </label>
              ))}
            </div>
          </fieldset>
          <TextAreaField
            label="Note"
            maxLength={NOTE_MAX_LENGTH}
            rows={2}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        </form>
      </Dialog>
      {question}
    </>
  );
}
