import { LazyPhotoHints } from '@/components/drawings/lazy-drawings';
import { TextLink } from '@/components/text-link';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { paths, serverPaths, teachHref } from '@/config/paths';
import { analysingText, cancelText } from '@/features/scanning/capture/scan-flow';
import type { Scan } from '@/features/scanning/capture/use-scan-flow';
import type { ScanFailure } from '@/features/scanning/scan-failure';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import type { Photo } from '@/lib/photos/photo';

type ScanDialogsProps = {
  scan: Scan;
  /** What had the focus before the scan. */
  returnFocus: () => HTMLElement | null;
};

/** The dialogs of a scan under way. */
export function ScanDialogs(props: ScanDialogsProps) {
  return (
    <>
      <AnalysingDialog {...props} />
      <FailureDialog {...props} />
    </>
  );
}

function AnalysingDialog({ scan: { flow, cancel }, returnFocus }: ScanDialogsProps) {
  const { photos, here } = flow.state === 'analysing' ? flow : { photos: [], here: false };
  return (
    <Dialog
      open={photos.length > 0}
      onEscape={cancel}
      returnFocus={returnFocus}
      title="Analyzing Part..."
      description={analysingText(photos.length, here)}
      footer={<Button onClick={cancel}>{cancelText(here)}</Button>}
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

function FailureDialog({ scan, returnFocus }: ScanDialogsProps) {
  const failed = scan.flow.state === 'failed' ? scan.flow : null;
  const kind = failed?.failure.kind;
  return (
    <Dialog
      open={failed !== null}
      onClose={scan.close}
      returnFocus={returnFocus}
      title="Analysis Failed"
      description={failed?.failure.message ?? ''}
      footer={
        <>
          <Button onClick={scan.close}>Close</Button>
          <Button look={kind === 'unreachable' ? 'secondary' : 'primary'} onClick={scan.retry}>
            Try Again
          </Button>
          {kind === 'not-identified' && failed?.photos.length === 1 && (
            <Button onClick={() => void scan.submit(failed.photos, true)}>
              Look for Several Parts
            </Button>
          )}
          {kind === 'unreachable' && (
            <Button look="primary" onClick={() => void scan.keepForLater()}>
              Keep and Send Later
            </Button>
          )}
        </>
      }
    >
      {failed !== null && <Advice failure={failed.failure} />}
    </Dialog>
  );
}

type AdviceProps = { failure: ScanFailure };

function Advice({ failure }: AdviceProps) {
  switch (failure.kind) {
    case 'not-identified':
      return (
        <div className="grid gap-3">
          <ul className="grid list-disc gap-1 pl-5 text-sm text-soft">
            <li>Photograph one part, off the car if you can.</li>
            <li>Use even light without glare, and hold still.</li>
            <li>
              A part of yours that is not known here?{' '}
              <TextLink to={teachHref}>Teach it with a few photos</TextLink>
            </li>
          </ul>
          <LazyPhotoHints views={['whole', 'side', 'marking']} />
        </div>
      );
    case 'limit-reached':
      return (
        <p className="text-sm text-soft">
          Your earlier results stay in the history.{' '}
          <TextLink to={paths.pricing}>See the plans</TextLink>
        </p>
      );
    case 'not-signed-in':
      return failure.advice === null ? null : (
        <div className="grid gap-3 text-sm text-soft">
          <p>{failure.advice}</p>
          <a
            href={serverPaths.signIn}
            target="_blank"
            rel="noreferrer"
            className="justify-self-start font-medium text-accent underline underline-offset-4"
          >
            Sign in in another tab
          </a>
        </div>
      );
    default:
      return failure.advice === null ? null : <p className="text-sm text-soft">{failure.advice}</p>;
  }
}
