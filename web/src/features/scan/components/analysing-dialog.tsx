import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import type { Photo } from '@/lib/photos/photo';
import { usePhotoUrl } from '@/hooks/use-photo-url';

type AnalysingDialogProps = {
  photo: Photo | null;
  /** Whether only this browser analyses: there is no server. */
  here: boolean;
  onCancel: () => void;
  returnFocus: () => HTMLElement | null;
};

export function AnalysingDialog({ photo, here, onCancel, returnFocus }: AnalysingDialogProps) {
  const url = usePhotoUrl(photo?.blob ?? null);
  return (
    <Dialog
      open={photo !== null}
      returnFocus={returnFocus}
      title="Analyzing Part..."
      description={
        here
          ? 'No connection to the server. The photo is kept, and this browser guesses by itself.'
          : 'Using AI to identify your car part'
      }
      footer={<Button onClick={onCancel}>{here ? 'Skip the Guess' : 'Cancel'}</Button>}
    >
      <div className="relative aspect-video overflow-hidden rounded-md border bg-canvas">
        {url !== null && <img src={url} alt="" className="size-full object-contain" />}
        <div
          aria-hidden
          className="absolute inset-x-0 h-0.5 animate-sweep bg-accent shadow-[0_0_18px_4px_var(--color-accent)]"
        />
      </div>
    </Dialog>
  );
}
