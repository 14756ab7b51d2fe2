import { Crop as CropIcon } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { CropFrame } from '@/features/scanning/capture/components/crop-frame';
import { cropPhoto, isWhole, placeText, WHOLE } from '@/features/scanning/capture/crop';
import type { Photo } from '@/lib/photos/photo';
import { usePhotoUrl } from '@/hooks/use-photo-url';

type CropDialogProps = {
  photo: Photo;
  /** Whether the photo is sent at once, or kept beside others of the same part. */
  sends: boolean;
  onCancel: () => void;
  onDone: (photo: Photo) => void;
};

/** Cuts a photograph down to the part, before it is sent. */
export function CropDialog({ photo, sends, onCancel, onDone }: CropDialogProps) {
  const [crop, setCrop] = useState(WHOLE);
  const [problem, setProblem] = useState<string | null>(null);
  const [cutting, setCutting] = useState(false);
  const url = usePhotoUrl(photo.blob);
  const frame = useRef<HTMLDivElement>(null);

  const cut = async () => {
    setCutting(true);
    try {
      onDone(await cropPhoto(photo, crop));
    } catch {
      setProblem('This browser could not crop the photo. Take the whole photo instead.');
      setCutting(false);
    }
  };

  return (
    <Dialog
      open
      onClose={onCancel}
      title="Crop the Photo"
      description="A photo of one part alone gives the best answer. Drag the corners, or go to one with Tab and use the arrow keys."
      className="max-w-xl"
      footer={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button disabled={cutting} onClick={() => onDone(photo)}>
            {sends ? 'Send Whole Photo' : 'Keep Whole Photo'}
          </Button>
          <Button
            look="primary"
            disabled={cutting || problem !== null || isWhole(crop)}
            onClick={() => void cut()}
          >
            <CropIcon className="size-4" aria-hidden />
            {sends ? 'Crop and Scan' : 'Crop'}
          </Button>
        </>
      }
    >
      {problem !== null && (
        <p role="alert" className="mb-3 rounded-md bg-bad-wash px-3 py-2 text-sm text-bad">
          {problem}
        </p>
      )}
      {url !== null && (
        <div ref={frame} className="relative mx-auto w-fit touch-none select-none">
          <img
            src={url}
            alt="The photo to crop"
            draggable={false}
            className="block max-h-[50dvh] max-w-full rounded-sm"
            onError={() =>
              setProblem('This browser cannot show this photo, so it cannot be cropped here.')
            }
          />
          {problem === null && <CropFrame box={frame} crop={crop} onCrop={setCrop} />}
        </div>
      )}
      <p aria-live="polite" className="mt-3 text-center text-sm text-muted tabular-nums">
        {isWhole(crop) ? 'The whole photo' : placeText(crop)}
      </p>
    </Dialog>
  );
}
