import type { BatchItem } from '@/features/batches/queries';

/** What can be done with chosen items. */
export type BoardAction = {
  key: string;
  label: string;
  /** What stands below the grid when it is done. */
  done: (items: BatchItem[]) => string;
  isFor: (items: BatchItem[]) => boolean;
  act: (items: BatchItem[]) => Promise<unknown>;
  undo: (items: BatchItem[]) => Promise<unknown>;
};
