import { useEffect, useState } from 'react';
import type { LogoEdit } from '@/features/plans/company/model';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useDraft } from '@/hooks/use-draft';
import { dataUrlOf } from '@/lib/photos/data-url';

/** What becomes of the logo, kept under `draftKey` over a session that ended while it was edited. */
export function useLogoEdit(draftKey: string, signedOut: boolean) {
  const draft = useDraft(draftKey);
  const [edit, setEdit] = useState<LogoEdit>(() =>
    'removed' in draft.read() ? { kind: 'remove' } : { kind: 'keep' },
  );
  useUnsavedWork(edit.kind !== 'keep');
  useEffect(() => {
    draft.forget();
    void draft.takeFiles().then(async ([kept]) => {
      if (kept === undefined) return;
      const dataUrl = await dataUrlOf(kept.blob);
      setEdit((current) =>
        current.kind === 'keep' ? { kind: 'set', file: kept.blob, dataUrl } : current,
      );
    });
  }, [draft]);
  useEffect(() => {
    if (!signedOut) return;
    if (edit.kind === 'remove') draft.keep({ removed: true });
    if (edit.kind === 'set') void draft.keepFiles([{ blob: edit.file, name: 'logo' }]);
  }, [signedOut, draft, edit]);
  return [edit, setEdit] as const;
}
