import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { FileField } from '@/components/file-field';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import { VehicleOptions } from '@/components/vehicle-options';
import { ImportReport } from '@/features/garage/records-csv/components/import-report';
import {
  fileFault,
  IMPORT_DRAFT,
  KINDS,
  summaryOf,
  type Kind,
} from '@/features/garage/records-csv/model';
import { csvMutations, type ImportRequest } from '@/features/garage/records-csv/mutations';
import { useFileDraft, useKeptFile } from '@/hooks/use-file-draft';

type ImportDialogProps = { vehicles: Schemas['Vehicle'][]; open: boolean; onClose: () => void };

/** What is kept beside the file over a session that ended. */
type ImportDraft = { kind: Kind; vehicleId: string };

/** A file is looked at first; only what its report shows is then imported. */
export function ImportDialog({ vehicles, open, onClose }: ImportDialogProps) {
  const toast = useToast();
  const [file, setFile] = useState<File | null>(null);
  const { draft, kept, endSession } = useFileDraft<ImportDraft>(IMPORT_DRAFT);
  const [kind, setKind] = useState<Kind>(kept.kind ?? 'oil-changes');
  const [vehicleId, setVehicleId] = useState(
    kept.vehicleId ?? vehicles.find(({ isDefault }) => isDefault)?.id ?? '',
  );
  const [fault, setFault] = useState<string | null>(null);
  const check = useMutation({ mutationFn: csvMutations.import });
  const run = useMutation({ mutationFn: csvMutations.import });
  const report = check.data;

  const fail = (error: Error, sent: ImportRequest) => {
    if (isSignedOut(error)) {
      endSession({ kind: sent.kind, vehicleId: sent.vehicleId ?? vehicleId }, sent.file);
    } else setFault(sentenceOf(error, 'The file could not be read. Please try again.'));
  };
  const requestOf = (changes: Partial<ImportRequest>, chosen: File): ImportRequest => ({
    kind,
    file: chosen,
    vehicleId: kind === 'vehicles' || vehicleId === '' ? null : vehicleId,
    dryRun: true,
    ...changes,
  });
  const look = (chosen: File | null, changes: Partial<ImportRequest> = {}) => {
    setFile(chosen);
    check.reset();
    if (chosen === null) return;
    const wrong = fileFault(chosen);
    setFault(wrong);
    if (wrong === null) check.mutate(requestOf(changes, chosen), { onError: fail });
  };
  useKeptFile(draft, open ? file : null, (found) => look(found));
  const importNow = () => {
    if (file === null) return;
    setFault(null);
    run.mutate(requestOf({ dryRun: false }, file), {
      onSuccess: (result) => {
        toast({ title: 'Import finished', description: summaryOf(result) });
        onClose();
      },
      onError: fail,
    });
  };

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Import a File"
      description="First you see what each row would do. Nothing is saved before you say so."
      className="max-w-2xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={
              report === undefined || report.errors > 0 || report.new === 0 || run.isPending
            }
            onClick={importNow}
          >
            {run.isPending
              ? 'Importing...'
              : report === undefined || report.new === 0
                ? 'Import'
                : `Import ${report.new} ${report.new === 1 ? 'Row' : 'Rows'}`}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="What the file holds"
            value={kind}
            onChange={(event) => {
              const next = KINDS.find((other) => other.kind === event.target.value)?.kind ?? kind;
              setKind(next);
              look(file, {
                kind: next,
                vehicleId: next === 'vehicles' || vehicleId === '' ? null : vehicleId,
              });
            }}
          >
            {KINDS.map((other) => (
              <option key={other.kind} value={other.kind}>
                {other.label}
              </option>
            ))}
          </SelectField>
          {kind !== 'vehicles' && vehicles.length > 0 && (
            <SelectField
              label="Rows without a vehicle are for"
              value={vehicleId}
              onChange={(event) => {
                setVehicleId(event.target.value);
                look(file, { vehicleId: event.target.value });
              }}
            >
              <VehicleOptions vehicles={vehicles} />
            </SelectField>
          )}
        </div>
        <FileField
          file={file}
          label="Choose a CSV file, or drop it here"
          hint="At most 5 MB and 10,000 rows"
          accept=".csv,text/csv,text/plain"
          onFile={(chosen) => look(chosen)}
        />
        <FormAlert refusal={fault === null ? null : { message: fault }} />
        {check.isPending && (
          <p role="status" className="text-sm text-muted">
            Reading the file...
          </p>
        )}
        {report !== undefined && <ImportReport result={report} />}
      </div>
    </Dialog>
  );
}
