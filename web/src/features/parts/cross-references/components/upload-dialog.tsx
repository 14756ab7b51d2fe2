import { Field } from '@/components/ui/field';
import { UploadReport } from '@/features/parts/cross-references/components/upload-report';
import {
  CROSS_REFERENCE_FIELDS,
  EMPTY_CROSS_REFERENCES,
  summaryOf,
  UPLOAD_DRAFT,
  uploadFault,
} from '@/features/parts/cross-references/model';
import { crossReferenceMutations } from '@/features/parts/cross-references/mutations';
import {
  DelimiterField,
  ListUploadDialog,
} from '@/features/parts/list-upload/components/list-upload-dialog';

type UploadDialogProps = { onClose: () => void };

export function UploadDialog({ onClose }: UploadDialogProps) {
  return (
    <ListUploadDialog
      title="Upload Cross-References"
      description="The list is checked first. One of the same name is replaced."
      what="Cross-references"
      hint="At most 100 MB and 1,000,000 rows: number, brand, equals or replaces, number, brand"
      draftKey={UPLOAD_DRAFT}
      empty={EMPTY_CROSS_REFERENCES}
      columns={CROSS_REFERENCE_FIELDS}
      faultOf={uploadFault}
      upload={crossReferenceMutations.upload}
      summaryOf={summaryOf}
      report={(report) => <UploadReport report={report} />}
      onClose={onClose}
    >
      {(bind) => (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Field label="Name of the list" required maxLength={100} {...bind('name')} />
          <DelimiterField {...bind('delimiter')} />
        </div>
      )}
    </ListUploadDialog>
  );
}
