import { useQuery } from '@tanstack/react-query';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import type { Photo } from '@/lib/photos/photo';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import { promiseText } from '@/features/scanning/candidate-set';
import { guessSetText, guessText } from '@/features/scanning/offline-queue/guess-text';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import type { WaitingScan } from '@/features/scanning/offline-queue/waiting-scan';
import { AnswerHeader } from '@/features/scanning/result/components/answer-header';
import { formatPercent, vehicleName } from '@/lib/format';

type KeptResultProps = { scan: WaitingScan; photos: Photo[]; onClose: () => void };

/** What can be said of a photo without a server: a guess, marked as one. */
export function KeptResult({ scan, photos, onClose }: KeptResultProps) {
  const url = usePhotoUrl(photos[0]?.blob ?? null);
  const { guess } = scan;
  const isOne = photos.length === 1;
  const waiting = useQuery(waitingQuery(scan.userId)).data;
  const isSent = waiting?.every(({ id }) => id !== scan.id) ?? false;
  return (
    <Card aria-labelledby="kept-title" className="grid animate-rise grid-cols-1 gap-4">
      <AnswerHeader
        titleId="kept-title"
        title={isSent ? 'No Longer Waiting' : 'Kept for Later'}
        scanId={scan.id}
        closeLabel="Close"
        onClose={onClose}
      >
        For {vehicleName(scan.vehicle)}
      </AnswerHeader>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-4">
        {url !== null && (
          <img
            src={url}
            alt="Your photo"
            className="size-20 rounded-md border bg-canvas object-cover sm:size-32"
          />
        )}
        <div className="grid gap-2">
          <p className="text-2xl font-semibold tracking-tight text-balance">{guessText(guess)}</p>
          {guess !== null && (
            <p className="flex flex-wrap gap-1.5">
              <Badge tone="warn">This browser’s guess</Badge>
              {guess.verdict !== 'not-a-part' && (
                <Badge>{formatPercent(guess.confidence)} match</Badge>
              )}
            </p>
          )}
        </div>
      </div>
      {guess?.candidateSet !== undefined && (
        <div className="grid gap-1">
          <p className="text-sm">{guessSetText(guess)}</p>
          <p className="text-xs text-muted">{promiseText(guess.candidateSet)}</p>
        </div>
      )}
      <p className="text-sm text-soft">
        {guess === null
          ? 'The model is not in this browser yet, so it cannot guess. It comes with the first use of the camera while the server can be reached.'
          : 'A guess by the model in this browser, from a picture that no server had seen.'}{' '}
        {isSent
          ? `${isOne ? 'The photo was' : 'The photos were'} sent or deleted since. What was answered is in the scan history.`
          : `${isOne ? 'The photo is' : `The ${photos.length} photos are`} sent when the server can be reached, and the full answer is then in the scan history. ${isOne ? 'It counts as a scan when it is' : 'They count as one scan when they are'} answered.`}
      </p>
    </Card>
  );
}
