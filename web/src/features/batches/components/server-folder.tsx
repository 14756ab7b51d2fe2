import { useMutation, useQuery } from '@tanstack/react-query';
import { CornerLeftUp, Folder, Server } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { settingsQuery } from '@/api/settings';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useToast } from '@/components/ui/use-toast';
import { addFolder, batchMutations } from '@/features/batches/mutations';
import { batchQueries } from '@/features/batches/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { countOf } from '@/lib/format';

/** Opens the folders of the server, where it has any for batches. */
export function ServerFolderButton({ batchId }: { batchId: string }) {
  const settings = useQuery(settingsQuery());
  const [open, setOpen] = useState(false);
  if (settings.data?.batchFolders !== true) return null;
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        <Server className="size-4" aria-hidden />
        Folder of the Server
      </Button>
      {open && <ServerFolderDialog batchId={batchId} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Chooses a folder of the server, adds its photos to a batch, and starts it. */
function ServerFolderDialog({ batchId, onClose }: { batchId: string; onClose: () => void }) {
  const [path, setPath] = useState('');
  const here = useRef<HTMLParagraphElement>(null);
  const folder = useQuery(batchQueries.folder(path));
  const toast = useToast();
  const fail = useFailureToast();
  const add = useMutation({
    mutationFn: async ({ start }: { start: boolean }) => {
      const report = await addFolder(batchId, path);
      if (start) await batchMutations.start(batchId);
      return report;
    },
    onSuccess: ({ added, known, duplicates, seenBefore, leftOut }) => {
      const parts = [
        known > 0 && `${countOf(known, 'photo')} there already`,
        duplicates > 0 && `${duplicates} the same as another`,
        seenBefore > 0 && `${seenBefore} in another batch of yours too`,
        leftOut > 0 && `${countOf(leftOut, 'file')} left out`,
      ].filter((part) => part !== false);
      toast({ title: `${countOf(added, 'photo')} added`, description: parts.join(', ') });
      onClose();
    },
    onError: (error) => fail(error, 'The folder could not be added. Please try again.'),
  });
  const go = (to: string) => {
    setPath(to);
    // The button that was pressed goes with the list that it stood in.
    here.current?.focus();
  };
  const { folders = [], photos = 0 } = folder.data ?? {};
  const isEmpty = add.isPending || !folder.isSuccess || photos === 0;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Folder of the Server"
      description="Its photos are added with those of all folders in it. Added again, only new ones are."
      footer={
        <>
          <Button disabled={isEmpty} onClick={() => add.mutate({ start: false })}>
            Add
          </Button>
          <Button look="primary" disabled={isEmpty} onClick={() => add.mutate({ start: true })}>
            {add.isPending ? 'Adding the photos...' : 'Add and Start'}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-3">
        <p ref={here} tabIndex={-1} role="status" className="text-sm">
          <bdi className="font-medium wrap-anywhere">{path === '' ? 'All folders' : path}</bdi>
          {folder.isSuccess && `: ${countOf(photos, 'photo')}`}
        </p>
        <QueryState query={folder} what="The folder" label="Loading the folder" />
        <ul className="max-h-72 divide-y overflow-y-auto rounded-lg border empty:hidden">
          {path !== '' && (
            <li>
              <FolderButton onClick={() => go(path.split('/').slice(0, -1).join('/'))}>
                <CornerLeftUp className="size-4 shrink-0 text-muted" aria-hidden />
                One folder up
              </FolderButton>
            </li>
          )}
          {folders.map((name) => (
            <li key={name}>
              <FolderButton onClick={() => go(path === '' ? name : `${path}/${name}`)}>
                <Folder className="size-4 shrink-0 text-muted" aria-hidden />
                <bdi className="wrap-anywhere">{name}</bdi>
              </FolderButton>
            </li>
          ))}
        </ul>
        {folder.isSuccess && photos === 0 && (
          <p className="text-sm text-muted">There are no photos in this folder.</p>
        )}
      </div>
    </Dialog>
  );
}

type FolderButtonProps = { onClick: () => void; children: ReactNode };

function FolderButton({ onClick, children }: FolderButtonProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex min-h-11 w-full items-center gap-3 px-3 py-2 text-left text-sm hover:bg-hover"
    >
      {children}
    </button>
  );
}
