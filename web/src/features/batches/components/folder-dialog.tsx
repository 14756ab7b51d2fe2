import { useQuery } from '@tanstack/react-query';
import { CornerLeftUp, Folder } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { QueryState } from '@/components/query-state';
import { Dialog } from '@/components/ui/dialog';
import { batchQueries } from '@/features/batches/queries';
import { countOf } from '@/lib/format';

type FolderDialogProps = {
  description: string;
  onClose: () => void;
  /** What can be done with the folder that is shown, and whether there is nothing in it. */
  footer: (path: string, isEmpty: boolean) => ReactNode;
};

/** Chooses a folder of the server. */
export function FolderDialog({ description, onClose, footer }: FolderDialogProps) {
  const [path, setPath] = useState('');
  const here = useRef<HTMLParagraphElement>(null);
  const folder = useQuery(batchQueries.folder(path));
  const go = (to: string) => {
    setPath(to);
    // The button that was pressed goes with the list that it stood in.
    here.current?.focus();
  };
  const { folders = [], photos = 0, morePhotos = false } = folder.data ?? {};
  const isEmpty = photos === 0 && !morePhotos;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Folder of the Server"
      description={description}
      footer={footer(path, folder.data === undefined || isEmpty)}
    >
      <div className="grid grid-cols-1 gap-3">
        <p ref={here} tabIndex={-1} role="status" className="text-sm">
          <bdi className="font-medium wrap-anywhere">{path === '' ? 'All folders' : path}</bdi>
          {folder.data !== undefined &&
            `: ${morePhotos ? 'more than ' : ''}${countOf(photos, 'photo')}`}
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
        {folder.data !== undefined && isEmpty && (
          <p className="text-sm text-muted">There are no photos in this folder.</p>
        )}
        {morePhotos && (
          <p className="text-sm text-muted">
            Counting stops at 50,000 photos, as many as one batch takes, and after two seconds.
          </p>
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
