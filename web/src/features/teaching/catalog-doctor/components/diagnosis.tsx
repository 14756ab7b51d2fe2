import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { catalogHref } from '@/config/paths';
import { Findings } from '@/features/teaching/catalog-doctor/components/findings';
import { PartPhoto } from '@/features/teaching/catalog-doctor/components/part-photo';
import { diagnosisQuery } from '@/features/teaching/catalog-doctor/queries';
import { countOf, formatCount, formatPercent } from '@/lib/format';

/** What is doubtful in the photos of all parts, and the way to each. */
export function Diagnosis() {
  const diagnosis = useQuery(diagnosisQuery());
  if (diagnosis.data === undefined) {
    return (
      <QueryState
        query={diagnosis}
        what="The check"
        label="Looking over all photos; this can take ten seconds"
      />
    );
  }
  if (diagnosis.data == null) return null;
  return (
    <>
      <Card className="flex flex-wrap items-center justify-between gap-3" aria-label="Summary">
        <p role="status" className="min-w-0 flex-1 basis-60 text-sm text-soft">
          {summaryOf(diagnosis.data)}
        </p>
        <Button
          size="small"
          disabled={diagnosis.isFetching}
          onClick={() => void diagnosis.refetch()}
        >
          <RefreshCw className="size-4" aria-hidden />
          {diagnosis.isFetching ? 'Checking...' : 'Check Again'}
        </Button>
      </Card>
      {diagnosis.data.references + diagnosis.data.lonely.length > 0 && (
        <Found diagnosis={diagnosis.data} />
      )}
    </>
  );
}

type FoundProps = { diagnosis: Schemas['CatalogDiagnosis'] };

const nothingToCompare = 'Not known yet: no part has two photos to compare.';

function Found({ diagnosis }: FoundProps) {
  const { confusions, copies, nCopies, outliers, nOutliers, lonely, lookAlikes } = diagnosis;
  // The only photo of a part is compared with nothing: of it, silence would say more than is known.
  const compared = diagnosis.judged > 0;
  return (
    <>
      <Findings
        title="Hard to tell apart"
        advice="Add photos that show where the two differ, or make them one part."
        none={compared ? 'No two parts look alike to the model.' : nothingToCompare}
        items={confusions}
      >
        {({ parts, photos, taken, examples }) => (
          <>
            <p className="text-sm">
              {parts.map((part, index) => (
                <span key={part.label}>
                  {index > 0 && ' and '}
                  <PartLink part={part} />
                </span>
              ))}
              <span className="text-muted">
                {`: ${countOf(photos, 'photo')} near the other part, ${formatCount(taken)} would be taken for it.`}
              </span>
            </p>
            {examples.map((pair, index) => (
              <div key={index} className="flex flex-wrap gap-3">
                {pair.map((photo) => (
                  <PartPhoto key={photo.id} photo={photo} />
                ))}
              </div>
            ))}
          </>
        )}
      </Findings>
      {lookAlikes.length > 0 && (
        <Findings
          title="Marked look-alikes"
          advice="If a scan is surely one of two such parts, the answer leaves open which. You can remove the mark on the page of a part."
          none=""
          items={lookAlikes}
        >
          {(pair) => (
            <p className="text-sm">
              {pair.map((part, index) => (
                <span key={part.label}>
                  {index > 0 && ' and '}
                  <PartLink part={part} />
                </span>
              ))}
            </p>
          )}
        </Findings>
      )}
      <Findings
        title="Copies"
        advice="One picture twice teaches nothing new. Of two parts, one of the photos is wrong: delete it."
        none="No picture is there twice."
        items={copies}
        total={nCopies}
      >
        {({ photos, samePart, similarity }) => (
          <>
            <p className="text-sm text-soft">
              {samePart ? 'Of one part' : 'Of two parts; one is wrong'}, {formatPercent(similarity)}{' '}
              alike
            </p>
            <div className="flex flex-wrap gap-3">
              {photos.map((photo) => (
                <PartPhoto key={photo.id} photo={photo} />
              ))}
            </div>
          </>
        )}
      </Findings>
      <Findings
        title="Unlike their part"
        advice="Check that these show the part that they stand for. Delete those that do not."
        none={compared ? 'Each photo looks like the others of its part.' : nothingToCompare}
        items={outliers}
        total={nOutliers}
      >
        {({ photo, similarity, nearest }) => (
          <>
            <p className="text-sm text-soft">
              {formatPercent(Math.max(0, similarity))} like the others of its part
            </p>
            <div className="flex flex-wrap gap-3">
              <PartPhoto photo={photo} />
              {nearest !== null && (
                <PartPhoto
                  photo={nearest}
                  caption={`Nearest of another part: ${nearest.typeName}`}
                />
              )}
            </div>
          </>
        )}
      </Findings>
      <Findings
        title="Too few photos"
        advice="Whether the photos of a part agree shows from two photos on. Add some."
        none="Each part has photos to compare."
        items={lonely}
      >
        {({ part, photo }) => (
          <div className="flex flex-wrap items-center gap-3 text-sm">
            {photo !== null && <PartPhoto photo={photo} caption={part.name} />}
            {photo === null && (
              <p>
                <PartLink part={part} /> <span className="text-muted">has no photo</span>
              </p>
            )}
          </div>
        )}
      </Findings>
    </>
  );
}

function PartLink({ part }: { part: Schemas['NamedPart'] }) {
  return (
    <Link
      to={catalogHref(part.label)}
      className="font-medium wrap-anywhere underline underline-offset-4 hover:text-accent"
    >
      {part.name}
    </Link>
  );
}

function summaryOf(diagnosis: Schemas['CatalogDiagnosis']): string {
  const { references, ofOtherModel, examined, judged, right } = diagnosis;
  if (references === 0) {
    return 'There are no photos to check yet. Teach a part first.';
  }
  const sentences = [
    judged > 0
      ? `Of ${countOf(judged, 'photo')} with others of the same part, ${formatCount(right)} would be recognised by them.`
      : 'No part has two photos yet, and one alone is compared with nothing.',
    examined < references &&
      `Only ${formatCount(examined)} of ${formatCount(references)} photos were looked at in ten seconds.`,
    ofOtherModel > 0 && `${countOf(ofOtherModel, 'photo')} of another model were left out.`,
  ];
  return sentences.filter(Boolean).join(' ');
}
