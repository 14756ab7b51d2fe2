import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import { fileFault } from '@/components/file-import/model';
import { useToast } from '@/components/ui/use-toast';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useFileDraft, useKeptFile } from '@/hooks/use-file-draft';
import { useIsShown } from '@/hooks/use-is-shown';

type FileImportOptions<Fields, Report> = {
  /** Where this browser keeps an import that waits for somebody to sign in. */
  draftKey: string;
  /** Largest file that the server reads. */
  maxBytes: number;
  /** What is asked beside the file, as it is at first. */
  initial: Fields;
  open: boolean;
  onClose: () => void;
  /** Sends a file; a dry run only says what an import would do. */
  send: (request: Fields & { file: File; dryRun: boolean }) => Promise<Report>;
  summaryOf: (report: Report) => string;
};

const FALLBACK = 'The file could not be read. Please try again.';

/** What the dialog shows of an import. */
export type FileImport<Report> = Pick<
  ReturnType<typeof useFileImport<object, Report>>,
  'report' | 'fault' | 'summaryOf' | 'isReading' | 'isImporting' | 'importNow'
>;

/** An import: the file is looked at first, and again with other fields; then what the report shows is imported. */
export function useFileImport<Fields extends object, Report>({
  draftKey,
  maxBytes,
  initial,
  open,
  onClose,
  send,
  summaryOf,
}: FileImportOptions<Fields, Report>) {
  const toast = useToast();
  const { draft, kept, endSession } = useFileDraft<Fields>(draftKey);
  const [fields, setFields] = useState<Fields>({ ...initial, ...kept });
  const [file, setFile] = useState<File | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const check = useMutation({ mutationFn: send });
  const isShown = useIsShown(open);
  const tell = useFailureToast();
  const fail = (error: Error, asked: Fields, sent: File) => {
    if (isSignedOut(error)) endSession(asked, sent);
    else setFault(sentenceOf(error, FALLBACK));
  };
  const run = useMutation({
    mutationFn: send,
    onSuccess: (report) => {
      toast({ title: 'Import finished', description: summaryOf(report) });
      onClose();
    },
    onError: (error, sent) => {
      fail(error, fields, sent.file);
      // Whoever left meanwhile sees no dialog that could say it.
      if (!isShown.current && !isSignedOut(error)) tell(error, FALLBACK);
    },
  });

  const look = (chosen: File | null, asked = fields) => {
    setFile(chosen);
    setFields(asked);
    check.reset();
    if (chosen === null) return;
    const wrong = fileFault(chosen, maxBytes);
    setFault(wrong);
    if (wrong !== null) return;
    check.mutate(
      { ...asked, file: chosen, dryRun: true },
      { onError: (error) => fail(error, asked, chosen) },
    );
  };
  useKeptFile(draft, open ? file : null, (found) => look(found));

  return {
    file,
    fields,
    fault,
    report: check.data,
    summaryOf,
    isReading: check.isPending,
    isImporting: run.isPending,
    choose: (chosen: File) => look(chosen),
    change: (changes: Partial<Fields>) => look(file, { ...fields, ...changes }),
    importNow: () => {
      if (file === null) return;
      setFault(null);
      run.mutate({ ...fields, file, dryRun: false });
    },
  };
}
