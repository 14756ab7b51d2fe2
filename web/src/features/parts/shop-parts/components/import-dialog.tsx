import { ChosenPartType } from '@/components/chosen-part-type';
import { FileField } from '@/components/file-field';
import { ImportDialog } from '@/components/file-import/import-dialog';
import { useFileImport } from '@/components/file-import/use-file-import';
import { PartSearchBox } from '@/components/part-search-box';
import { FORMATS, IMPORT_DRAFT, ROW_STATUS, summaryOf } from '@/features/parts/shop-parts/model';
import { shopPartMutations } from '@/features/parts/shop-parts/mutations';

type ImportPartsDialogProps = { onClose: () => void };

/** What is asked beside the file: the part type of the rows that name none. */
type Fields = { type: string | null };

export function ImportPartsDialog({ onClose }: ImportPartsDialogProps) {
  const flow = useFileImport<Fields, Awaited<ReturnType<typeof shopPartMutations.import>>>({
    draftKey: IMPORT_DRAFT,
    maxBytes: 10 * 1024 * 1024,
    initial: { type: null },
    open: true,
    onClose,
    send: ({ type, ...sent }) => shopPartMutations.import({ ...sent, label: type }),
    summaryOf,
  });
  const { report, fields } = flow;
  return (
    <ImportDialog
      open
      onClose={onClose}
      title="Import Parts"
      flow={flow}
      changes={report === undefined ? 0 : report.new + report.changed}
      formats={FORMATS}
      statuses={ROW_STATUS}
    >
      <FileField
        file={flow.file}
        label="Choose a CSV, ACES or PIES file, or drop it here"
        hint="At most 10 MB and 100,000 rows"
        accept=".csv,.xml,text/csv,text/plain,application/xml,text/xml"
        onFile={flow.choose}
      />
      <p className="text-xs text-muted">
        CSV columns: type, number, brand, name, price, currency, notes, make, model, year_from,
        year_to, fits and fitment_note. An export has them all.
      </p>
      {fields.type === null ? (
        <PartSearchBox
          label="Part type of rows that name none (optional)"
          placeholder="Spark plug"
          typesOnly
          onChoose={({ label }) => flow.change({ type: label })}
        />
      ) : (
        <ChosenPartType
          label={fields.type}
          lead="Rows without a type are:"
          dropLabel="Change"
          onDrop={() => flow.change({ type: null })}
        />
      )}
    </ImportDialog>
  );
}
