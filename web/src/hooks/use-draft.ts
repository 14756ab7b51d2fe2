import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { userQuery } from '@/api/user';
import { keepFiles, takeFiles, type NamedBlob } from '@/lib/draft-files';
import { forgetDraft, hasDraft, keepDraft, readDraft, type DraftPlace } from '@/lib/drafts';

export type Draft = {
  /** Whether anything was typed and kept. */
  exists: () => boolean;
  /** What was typed; empty where nothing was kept. */
  read: () => object;
  keep: (values: object) => void;
  forget: () => void;
  keepFiles: (files: NamedBlob[]) => Promise<void>;
  takeFiles: () => Promise<NamedBlob[]>;
};

/**
 * What this browser keeps of a form from the end of a session until the form is shown again, for the person who
 * filled it in. Without a `key` nothing is kept, such as of a form with a password.
 */
export function useDraft(key: string | undefined): Draft {
  const queryClient = useQueryClient();
  // Whoever opened the form, also once their session is over.
  const [userId] = useState(() => queryClient.getQueryData(userQuery().queryKey)?.id ?? '');
  return useMemo(() => (key === undefined ? NONE : draftAt({ userId, key })), [userId, key]);
}

/** Whether something was kept of a form when this component came on screen, so that it can open the form. */
export function useHasDraft(key: string): boolean {
  const draft = useDraft(key);
  const [exists] = useState(draft.exists);
  return exists;
}

function draftAt(place: DraftPlace): Draft {
  return {
    exists: () => hasDraft(place),
    read: () => readDraft(place),
    keep: (values) => keepDraft(place, values),
    forget: () => forgetDraft(place),
    keepFiles: (files) => keepFiles(place, files),
    takeFiles: () => takeFiles(place),
  };
}

const NONE: Draft = {
  exists: () => false,
  read: () => ({}),
  keep: () => undefined,
  forget: () => undefined,
  keepFiles: () => Promise.resolve(),
  takeFiles: () => Promise.resolve([]),
};
