import { useMutation } from '@tanstack/react-query';
import { useId, useRef, useState, type ReactNode } from 'react';
import { ApiError, isSignedOut, sentenceOf } from '@/api/api-error';
import { FileField } from '@/components/file-field';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import type { ListFault } from '@/features/parts/list-upload/fault';
import { DELIMITER, inWordsOfForm } from '@/features/parts/list-upload/field-names';
import type { ListUpload } from '@/features/parts/list-upload/form-data';
import { ColumnMapping } from '@/features/parts/price-lists/components/column-mapping';
import { headersOf } from '@/features/parts/price-lists/model';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useFileDraft, useKeptFile } from '@/hooks/use-file-draft';
import { useGuardedClose } from '@/hooks/use-guarded-close';
import { useIsShown } from '@/hooks/use-is-shown';
import { focusFirstField } from '@/lib/dialog-focus';

/** Enough of a file to hold its first row. */
const HEAD_BYTES = 64 * 1024;

type ListForm<Name extends string> = Record<Name | 'delimiter', string>;

/** What is kept beside the file over a session that ended. */
type UploadDraft<Form> = { form: Form; mapping: Record<string, string>; skipErrors: boolean };

type BoundField = {
  name: string;
  value: string;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
};

type ListUploadDialogProps<Name extends string, Report> = {
  title: string;
  description: string;
  /** What is uploaded: `Price list`. */
  what: string;
  /** What a file may hold. */
  hint: string;
  /** Where this browser keeps an upload that waits for somebody to sign in. */
  draftKey: string;
  empty: ListForm<Name>;
  /** What the columns of a file can hold, each with its name for people. */
  columns: [field: string, name: string][];
  /** Why a list cannot be sent; null where it can. */
  faultOf: (form: ListForm<Name>, file: File | null) => ListFault<Name> | null;
  upload: (request: ListUpload<ListForm<Name>>) => Promise<Report>;
  summaryOf: (report: Report) => string;
  report: (report: Report) => ReactNode;
  /** The fields of the form, each bound by its name. */
  children: (bind: (name: Name | 'delimiter') => BoundField) => ReactNode;
  onClose: () => void;
};

/** A list is checked first; only what the report shows is then uploaded. */
export function ListUploadDialog<
  Name extends string,
  Report extends { accepted: number; errors: number; replaced: boolean },
>({
  title,
  description,
  what,
  hint,
  draftKey,
  empty,
  columns,
  faultOf,
  upload,
  summaryOf,
  report: reportOf,
  children,
  onClose,
}: ListUploadDialogProps<Name, Report>) {
  const formId = useId();
  const skipId = useId();
  const toast = useToast();
  const [file, setFile] = useState<File | null>(null);
  const { draft, kept, endSession } = useFileDraft<UploadDraft<ListForm<Name>>>(draftKey);
  const [form, setForm] = useState<ListForm<Name>>(kept.form ?? empty);
  const isTyped = JSON.stringify(form) !== JSON.stringify(empty);
  useUnsavedWork(isTyped);
  const { close, question } = useGuardedClose(isTyped || file !== null, onClose);
  const [head, setHead] = useState('');
  const [mapping, setMapping] = useState<Record<string, string>>(kept.mapping ?? {});
  const [skipErrors, setSkipErrors] = useState(kept.skipErrors ?? false);
  const formElement = useRef<HTMLFormElement>(null);
  const [fault, setFault] = useState<ListFault<string> | null>(null);
  const errorAt = (name: string) => (fault?.field === name ? fault.message : undefined);
  /** Says what is wrong, at its field where it has one. */
  const show = (wrong: ListFault<string> | null) => {
    setFault(wrong);
    if (wrong !== null && wrong.field !== null) focusField(formElement.current, wrong.field);
  };
  const check = useMutation({ mutationFn: upload });
  const isShown = useIsShown();
  const fail = useFailureToast();
  const refuse = (error: Error, sent: ListUpload<ListForm<Name>>) => {
    const fallback = 'The list could not be read. Please try again.';
    if (isSignedOut(error)) endSession(keptOf(sent), sent.file);
    else if (isShown.current) {
      const named = error instanceof ApiError ? error.field : null;
      const field = named !== null && (named in form || named === 'file') ? named : null;
      show({ message: inWordsOfForm(sentenceOf(error, fallback)), field });
    }
    // Whoever left meanwhile sees no form that could say it.
    else fail(error, fallback);
  };
  const run = useMutation({
    mutationFn: upload,
    onSuccess: (result) => {
      toast({
        title: result.replaced ? `${what} replaced` : `${what} uploaded`,
        description: summaryOf(result),
      });
      onClose();
    },
    onError: refuse,
  });
  const report = check.data;
  const busy = check.isPending || run.isPending;

  // A report is about exactly what was checked.
  const outdate = () => {
    check.reset();
    setFault(null);
  };
  const bind = (name: Name | 'delimiter'): BoundField => ({
    name,
    value: form[name],
    error: errorAt(name),
    onChange: (event) => {
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
    const wrong = faultOf(form, file);
    show(wrong);
    if (wrong !== null || file === null || busy) return;
    const request = { form, mapping, file, dryRun, skipErrors };
    if (dryRun) check.mutate(request, { onError: refuse });
    else run.mutate(request);
  };
  const ready = report !== undefined && report.accepted > 0 && (report.errors === 0 || skipErrors);

  return (
    <>
      <Dialog
        open
        busy={run.isPending}
        onOpenAutoFocus={focusFirstField}
        onClose={close}
        title={title}
        description={description}
        className="max-w-2xl"
        footer={
          <>
            <Button disabled={run.isPending} onClick={onClose}>
              Cancel
            </Button>
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
          ref={formElement}
          id={formId}
          noValidate
          aria-label={what}
          className="grid grid-cols-1 gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            send(true);
          }}
        >
          <FileField
            name="file"
            file={file}
            error={errorAt('file')}
            label="Choose a CSV file, or drop it here"
            hint={hint}
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            onFile={take}
          />
          {children(bind)}
          {file !== null && (
            <ColumnMapping
              fields={columns}
              headers={headersOf(head, form.delimiter)}
              mapping={mapping}
              onChange={(next) => {
                setMapping(next);
                outdate();
              }}
            />
          )}
          <FormAlert refusal={fault?.field === null ? fault : null} />
          {report !== undefined && reportOf(report)}
          {report !== undefined && report.errors > 0 && (
            <label htmlFor={skipId} className="flex items-start gap-3 text-sm">
              <input
                id={skipId}
                type="checkbox"
                checked={skipErrors}
                onChange={(event) => setSkipErrors(event.target.checked)}
                className="mt-0.5 size-5 shrink-0 accent-accent"
              />
              Leave out the rows with errors. Otherwise correct them in the file and choose it
              again.
            </label>
          )}
        </form>
      </Dialog>
      {question}
    </>
  );
}

/** Moves to a field; one that is folded away is unfolded first. */
function focusField(form: HTMLFormElement | null, name: string): void {
  const field = form?.elements.namedItem(name);
  if (!(field instanceof HTMLElement)) return;
  field.closest('details')?.setAttribute('open', '');
  field.focus();
}

function keptOf<Form>({ form, mapping, skipErrors }: ListUpload<Form>): UploadDraft<Form> {
  return { form, mapping, skipErrors };
}

/** What parts the columns of a file. */
export function DelimiterField(field: BoundField) {
  return (
    <SelectField label={DELIMITER} {...field}>
      <option value="">Found automatically</option>
      <option value="comma">Comma</option>
      <option value="semicolon">Semicolon</option>
      <option value="tab">Tab</option>
    </SelectField>
  );
}
