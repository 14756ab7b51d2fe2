import type { ScanFlow } from '@/features/scanning/capture/scan-flow';
import { answerText } from '@/features/scanning/result/scan-view';
import { guessSetText, guessText } from '@/features/scanning/offline-queue/guess-text';

type ScanAnnouncerProps = { flow: ScanFlow };

/** Says how a scan goes to those who do not see it. */
export function ScanAnnouncer({ flow }: ScanAnnouncerProps) {
  return (
    <p aria-live="polite" className="sr-only">
      {announcementOf(flow)}
    </p>
  );
}

function announcementOf(flow: ScanFlow): string {
  switch (flow.state) {
    case 'idle':
    case 'gathering':
      return '';
    case 'analysing':
      return flow.photos.length > 1 ? 'Analyzing the photos.' : 'Analyzing the photo.';
    case 'result':
      return answerText(flow.view);
    case 'kept':
      return `${flow.photos.length > 1 ? 'The photos are' : 'The photo is'} kept to be sent later. This browser’s guess: ${guessText(flow.scan.guess)}. ${guessSetText(flow.scan.guess) ?? ''}`.trim();
    case 'failed':
      return flow.failure.message;
  }
}
