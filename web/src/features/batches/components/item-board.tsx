import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, type Dispatch, type SetStateAction } from 'react';
import type { Schemas } from '@/api/client';
import { readOn, type Pages } from '@/api/page';
import { NextPageFailure } from '@/components/load-failure';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import { AllChosen } from '@/features/batches/components/all-chosen';
import type { BoardAction } from '@/features/batches/components/board-action';
import { ChosenActions, type Act } from '@/features/batches/components/chosen-actions';
import { GradeDialog } from '@/features/batches/components/grade-dialog';
import { ItemGrid } from '@/features/batches/components/item-grid';
import { TeachDialog } from '@/features/batches/components/teach-dialog';
import {
  foundAt,
  NOTHING,
  partOf,
  placeAt,
  quickTypes,
  scansOf,
  teachRefusal,
  withoutAnswer,
  type Impossible,
  type Selection,
} from '@/features/batches/model';
import {
  correct,
  giveGrade,
  takeBack,
  takeGradeBack,
  takeTeachingBack,
  teach,
  type Tally,
} from '@/features/batches/mutations';
import type { BatchItem } from '@/features/batches/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useUnloadGuard } from '@/hooks/use-unload-guard';
import { countOf } from '@/lib/format';

/** A key that is pressed while the last answer is being saved counts as well. */
const ONE_BY_ONE = { id: 'item-board' };
const NOT_ALL = 'Not all photos could be changed. Please try again.';

type ItemBoardProps = {
  items: BatchItem[];
  selection: Selection;
  onSelect: Dispatch<SetStateAction<Selection>>;
  /** Where the items are from: the next ones are read when the end of them comes into view. */
  pages: Pages;
  /** What can be done with chosen items beside correcting, teaching and grading them, by the key of each. */
  more: readonly BoardAction[];
  /** The batch of the items. Without one their grades are not known, and one that is replaced cannot be brought back. */
  batchId?: string;
};

/** Of how many photos somebody has said something since, which stays; nothing where that cannot be. */
type Undo = () => Promise<unknown>;

type Change = {
  /** What is said of it when it is done; what came of it may say it better. */
  text: string | ((result: unknown) => string);
  run: () => Promise<unknown>;
  /** Ids of all items to change, and of those that were not changed: they are chosen, to be tried again. */
  ids: ReadonlySet<string>;
  left?: (result: unknown) => ReadonlySet<string>;
  /** Whether a dialog made it, which closes once all is changed. */
  isOfDialog: boolean;
  /** How often something had been chosen by then. */
  turn: number;
  /** Null where what was there before is not known. */
  undo: Undo | null;
};

/** A change that was made, in words. */
type Done = Pick<Change, 'undo'> & { text: string };

/** A grid of photos with their answers, of which many are confirmed, corrected, taught, graded or put away at once. */
export function ItemBoard({ items, selection, onSelect, pages, more, batchId }: ItemBoardProps) {
  const [done, setDone] = useState<Done | null>(null);
  const [dialog, setDialog] = useState<'teach' | 'grade' | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const fail = useFailureToast();
  const toast = useToast();
  const [keyed, setKeyed] = useState<ReturnType<typeof quickTypes>>([]);
  const quick = useMemo(() => quickTypes(keyed, items), [keyed, items]);
  if (quick !== keyed) setKeyed(quick);
  const chosen = items.filter(({ id }) => selection.chosen.has(id));
  const answered = chosen.filter((item) => scansOf(item).length > 0);

  const queryClient = useQueryClient();
  // Some may have been changed all the same.
  const showAnew = () => void queryClient.invalidateQueries();
  const turn = useRef(0);
  // A key that follows at once is pressed over items that were read before the last answer was saved.
  const corrected = useRef(new Set<string>());
  const select: typeof onSelect = (next) => {
    turn.current += 1;
    onSelect(next);
  };
  const { active } = selection;
  useEffect(() => {
    if (active.id === null || items.length === 0) return;
    const place = placeAt(foundAt(active, items), items);
    // Where the photo is by now: once it is gone, the one that comes next has the frame.
    if (place.id !== active.id || place.at !== active.at) {
      onSelect((now) => ({ ...now, active: place }));
    }
  }, [active, items, onSelect]);
  /** Chooses what was not changed, unless somebody has gone on to others: a key would then answer for both. */
  const chooseAgain = (change: Change, ids: ReadonlySet<string>) => {
    if (change.turn === turn.current) onSelect((now) => ({ ...now, chosen: ids }));
  };
  const apply = useMutation({
    scope: ONE_BY_ONE,
    mutationFn: ({ run }: Change) => run(),
    onSuccess: (result, change) => {
      const { text, undo, isOfDialog } = change;
      setDone({ text: typeof text === 'string' ? text : text(result), undo });
      const left = change.left?.(result) ?? new Set<string>();
      chooseAgain(change, left);
      // What was typed is typed for those that are left as well.
      if (isOfDialog && left.size === 0) {
        setDialog(null);
        grid.current?.focus();
      }
    },
    onError: (error, change) => {
      chooseAgain(change, change.ids);
      fail(error, NOT_ALL);
      showAnew();
    },
  });
  const isDialogPending = apply.isPending && apply.variables.isOfDialog;
  const undo = useMutation({
    scope: ONE_BY_ONE,
    mutationFn: (takeBack: Undo) => takeBack(),
    onSuccess: (nLeft) => {
      if (typeof nLeft === 'number' && nLeft > 0) {
        toast({
          title: `${countOf(nLeft, 'photo')} not undone`,
          description: 'What somebody has said since stays.',
        });
      }
      setDone(null);
      grid.current?.focus();
    },
    onError: (error) => {
      fail(error, 'Not all changes could be undone. Please try again.');
      showAnew();
    },
  });
  useUnloadGuard(apply.isPending || undo.isPending);
  const change = (of: BatchItem[], rest: Pick<Change, 'text' | 'run' | 'left' | 'undo'>) => {
    if (of.length === 0) return;
    const isOfDialog = dialog !== null;
    const ids = new Set(of.map(({ id }) => id));
    apply.mutate({ ...rest, ids, isOfDialog, turn: turn.current });
    if (isOfDialog) return;
    // What is chosen next is chosen by itself. The pressed button goes, and with it the focus.
    onSelect({ ...selection, chosen: new Set() });
    grid.current?.focus();
  };

  /** Changes the scans of all answered photos; where some fail, what is said and undone is of the others. */
  const changeEach = (
    verb: string,
    run: () => Promise<Tally>,
    undoOf: ((changed: Tally['changed']) => Promise<unknown>) | null,
  ) => {
    let changed: Tally['changed'] = [];
    const left = (result: unknown) => new Set((result as Tally).failed.map(({ item }) => item.id));
    change(answered, {
      text: (result) => {
        const nLeft = (result as Tally).failed.length;
        const all = countOf(changed.length + nLeft, 'photo');
        return `${nLeft === 0 ? all : `${changed.length} of ${all}`} ${verb}.`;
      },
      left,
      run: async () => {
        const tally = await run();
        changed = tally.changed;
        if (tally.failed.length > 0) fail(tally.error, NOT_ALL);
        return tally;
      },
      undo: undoOf && (() => undoOf(changed)),
    });
  };

  const act: Act = {
    say: (said) =>
      changeEach(
        said.answer === 'right' ? 'confirmed' : 'corrected',
        async () => {
          const tally = await correct({ items: answered, said, outdated: corrected.current });
          for (const { scan } of tally.changed) corrected.current.add(scan.id);
          return tally;
        },
        takeBack,
      ),
    teach: () => {
      const why = teachRefusal(answered);
      if (why === null) setDialog('teach');
      else toast(why);
    },
    grade: () => setDialog('grade'),
    other: (action) =>
      change(chosen, {
        text: action.done(chosen),
        run: () => action.act(chosen),
        undo: () => action.undo(chosen),
      }),
  };
  /** Why a key does nothing to the chosen photos; null where it does something. */
  const impossible = (key: string, action: BoardAction | undefined): Impossible | null => {
    if (chosen.length === 0) {
      return { title: 'No photo is chosen', description: 'Space chooses the one in the frame.' };
    }
    if (action !== undefined) return action.impossible(chosen);
    if (answered.length === 0) return withoutAnswer(chosen);
    if (Number(key) > quick.length) {
      return {
        title: `No part has the number ${key}`,
        description: 'The numbered parts are listed above the photos.',
      };
    }
    return null;
  };
  const onKey = (key: string) => {
    const type = quick[Number(key) - 1];
    const action = more.find((one) => one.key === key);
    if (!/^[rntg1-9]$/.test(key) && action === undefined) return;
    const why = impossible(key, action);
    if (why !== null) toast(why);
    else if (key === 'r') act.say({ answer: 'right' });
    else if (key === 'n') act.say({ answer: 'not-a-part' });
    else if (key === 't') act.teach();
    else if (key === 'g') act.grade();
    else if (type !== undefined) act.say({ answer: 'other-part', label: type.label });
    else if (action !== undefined) act.other(action);
  };

  return (
    // No grid: in one, what can be done would stay in its row and scroll away with it.
    <div className="flex flex-col gap-4">
      {items.length > 0 && (
        <ChosenActions
          chosen={chosen}
          answered={answered}
          quick={quick}
          more={more}
          act={act}
          onClear={() => select(NOTHING)}
        />
      )}
      {done !== null && (
        <div className="flex items-center justify-between gap-3 text-sm text-soft">
          <p role="status">{done.text}</p>
          {done.undo !== null && (
            <Button
              size="small"
              disabled={undo.isPending || apply.isPending}
              onClick={() => done.undo !== null && undo.mutate(done.undo)}
            >
              Undo
            </Button>
          )}
        </div>
      )}
      <AllChosen
        items={items}
        chosen={chosen}
        selection={selection}
        onSelect={select}
        pages={pages}
        toGrid={() => grid.current?.focus()}
      />
      {items.length > 0 && (
        <ItemGrid
          ref={grid}
          items={items}
          selection={selection}
          onSelect={select}
          onKey={onKey}
          onEnd={() => readOn(pages)}
        />
      )}
      <NextPageFailure pages={pages} />
      {dialog === 'teach' && (
        <TeachDialog
          count={answered.flatMap(scansOf).length}
          pending={isDialogPending}
          onClose={() => setDialog(null)}
          onTeach={(part) => {
            let came: Schemas['TaughtScans'] = { label: '', taught: [], refused: [] };
            change(answered, {
              text: () => `${countOf(came.taught.length, 'photo')} taught.`,
              run: async () => {
                came = await teach(answered, part);
                const { refused } = came;
                const [first] = refused;
                if (first !== undefined)
                  fail(
                    first.reason,
                    first.reason,
                    `${countOf(refused.length, 'photo')} not taught`,
                  );
              },
              undo: () => takeTeachingBack(answered, came, part),
            });
          }}
        />
      )}
      {dialog === 'grade' && (
        <GradeDialog
          items={answered}
          part={answered[0] === undefined ? null : partOf(answered[0])}
          pending={isDialogPending}
          onClose={() => setDialog(null)}
          onGrade={(grade) =>
            changeEach(
              `graded ${grade.grade}`,
              () => giveGrade(answered, grade, batchId),
              batchId === undefined ? null : (changed) => takeGradeBack(batchId, changed),
            )
          }
        />
      )}
    </div>
  );
}
