import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { AiFill } from '@/components/ai-fill';
import { LoadFailure } from '@/components/load-failure';
import { InstallationGuide } from '@/features/scan/components/installation-guide';
import { scanMutations } from '@/features/scan/mutations';
import { scanQueries } from '@/features/scan/queries';

type TaughtGuideProps = {
  /** As the scan has it. */
  part: Schemas['IdentifiedPart'];
};

/** The guide of a part that people taught: only a language model can have written one. */
export function TaughtGuide({ part }: TaughtGuideProps) {
  // A scan keeps the part as it was when it was read; the guide may have been written since.
  const guide = useQuery({
    ...scanQueries.guide(part.id),
    initialData: part,
    initialDataUpdatedAt: 0,
  });
  const { ai } = guide.data;
  return (
    <div className="grid gap-4">
      {guide.isError && (
        <LoadFailure what="The guide" error={guide.error} onRetry={() => void guide.refetch()} />
      )}
      {ai !== null && (
        <AiFill
          ai={ai}
          what="How to fit this part"
          sends="the name and the category of the part"
          ask={scanMutations.askGuide(part.id)}
          remove={scanMutations.removeGuide(part.id)}
        />
      )}
      <InstallationGuide part={guide.data} />
    </div>
  );
}
