import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import { isAbort } from '@/api/client';
import { settingsQuery } from '@/api/settings';
import { FileField } from '@/components/file-field';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { FolderDialog } from '@/features/batches/components/folder-dialog';
import { MAX_ZIP_BYTES } from '@/features/evaluations/model';
import { evaluateZip, evaluationMutations } from '@/features/evaluations/mutations';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useLeaveGuard } from '@/hooks/use-leave-guard';
import { useOneAtATime } from '@/hooks/use-one-at-a-time';
import { useSessionEnd } from '@/hooks/use-session-end';

const TOO_LARGE = 'The zip is larger than 2 GB. Please leave some photos out.';

/** Takes labelled photos: a zip, or a folder of the server where it opens any. */
export function NewEvaluation() {
  const [zip, setZip] = useState<File | null>(null);
  const [choosing, setChoosing] = useState(false);
  const settings = useQuery(settingsQuery());
  const queryClient = useQueryClient();
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const endSession = useSessionEnd();
  const onError = (error: Error) => {
    if (isSignedOut(error)) endSession();
  };
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['evaluations'] });
  const send = useMutation({
    mutationFn: async ({ file, signal }: { file: File; signal: AbortSignal }) => {
      if (file.size > MAX_ZIP_BYTES) throw new Error(TOO_LARGE);
      return evaluateZip(file, signal);
    },
    onSuccess: refresh,
    onError,
    onSettled: () => {
      stop.current = null;
    },
  });
  const start = useOneAtATime();
  const ofFolder = useMutation({
    mutationFn: evaluationMutations.ofFolder,
    onSuccess: () => {
      setChoosing(false);
      return refresh();
    },
    onError,
  });
  useUnsavedWork(send.isPending);
  useLeaveGuard(send.isPending);
  const failure = send.error ?? ofFolder.error;
  const problem =
    failure === null || isAbort(failure) || isSignedOut(failure)
      ? null
      : failure.message === TOO_LARGE
        ? TOO_LARGE
        : sentenceOf(failure, 'The photos could not be sent. Please try again.');
  return (
    <form
      aria-label="New evaluation"
      className="grid grid-cols-1 gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (zip === null || stop.current !== null) return;
        ofFolder.reset();
        // Set at once, before the button is drawn anew: a double click must not send the zip twice.
        stop.current = new AbortController();
        send.mutate({ file: zip, signal: stop.current.signal });
      }}
    >
      <FileField
        file={zip}
        label="Choose a zip of photos"
        hint="At most 5,000 photos and 2 GB"
        accept=".zip,application/zip"
        onFile={(file) => {
          // One that is on its way is not the one to measure any more.
          stop.current?.abort();
          send.reset();
          setZip(file);
        }}
      />
      <details className="text-sm text-muted">
        <summary className="w-fit cursor-pointer rounded-sm py-1 font-medium text-soft">
          How to label the photos
        </summary>
        <div className="mt-1 grid gap-2">
          <p>
            One folder for each type of part, named as in the catalog:{' '}
            <code>brake-caliper/1.jpg</code>. Photos in a folder <code>not-a-part</code>, and those
            of parts that the model does not know, show how often it answers where it should not.
          </p>
          <p>
            Or one list <code>labels.csv</code> beside the photos, with the columns{' '}
            <code>path</code> and <code>label</code>. Its other columns, such as the workshop, are
            compared with each other.
          </p>
        </div>
      </details>
      <FormAlert refusal={problem === null ? null : { message: problem }} />
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look="primary" disabled={zip === null || send.isPending}>
          {send.isPending ? 'Sending the photos...' : 'Measure'}
        </Button>
        {send.isPending && <Button onClick={() => stop.current?.abort()}>Stop</Button>}
        {settings.data?.batchFolders === true && !send.isPending && (
          <Button onClick={() => setChoosing(true)}>
            <Server className="size-4" aria-hidden />
            Folder of the Server
          </Button>
        )}
      </div>
      {choosing && (
        <FolderDialog
          description="With one folder for each type of part, or a list of labels."
          onClose={() => setChoosing(false)}
          footer={(path, isEmpty) => (
            <Button
              look="primary"
              disabled={isEmpty || ofFolder.isPending}
              onClick={() =>
                start(() => ofFolder.mutateAsync(path, { onError: () => setChoosing(false) }))
              }
            >
              {ofFolder.isPending ? 'Reading the photos...' : 'Measure'}
            </Button>
          )}
        />
      )}
    </form>
  );
}
