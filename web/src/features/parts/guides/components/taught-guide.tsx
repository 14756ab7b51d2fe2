import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { AiFill } from '@/components/ai-fill';
import { LoadFailure } from '@/components/load-failure';
import { InstallationGuide } from '@/features/parts/guides/components/installation-guide';
import { guideMutations } from '@/features/parts/guides/mutations';
import { guideQueries } from '@/features/parts/guides/queries';

type TaughtGuideProps = {
  /** As the scan has it. */
  part: Schemas['IdentifiedPart'];
};

/** The guide of a part that people taught: only a language model can have written one. */
export function TaughtGuide({ part }: TaughtGuideProps) {
  // A scan keeps the part as it was when it was read; the guide may have been written since.
  const guide = useQuery({
    ...guideQueries.one(part.id),
    initialData: part,
    initialDataUpdatedAt: 0,
  });
  const { ai } = guide.data;
  return (
    <div className="grid gap-4">
      {guide.isError && <LoadFailure what="The guide" query={guide} />}
      {ai !== null && (
        <AiFill
          ai={ai}
          what="How to fit this part"
          sends="the name and the category of the part"
          ask={guideMutations.ask(part.id)}
          remove={guideMutations.remove(part.id)}
        />
      )}
      <InstallationGuide part={guide.data} />
    </div>
  );
}
