import { useEffect, useEffectEvent } from 'react';
import { useHasDraft } from '@/hooks/use-draft';

type OnDraftProps = { draftKey: string; then: () => void };

/** Shows nothing: it opens the form that a session that ended left unsaved, once it is known whose. */
export function OnDraft({ draftKey, then }: OnDraftProps) {
  const drafted = useHasDraft(draftKey);
  const open = useEffectEvent(then);
  useEffect(() => {
    if (drafted) open();
  }, [drafted]);
  return null;
}
