import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { analysingText, cancelText } from '@/features/scanning/capture/scan-flow';
import type { Photo } from '@/lib/photos/photo';
import { usePhotoUrl } from '@/hooks/use-photo-url';

type AnalysingDialogProps = {
  /** None while nothing is analysed. */
  photos: Photo[];
  /** Whether only this browser analyses: there is no server. */
  here: boolean;
  onCancel: () => void;
  returnFocus: () => HTMLElement | null;
};

export function AnalysingDialog({ photos, here, onCancel, returnFocus }: AnalysingDialogProps) {
  return (
    <Dialog
      open={photos.length > 0}
      onEscape={onCancel}
      returnFocus={returnFocus}
      title="Analyzing Part..."
      description={analysingText(photos.length, here)}
      footer={<Button onClick={onCancel}>{cancelText(here)}</Button>}
    >
      <div className="relative flex aspect-video gap-1 overflow-hidden rounded-md border bg-canvas">
        {photos.map((photo, index) => (
          <Picture key={index} photo={photo} />
        ))}
        <div
          aria-hidden
          className="absolute inset-x-0 h-0.5 animate-sweep bg-accent shadow-[0_0_18px_4px_var(--color-accent)]"
        />
      </div>
    </Dialog>
  );
}

type PictureProps = { photo: Photo };

function Picture({ photo }: PictureProps) {
  const url = usePhotoUrl(photo.blob);
  return (
    <div className="min-w-0 flex-1">
      {url !== null && <img src={url} alt="" className="size-full object-contain" />}
    </div>
  );
}
