import { Suspense } from 'react';
import { lazyComponent } from '@/components/lazy-component';
import type { Schemas } from '@/api/client';
import { LoadingBlock } from '@/components/ui/skeleton';
import { InstallationGuide } from '@/features/parts/guides/components/installation-guide';

// Few parts were taught.
const TaughtGuide = lazyComponent(
  async () => (await import('@/features/parts/guides/components/taught-guide')).TaughtGuide,
);

type InstructionsTabProps = { part: Schemas['IdentifiedPart'] };

export function InstructionsTab({ part }: InstructionsTabProps) {
  if (part.ai === null) return <InstallationGuide part={part} />;
  return (
    <Suspense fallback={<LoadingBlock label="Loading the guide" rows={2} />}>
      <TaughtGuide key={part.id} part={part} />
    </Suspense>
  );
}
