import { RotateCw } from 'lucide-react';
import { useMemo, type RefObject } from 'react';
import { DeleteButton } from '@/components/delete-button';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import { guessText } from '@/features/scanning/offline-queue/guess-text';
import { photosOf, type WaitingScan } from '@/features/scanning/offline-queue/waiting-scan';
import { formatScanTime, vehicleName } from '@/lib/format';

type WaitingRowProps = {
  scan: WaitingScan;
  sending: boolean;
  /** Whether a retry has somewhere to go. */
  canRetry: boolean;
  heading: RefObject<HTMLElement | null>;
  onRetry: () => void;
  onDelete: () => void;
};

export function WaitingRow({
  scan,
  sending,
  canRetry,
  heading,
  onRetry,
  onDelete,
}: WaitingRowProps) {
  const { refusal, vehicle, takenAt } = scan;
  const photo = useMemo(() => photosOf(scan)[0]?.blob ?? null, [scan]);
  const url = usePhotoUrl(photo);
  const isOne = scan.photos.length === 1;
  const what = isOne ? 'photo' : `${scan.photos.length} photos`;
  const taken = formatScanTime(new Date(takenAt).toISOString());
  return (
    <li className="flex flex-wrap items-center gap-3 py-2.5">
      <div className="size-14 shrink-0 overflow-hidden rounded-md border bg-canvas">
        {url !== null && <img src={url} alt="" className="size-full object-cover" />}
      </div>
      <div className="grid min-w-0 flex-1 basis-32 gap-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">{guessText(scan.guess)}</span>
          {scan.guess !== null && <Badge tone="outline">This browser’s guess</Badge>}
        </p>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>{vehicleName(vehicle)}</span>
          <span>{taken}</span>
          {!isOne && <span>{what}</span>}
          <span>{sending ? 'Sending...' : refusal === null ? 'Not sent yet' : 'Refused'}</span>
        </p>
        {refusal !== null && <p className="text-sm text-bad">{refusal.message}</p>}
      </div>
      <div className="flex items-center gap-1">
        {refusal !== null && (
          <Button
            size="small"
            aria-label={`Retry the ${what} of ${taken}`}
            disabled={sending || !canRetry}
            onClick={onRetry}
          >
            <RotateCw className="size-4" aria-hidden />
            Retry
          </Button>
        )}
        <DeleteButton
          label={`Delete the ${what} of ${taken}`}
          title={isOne ? 'Delete this photo?' : `Delete these ${what}?`}
          description={
            isOne
              ? 'It has not been sent, and is kept nowhere else.'
              : 'They have not been sent, and are kept nowhere else.'
          }
          confirmLabel="Delete"
          pending={sending}
          focusOnConfirm={heading}
          onConfirm={onDelete}
        />
      </div>
    </li>
  );
}
