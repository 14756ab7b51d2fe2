import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import { FileField } from '@/components/file-field';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import { ColumnMapping } from '@/features/parts/price-lists/components/column-mapping';
import { UploadReport } from '@/features/parts/price-lists/components/upload-report';
import {
  EMPTY_PRICE_LIST,
  headersOf,
  LIST_FIELDS,
  summaryOf,
  UPLOAD_DRAFT,
  uploadFault,
  type PriceListForm,
} from '@/features/parts/price-lists/model';
import { priceListMutations } from '@/features/parts/price-lists/mutations';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useFileDraft, useKeptFile } from '@/hooks/use-file-draft';

/** Enough of a file to hold its first row. */
const HEAD_BYTES = 64 * 1024;

/** What is kept beside the file over a session that ended. */
type UploadDraft = { form: PriceListForm; mapping: Record<string, string>; skipErrors: boolean };

type UploadDialogProps = { onClose: () => void };

/** A list is checked first; only what the report shows is then uploaded. */
export function UploadDialog({ onClose }: UploadDialogProps) {
  const formId = useId();
  const skipId = useId();
  const toast = useToast();
  const [file, setFile] = useState<File | null>(null);
  const { draft, kept, endSession } = useFileDraft<UploadDraft>(UPLOAD_DRAFT);
  const [form, setForm] = useState<PriceListForm>(kept.form ?? EMPTY_PRICE_LIST);
  useUnsavedWork(JSON.stringify(form) !== JSON.stringify(EMPTY_PRICE_LIST));
  const [head, setHead] = useState('');
  const [mapping, setMapping] = useState<Record<string, string>>(kept.mapping ?? {});
  const [skipErrors, setSkipErrors] = useState(kept.skipErrors ?? false);
  const [fault, setFault] = useState<string | null>(null);
  const check = useMutation({ mutationFn: priceListMutations.upload });
  const run = useMutation({ mutationFn: priceListMutations.upload });
  const report = check.data;
  const busy = check.isPending || run.isPending;

  // A report is about exactly what was checked.
  const outdate = () => {
    check.reset();
    setFault(null);
  };
  const bind = (name: keyof PriceListForm) => ({
    value: form[name],
    onChange: (event: { target: { value: string } }) => {
      setForm({ ...form, [name]: event.target.value });
      outdate();
    },
  });
  const read = async (chosen: File) => {
    setFile(chosen);
    outdate();
    const bytes = await chosen.slice(0, HEAD_BYTES).arrayBuffer();
    setHead(new TextDecoder().decode(bytes));
  };
  useKeptFile(draft, file, (found) => {
    void read(found);
  });
  const take = (chosen: File) => {
    // Another file has columns of its own; one that was kept comes with its mapping.
    setMapping({});
    void read(chosen);
  };
  const send = (dryRun: boolean) => {
    const wrong = uploadFault(form, file);
    setFault(wrong);
    if (wrong !== null || file === null || busy) return;
    const request = { form, mapping, file, dryRun, skipErrors };
    const onError = (error: Error) => {
      if (isSignedOut(error)) endSession({ form, mapping, skipErrors }, file);
      else setFault(sentenceOf(error, 'The list could not be read. Please try again.'));
    };
    if (dryRun) {
      check.mutate(request, { onError });
      return;
    }
    run.mutate(request, {
      onSuccess: (result) => {
        toast({
          title: result.replaced ? 'Price list replaced' : 'Price list uploaded',
          description: summaryOf(result),
        });
        onClose();
      },
      onError,
    });
  };
  const ready = report !== undefined && report.accepted > 0 && (report.errors === 0 || skipErrors);

  return (
    <Dialog
      open
      onClose={onClose}
      title="Upload a Price List"
      description="It is checked first. A list of the same name is replaced."
      className="max-w-2xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} disabled={busy}>
            {check.isPending ? 'Checking...' : 'Check the List'}
          </Button>
          <Button look="primary" disabled={busy || !ready} onClick={() => send(false)}>
            {run.isPending ? 'Uploading...' : 'Upload'}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        aria-label="Price list"
        className="grid grid-cols-1 gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          send(true);
        }}
      >
        <FileField
          file={file}
          label="Choose a CSV file, or drop it here"
          hint="At most 100 MB and 1,000,000 rows"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          onFile={take}
        />
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Field label="Supplier" required maxLength={100} {...bind('supplier')} />
          <Field
            label="Name of the list"
            placeholder="The supplier's"
            maxLength={100}
            {...bind('name')}
          />
          <Field
            label="Currency"
            hint="For rows that name none, such as USD or EUR"
            maxLength={3}
            {...bind('currency')}
          />
          <Field label="Phone" type="tel" {...bind('phone')} />
        </div>
        <details className="rounded-md border p-3">
          <summary className="cursor-pointer text-sm font-medium">More about the supplier</summary>
          <div className="mt-3 grid gap-4">
            <Field label="Website" type="url" {...bind('website')} />
            <Field
              label="Address of a part"
              hint="With places for {number}, {part}, {label}, {year}, {make} and {model}"
              placeholder="https://lee.example/search?q={number}"
              {...bind('urlTemplate')}
            />
            <Field label="Shipping" maxLength={200} {...bind('shippingInfo')} />
          </div>
        </details>
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <SelectField label="Columns are separated by" {...bind('delimiter')}>
            <option value="">Found automatically</option>
            <option value="comma">Comma</option>
            <option value="semicolon">Semicolon</option>
            <option value="tab">Tab</option>
          </SelectField>
          <SelectField label="Decimals come after" {...bind('decimalSign')}>
            <option value="">Found automatically</option>
            <option value="point">Point</option>
            <option value="comma">Comma</option>
          </SelectField>
        </div>
        {file !== null && (
          <ColumnMapping
            fields={LIST_FIELDS}
            headers={headersOf(head, form.delimiter)}
            mapping={mapping}
            onChange={(next) => {
              setMapping(next);
              outdate();
            }}
          />
        )}
        <FormAlert refusal={fault === null ? null : { message: fault }} />
        {report !== undefined && <UploadReport report={report} />}
        {report !== undefined && report.errors > 0 && (
          <label htmlFor={skipId} className="flex items-start gap-3 text-sm">
            <input
              id={skipId}
              type="checkbox"
              checked={skipErrors}
              onChange={(event) => setSkipErrors(event.target.checked)}
              className="mt-0.5 size-5 shrink-0 accent-accent"
            />
            Leave out the rows with errors. Otherwise mend them in the file and choose it again.
          </label>
        )}
      </form>
    </Dialog>
  );
}
