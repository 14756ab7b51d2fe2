import type { Schemas } from '@/api/client';
import { FileField } from '@/components/file-field';
import { ImportDialog } from '@/components/file-import/import-dialog';
import { useFileImport } from '@/components/file-import/use-file-import';
import { SelectField } from '@/components/ui/select-field';
import { VehicleSelect } from '@/components/vehicle-select';
import {
  DATE_ORDERS,
  FORMATS,
  IMPORT_DRAFT,
  KINDS,
  STATUSES,
  summaryOf,
  type DateOrder,
  type Kind,
} from '@/features/garage/records-csv/model';
import { csvMutations } from '@/features/garage/records-csv/mutations';

type ImportRecordsDialogProps = {
  vehicles: Schemas['Vehicle'][];
  open: boolean;
  onClose: () => void;
};

/** What is asked beside the file; the vehicle is that of the rows that name none. Without an order the server guesses. */
type Fields = { kind: Kind; vehicleId: string; dateOrder: DateOrder | '' };

export function ImportRecordsDialog({ vehicles, open, onClose }: ImportRecordsDialogProps) {
  const flow = useFileImport<Fields, Schemas['ImportResult']>({
    draftKey: IMPORT_DRAFT,
    maxBytes: 5 * 1024 * 1024,
    initial: {
      kind: 'oil-changes',
      vehicleId: vehicles.find(({ isDefault }) => isDefault)?.id ?? '',
      dateOrder: '',
    },
    open,
    onClose,
    send: ({ vehicleId, dateOrder, ...sent }) =>
      csvMutations.import({
        ...sent,
        dateOrder: dateOrder === '' ? null : dateOrder,
        vehicleId: sent.kind === 'vehicles' || vehicleId === '' ? null : vehicleId,
      }),
    summaryOf,
  });
  const { report, fields } = flow;
  // Asked where the file leaves it open; the answer stays in view while the file is read again.
  const dateOrder = fields.dateOrder || report?.dateOrder;
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
          options={KINDS}
          onChange={(event) => flow.change({ kind: event.target.value as Kind })}
        />
        {fields.kind !== 'vehicles' && vehicles.length > 0 && (
          <VehicleSelect
            vehicles={vehicles}
            label="Vehicle for rows that name none"
            value={fields.vehicleId}
            onChange={(event) => flow.change({ vehicleId: event.target.value })}
          />
        )}
        {dateOrder != null && (
          <SelectField
            label="Dates in the file"
            value={dateOrder}
            options={DATE_ORDERS}
            onChange={(event) => flow.change({ dateOrder: event.target.value as DateOrder })}
          />
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
