import { useMutation, useQuery } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import { useState } from 'react';
import { settingsQuery } from '@/api/settings';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import { FolderDialog } from '@/features/batches/components/folder-dialog';
import { addFolder, batchMutations } from '@/features/batches/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useOneAtATime } from '@/hooks/use-one-at-a-time';
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
  const toast = useToast();
  const fail = useFailureToast();
  const once = useOneAtATime();
  const add = useMutation({
    mutationFn: async ({ path, start }: { path: string; start: boolean }) => {
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
  return (
    <FolderDialog
      onClose={onClose}
      description="Its photos are added with those of all folders in it. Added again, only new ones are."
      footer={(path, isEmpty) => (
        <>
          <Button
            disabled={isEmpty || add.isPending}
            onClick={() => once(() => add.mutateAsync({ path, start: false }))}
          >
            Add
          </Button>
          <Button
            look="primary"
            disabled={isEmpty || add.isPending}
            onClick={() => once(() => add.mutateAsync({ path, start: true }))}
          >
            {add.isPending ? 'Adding the photos...' : 'Add and Start'}
          </Button>
        </>
      )}
    />
  );
}
