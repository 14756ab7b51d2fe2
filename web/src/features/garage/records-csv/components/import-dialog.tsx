import type { Schemas } from '@/api/client';
import { FileField } from '@/components/file-field';
import { ImportDialog } from '@/components/file-import/import-dialog';
import { useFileImport } from '@/components/file-import/use-file-import';
import { SelectField } from '@/components/ui/select-field';
import { VehicleOptions } from '@/components/vehicle-options';
import {
  FORMATS,
  IMPORT_DRAFT,
  KINDS,
  STATUSES,
  summaryOf,
  type Kind,
} from '@/features/garage/records-csv/model';
import { csvMutations } from '@/features/garage/records-csv/mutations';

type ImportRecordsDialogProps = {
  vehicles: Schemas['Vehicle'][];
  open: boolean;
  onClose: () => void;
};

/** What is asked beside the file; the vehicle is that of the rows that name none. */
type Fields = { kind: Kind; vehicleId: string };

export function ImportRecordsDialog({ vehicles, open, onClose }: ImportRecordsDialogProps) {
  const flow = useFileImport<Fields, Schemas['ImportResult']>({
    draftKey: IMPORT_DRAFT,
    maxBytes: 5 * 1024 * 1024,
    initial: {
      kind: 'oil-changes',
      vehicleId: vehicles.find(({ isDefault }) => isDefault)?.id ?? '',
    },
    open,
    onClose,
    send: ({ vehicleId, ...sent }) =>
      csvMutations.import({
        ...sent,
        vehicleId: sent.kind === 'vehicles' || vehicleId === '' ? null : vehicleId,
      }),
    summaryOf,
  });
  const { report, fields } = flow;
  const added = report?.new ?? 0;
  return (
    <ImportDialog
      open={open}
      onClose={onClose}
      title="Import a File"
      flow={flow}
      changes={added}
      importLabel={added === 0 ? 'Import' : `Import ${added} ${added === 1 ? 'Row' : 'Rows'}`}
      formats={FORMATS}
      statuses={STATUSES}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="What the file holds"
          value={fields.kind}
          onChange={(event) => {
            const chosen = KINDS.find(({ kind }) => kind === event.target.value);
            flow.change({ kind: chosen?.kind ?? fields.kind });
          }}
        >
          {KINDS.map(({ kind, label }) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </SelectField>
        {fields.kind !== 'vehicles' && vehicles.length > 0 && (
          <SelectField
            label="Vehicle for rows that name none"
            value={fields.vehicleId}
            onChange={(event) => flow.change({ vehicleId: event.target.value })}
          >
            <VehicleOptions vehicles={vehicles} />
          </SelectField>
        )}
      </div>
      <FileField
        file={flow.file}
        label="Choose a CSV file, or drop it here"
        hint="At most 5 MB and 10,000 rows"
        accept=".csv,text/csv,text/plain"
        onFile={flow.choose}
      />
    </ImportDialog>
  );
}
