import { useQuery } from '@tanstack/react-query';
import { UploadDialog } from '@/features/parts/cross-references/components/upload-dialog';
import { UPLOAD_DRAFT } from '@/features/parts/cross-references/model';
import { crossReferenceMutations } from '@/features/parts/cross-references/mutations';
import { crossReferencesQuery } from '@/features/parts/cross-references/queries';
import { ListsPanel } from '@/features/parts/list-upload/components/lists-panel';
import { countOf } from '@/lib/format';

type CrossReferencesPanelProps = {
  /** Whether the plan includes uploads. */
  inPlan: boolean;
  /** Whether the viewer may change what the shop shares; undefined until that is known. */
  mayChange: boolean | undefined;
};

export function CrossReferencesPanel({ inPlan, mayChange }: CrossReferencesPanelProps) {
  return (
    <ListsPanel
      inPlan={inPlan}
      mayChange={mayChange}
      offer="With Business you upload which part numbers mean one part."
      what="Cross-references"
      lists={useQuery(crossReferencesQuery())}
      advice="Upload which numbers mean one part. A number on a part then finds yours."
      facts={({ rows }) => <span>{countOf(rows, 'row')}</span>}
      question="Delete these cross-references?"
      consequence={({ name, rows }) =>
        `The ${countOf(rows, 'row')} of ${name} are no longer followed.`
      }
      mutations={crossReferenceMutations}
      draftKey={UPLOAD_DRAFT}
      dialog={(onClose) => <UploadDialog onClose={onClose} />}
    />
  );
}
