import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import { ChosenPartType } from '@/components/chosen-part-type';
import { FileField } from '@/components/file-field';
import { FormAlert } from '@/components/form-alert';
import { PartSearchBox } from '@/components/part-search-box';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useToast } from '@/components/ui/use-toast';
import { ImportReport } from '@/features/parts/shop-parts/components/import-report';
import { fileFault, IMPORT_DRAFT, summaryOf } from '@/features/parts/shop-parts/model';
import { shopPartMutations } from '@/features/parts/shop-parts/mutations';
import { useFileDraft, useKeptFile } from '@/hooks/use-file-draft';

type ImportDialogProps = { onClose: () => void };

/** What is kept beside the file over a session that ended. */
type ImportDraft = { type: string | null };

/** A file is looked at first; only what its report shows is then imported. */
export function ImportDialog({ onClose }: ImportDialogProps) {
  const toast = useToast();
  const [file, setFile] = useState<File | null>(null);
  const { draft, kept, endSession } = useFileDraft<ImportDraft>(IMPORT_DRAFT);
  const [type, setType] = useState(kept.type ?? null);
  const [fault, setFault] = useState<string | null>(null);
  const check = useMutation({ mutationFn: shopPartMutations.import });
  const run = useMutation({ mutationFn: shopPartMutations.import });
  const report = check.data;
  const changes = report === undefined ? 0 : report.new + report.changed;

  const fail = (error: Error, sent: { file: File; label: string | null }) => {
    if (isSignedOut(error)) endSession({ type: sent.label }, sent.file);
    else setFault(sentenceOf(error, 'The file could not be read. Please try again.'));
  };
  const look = (chosen: File | null, label: string | null) => {
    setFile(chosen);
    check.reset();
    if (chosen === null) return;
    const wrong = fileFault(chosen);
    setFault(wrong);
    if (wrong === null) check.mutate({ file: chosen, label, dryRun: true }, { onError: fail });
  };
  useKeptFile(draft, file, (found) => look(found, type));
  const choose = (chosen: string | null) => {
    setType(chosen);
    look(file, chosen);
  };
  const importNow = () => {
    if (file === null) return;
    setFault(null);
    run.mutate(
      { file, label: type, dryRun: false },
      {
        onSuccess: (result) => {
          toast({ title: 'Import finished', description: summaryOf(result) });
          onClose();
        },
        onError: fail,
      },
    );
  };

  return (
    <Dialog
      open
      onClose={onClose}
      title="Import Parts"
      description="First you see what each row would do. Nothing is saved before you say so."
      className="max-w-2xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={run.isPending || changes === 0 || (report?.errors ?? 0) > 0}
            onClick={importNow}
          >
            {run.isPending ? 'Importing...' : 'Import'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <FileField
          file={file}
          label="Choose a CSV, ACES or PIES file, or drop it here"
          hint="At most 5 MB and 10,000 rows"
          accept=".csv,.xml,text/csv,text/plain,application/xml,text/xml"
          onFile={(chosen) => look(chosen, type)}
        />
        <p className="text-xs text-muted">
          CSV columns: type, number, brand, name, price, currency, notes, make, model, year_from,
          year_to, fits and fitment_note. An export has them all.
        </p>
        {type === null ? (
          <PartSearchBox
            label="Part type of rows that name none (optional)"
            placeholder="Spark plug"
            typesOnly
            onChoose={({ label }) => choose(label)}
          />
        ) : (
          <ChosenPartType
            label={type}
            lead="Rows without a type are:"
            dropLabel="Change"
            onDrop={() => choose(null)}
          />
        )}
        <FormAlert refusal={fault === null ? null : { message: fault }} />
        {check.isPending && (
          <p role="status" className="text-sm text-muted">
            Reading the file...
          </p>
        )}
        {report !== undefined && <ImportReport report={report} />}
      </div>
    </Dialog>
  );
}
