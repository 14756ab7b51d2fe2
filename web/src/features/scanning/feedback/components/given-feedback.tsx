import type { Schemas } from '@/api/client';
import { TextLink } from '@/components/text-link';
import { Button } from '@/components/ui/button';
import { catalogHref } from '@/config/paths';

type GivenFeedbackProps = {
  given: Schemas['GivenScanFeedback'];
  /** The server does not have it yet. */
  saving: boolean;
  onTakeBack: () => void;
};

/** What was said of a scan, what came of it, and the way to take it back. */
export function GivenFeedback({ given, saving, onTakeBack }: GivenFeedbackProps) {
  const { feedback, notTaught } = given;
  const { label, name, referenceId } = feedback;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 text-sm">
      <div className="grid min-w-0 flex-1 basis-52 grid-cols-1 gap-1">
        <p>{sentenceFor(feedback)}</p>
        {referenceId !== null && label !== null && (
          <p className="text-soft">
            The photo now also teaches the scanner this part.{' '}
            <TextLink to={catalogHref(label)}>See the photos of {name ?? label}</TextLink>
          </p>
        )}
        {notTaught !== null && <p className="text-warn">{notTaught}</p>}
      </div>
      <Button
        look="ghost"
        size="small"
        aria-disabled={saving}
        className="aria-disabled:text-muted"
        onClick={onTakeBack}
      >
        Delete my answer
      </Button>
    </div>
  );
}

function sentenceFor({ answer, name, label }: Schemas['ScanFeedback']): string {
  if (answer === 'right') return `You said that it is right${name === null ? '' : `: ${name}`}.`;
  if (answer === 'not-a-part') return 'You said that the photo shows no part.';
  return `You said that it is another part: ${name ?? label ?? 'unknown'}.`;
}
