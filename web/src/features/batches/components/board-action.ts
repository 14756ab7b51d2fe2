import { photosOf, type Impossible } from '@/features/batches/model';
import type { BatchItem } from '@/features/batches/queries';
import { countOf } from '@/lib/format';

/** What can be done with chosen items. */
export type BoardAction = {
  key: string;
  label: string;
  /** What stands below the grid when it is done. */
  done: (items: BatchItem[]) => string;
  /** Why it cannot be done with these items; null where it can. */
  impossible: (items: BatchItem[]) => Impossible | null;
  act: (items: BatchItem[]) => Promise<unknown>;
  undo: (items: BatchItem[]) => Promise<unknown>;
};

/** Takes chosen items out of the list, or puts those back that are out of it. */
export function discardAction(
  areDiscarded: boolean,
  discard: (items: BatchItem[], discarded: boolean) => Promise<unknown>,
): BoardAction {
  return {
    key: 'd',
    label: areDiscarded ? 'Put Back' : 'Discard',
    done: (items) =>
      `${countOf(items.flatMap(photosOf).length, 'photo')} ${areDiscarded ? 'put back' : 'discarded'}.`,
    impossible: () => null,
    act: (items) => discard(items, !areDiscarded),
    undo: (items) => discard(items, areDiscarded),
  };
}
