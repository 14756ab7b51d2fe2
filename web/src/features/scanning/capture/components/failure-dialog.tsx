import { Link } from 'react-router';
import { LazyPhotoHints } from '@/components/drawings/lazy-drawings';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { paths, serverPaths, teachHref } from '@/config/paths';
import type { ScanFailure } from '@/features/scanning/scan-failure';

type FailureDialogProps = {
  failure: ScanFailure | null;
  onClose: () => void;
  onRetry: () => void;
  /** Keeps the photo until the server can be reached. */
  onKeep: () => void;
  /** Looks for several parts in the photo; null where there is not a single one. */
  onSeveral: (() => void) | null;
  returnFocus: () => HTMLElement | null;
};

export function FailureDialog({
  failure,
  onClose,
  onRetry,
  onKeep,
  onSeveral,
  returnFocus,
}: FailureDialogProps) {
  const isUnreachable = failure?.kind === 'unreachable';
  return (
    <Dialog
      open={failure !== null}
      onClose={onClose}
      returnFocus={returnFocus}
      title="Analysis Failed"
      description={failure?.message ?? ''}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look={isUnreachable ? 'secondary' : 'primary'} onClick={onRetry}>
            Try Again
          </Button>
          {failure?.kind === 'not-identified' && onSeveral !== null && (
            <Button onClick={onSeveral}>Look for Several Parts</Button>
          )}
          {isUnreachable && (
            <Button look="primary" onClick={onKeep}>
              Keep and Send Later
            </Button>
          )}
        </>
      }
    >
      {failure !== null && <Advice failure={failure} />}
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
              <Link to={teachHref} className="font-medium text-accent underline underline-offset-4">
                Teach it with a few photos
              </Link>
            </li>
          </ul>
          <LazyPhotoHints views={['whole', 'side', 'marking']} />
        </div>
      );
    case 'limit-reached':
      return (
        <p className="text-sm text-soft">
          Your earlier results stay in the history.{' '}
          <Link to={paths.pricing} className="font-medium text-accent underline underline-offset-4">
            See the plans
          </Link>
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
