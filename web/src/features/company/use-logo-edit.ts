import { useEffect, useState } from 'react';
import type { LogoEdit } from '@/features/company/model';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { forgetDraft, keepDraft, readDraft } from '@/lib/drafts';
import { dataUrlOf } from '@/lib/photos/data-url';
import { keepPhotos, takePhotos } from '@/lib/photos/photo-drafts';

/** What becomes of the logo, kept under `draftKey` over a session that ended while it was edited. */
export function useLogoEdit(draftKey: string, signedOut: boolean) {
  const [edit, setEdit] = useState<LogoEdit>(() =>
    'removed' in readDraft(draftKey) ? { kind: 'remove' } : { kind: 'keep' },
  );
  useUnsavedWork(edit.kind !== 'keep');
  useEffect(() => {
    forgetDraft(draftKey);
    void takePhotos(draftKey).then(async ([kept]) => {
      if (kept === undefined) return;
      const dataUrl = await dataUrlOf(kept.blob);
      setEdit((current) =>
        current.kind === 'keep' ? { kind: 'set', file: kept.blob, dataUrl } : current,
      );
    });
  }, [draftKey]);
  useEffect(() => {
    if (!signedOut) return;
    if (edit.kind === 'remove') keepDraft(draftKey, { removed: true });
    if (edit.kind === 'set') void keepPhotos(draftKey, [{ blob: edit.file, name: 'logo' }]);
  }, [signedOut, draftKey, edit]);
  return [edit, setEdit] as const;
}
