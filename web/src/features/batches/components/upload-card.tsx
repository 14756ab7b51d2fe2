import { FolderOpen, Images } from 'lucide-react';
import { useRef, useState, type ChangeEvent, type DragEvent, type RefObject } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Notice } from '@/components/ui/notice';
import { ProgressBar } from '@/components/ui/progress-bar';
import { serverPaths } from '@/config/paths';
import { ServerFolderButton } from '@/features/batches/components/server-folder';
import { filesOf } from '@/features/batches/dropped-files';
import { useUpload } from '@/features/batches/use-upload';
import { useFocusHeir } from '@/hooks/use-focus-heir';
import { classNames } from '@/lib/class-names';
import { countOf } from '@/lib/format';

/** Takes photos for a batch: dropped, chosen one by one, a folder, or a zip. */
export function UploadCard({ batchId }: { batchId: string }) {
  const upload = useUpload(batchId);
  const { phase, total, sent, leftOut, unread, known, duplicates, seenBefore, ...stopped } =
    upload.state;
  const { refused, problem, signedOutAt } = stopped;
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLButtonElement>(null);
  const [over, setOver] = useState(false);
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    upload.add([...(event.target.files ?? [])]);
    // The same folder can be chosen again.
    event.target.value = '';
  };
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const { files: dropped, unread: unreadable } = await filesOf(event.dataTransfer);
    upload.add(dropped, unreadable);
  };
  return (
    <Card aria-label="Add photos" className="grid grid-cols-1 gap-3">
      <div
        className={classNames(
          'flex flex-wrap items-center justify-center gap-3 rounded-lg border border-dashed p-5 text-sm text-soft',
          over && 'border-accent bg-accent-wash',
        )}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <p className="pointer-coarse:hidden">Drop photos, a folder or a zip here, or</p>
        <Button ref={chooser} size="small" onClick={() => files.current?.click()}>
          <Images className="size-4" aria-hidden />
          Choose Photos
        </Button>
        <Button size="small" onClick={() => folder.current?.click()}>
          <FolderOpen className="size-4" aria-hidden />
          Choose a Folder
        </Button>
        <ServerFolderButton batchId={batchId} />
        <input
          ref={files}
          type="file"
          multiple
          accept="image/*,.heic,.heif,.zip"
          aria-label="Photos or a zip"
          className="sr-only"
          tabIndex={-1}
          onChange={choose}
        />
        <input
          ref={folder}
          type="file"
          multiple
          {...{ webkitdirectory: '' }}
          aria-label="A folder of photos"
          className="sr-only"
          tabIndex={-1}
          onChange={choose}
        />
      </div>
      {total > 0 && (
        <div className="flex flex-wrap items-center gap-3 text-sm">
          <ProgressBar
            className="min-w-40 flex-1"
            aria-label="Files sent"
            value={sent}
            max={total}
          />
          <p role="status">
            {sent} of {countOf(total, 'file')} sent
          </p>
          {(phase === 'sending' || phase === 'paused') && (
            <UploadSwitch
              label={phase === 'sending' ? 'Pause' : 'Resume'}
              onPress={phase === 'sending' ? upload.pause : upload.resume}
              heir={chooser}
            />
          )}
        </div>
      )}
      <div role="alert" className="grid grid-cols-1 gap-3 empty:hidden">
        {problem !== null && (
          <Notice tone="bad" title="The upload stopped">
            {problem}
          </Notice>
        )}
        {signedOutAt !== null && (
          <Notice
            tone="bad"
            title="Your session has ended"
            action={
              <Button asChild size="small">
                <a href={serverPaths.signIn} target="_blank" rel="noreferrer">
                  Sign In in Another Tab
                </a>
              </Button>
            }
          >
            Sign in in another tab: the upload goes on when you come back to this one.
          </Notice>
        )}
        {refused.map(({ name, reason }, index) => (
          <Notice key={index} tone="bad" title={`${name} was not taken`}>
            {reason}
          </Notice>
        ))}
        {unread.length > 0 && <Unread names={unread} />}
      </div>
      <div role="status" className="grid grid-cols-1 gap-3 text-sm text-muted empty:hidden">
        {seenBefore > 0 && (
          <Notice tone="warn" title="Sent before">
            {countOf(seenBefore, 'photo')} of these {seenBefore === 1 ? 'is' : 'are'} in another
            batch of yours. If it is the same pallet, delete one of the two batches before you start
            this one.
          </Notice>
        )}
        {known > 0 && (
          <p>
            {countOf(known, 'photo')} {known === 1 ? 'was' : 'were'} in the batch already.
          </p>
        )}
        {duplicates > 0 && (
          <p>
            {countOf(duplicates, 'photo')} {duplicates === 1 ? 'is' : 'are'} the same as another of
            the batch.
          </p>
        )}
        {leftOut > 0 && (
          <p>
            {countOf(leftOut, 'file')} left out: {leftOut === 1 ? 'no photo' : 'no photos'} of a
            kind that can be read.
          </p>
        )}
      </div>
    </Card>
  );
}

/** Files and folders that the browser cannot read: one notice, as there may be thousands. */
function Unread({ names }: { names: string[] }) {
  const [first] = names;
  const isOne = names.length === 1;
  const title = isOne
    ? `${first} was not taken`
    : `${first} and ${names.length - 1} more were not taken`;
  return (
    <Notice tone="bad" title={title}>
      The browser cannot read {isOne ? 'it' : 'them'}. If {isOne ? 'it was' : 'they were'} moved or
      changed, choose {isOne ? 'it' : 'them'} again.
    </Notice>
  );
}

type UploadSwitchProps = {
  label: string;
  onPress: () => void;
  /** What has the focus when the upload is over and the switch goes. */
  heir: RefObject<HTMLButtonElement | null>;
};

/** Pauses and resumes: one button, which keeps the focus. */
function UploadSwitch({ label, onPress, heir }: UploadSwitchProps) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusHeir(button, () => heir.current);
  return (
    // The second click of two on Resume would pause.
    <Button ref={button} size="small" onClick={({ detail }) => detail < 2 && onPress()}>
      {label}
    </Button>
  );
}
