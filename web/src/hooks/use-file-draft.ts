import { useEffect, useEffectEvent, useState } from 'react';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useDraft, type Draft } from '@/hooks/use-draft';
import { useSessionEnd } from '@/hooks/use-session-end';

/**
 * Keeps the chosen file of a dialog, and the fields around it, from the end of a session until the dialog is shown
 * again; `useKeptFile` then brings the file back.
 */
export function useFileDraft<Fields extends object>(key: string) {
  const draft = useDraft(key);
  const endSession = useSessionEnd();
  const [kept] = useState(() => draft.read() as Partial<Fields>);
  return {
    draft,
    /** The fields as they were; empty where nothing was kept. */
    kept,
    /** Keeps what was sent, says that the session ended and leads to the sign-in. */
    endSession: (fields: Fields, sent: File) => {
      draft.keep(fields);
      void draft.keepFiles([{ blob: sent, name: sent.name }]).then(endSession);
    },
  };
}

/** Calls `then` with the file that was kept, unless there is one already; `file` is the one that there is. */
export function useKeptFile(draft: Draft, file: File | null, then: (kept: File) => void): void {
  useUnsavedWork(file !== null);
  const show = useEffectEvent((found: File) => {
    if (file === null) then(found);
  });
  useEffect(() => {
    draft.forget();
    void draft.takeFiles().then(([found]) => {
      if (found === undefined) return;
      show(new File([found.blob], found.name, { type: found.blob.type }));
    });
  }, [draft]);
}
