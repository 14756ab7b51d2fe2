import type { ReactNode } from 'react';
import { ImportReport } from '@/components/file-import/import-report';
import type { Report } from '@/components/file-import/model';
import type { FileImport } from '@/components/file-import/use-file-import';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import type { RowLook } from '@/components/row-table';

type ImportDialogProps<Found extends Report> = {
  open: boolean;
  onClose: () => void;
  title: string;
  flow: FileImport<Found>;
  /** How many rows would change something. */
  changes: number;
  importLabel?: string;
  formats: Record<string, string>;
  statuses: Record<string, RowLook>;
  /** The file, and what is asked beside it. */
  children: ReactNode;
};

export function ImportDialog<Found extends Report>({
  open,
  onClose,
  title,
  flow,
  changes,
  importLabel = 'Import',
  formats,
  statuses,
  children,
}: ImportDialogProps<Found>) {
  const { report, fault, summaryOf, isReading, isImporting, importNow } = flow;
  return (
    <Dialog
      open={open}
      busy={isImporting}
      onClose={onClose}
      title={title}
      description="First you see what each row would do. Nothing is saved before you say so."
      className="max-w-2xl"
      footer={
        <>
          <Button disabled={isImporting} onClick={onClose}>
            Cancel
          </Button>
          <Button
            look="primary"
            disabled={isImporting || changes === 0 || (report?.errors ?? 0) > 0}
            onClick={importNow}
          >
            {isImporting ? 'Importing...' : importLabel}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {children}
        <FormAlert refusal={fault === null ? null : { message: fault }} />
        {isReading && (
          <p role="status" className="text-sm text-muted">
            Reading the file...
          </p>
        )}
        {report !== undefined && (
          <ImportReport
            report={report}
            summary={summaryOf(report)}
            formats={formats}
            statuses={statuses}
          />
        )}
      </div>
    </Dialog>
  );
}
