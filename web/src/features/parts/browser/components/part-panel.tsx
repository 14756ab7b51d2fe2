import { useQuery } from '@tanstack/react-query';
import { Clock, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { DifficultyBadge } from '@/components/difficulty-badge';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { QueryState } from '@/components/query-state';
import { LazyPartPictures, LazyWearHint } from '@/components/drawings/lazy-drawings';
import { Badge } from '@/components/ui/badge';
import { Dialog } from '@/components/ui/dialog';
import { Notice } from '@/components/ui/notice';
import { stepsOf, type CategoryPart } from '@/features/parts/browser/model';
import { partQueries } from '@/features/parts/browser/queries';

type PartPanelProps = {
  part: CategoryPart;
  /** How offers are shown is the scan result's business; the route lends it. */
  offers: (answer: Schemas['PartSuppliers']) => ReactNode;
  /** What other features have to say of the part. */
  extras?: ReactNode;
  onClose: () => void;
};

/** All about one part: a sheet from below on a phone, a dialog elsewhere. */
export function PartPanel({ part, offers, extras, onClose }: PartPanelProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={part.name}
      // The head does not scroll, and on a phone a long text would leave little of the sheet to the rest.
      description="What it is, where to buy it, and how it is fitted."
      className="max-w-2xl max-sm:inset-x-0 max-sm:top-auto max-sm:bottom-0 max-sm:max-h-[88dvh] max-sm:translate-y-0 max-sm:rounded-b-none"
    >
      <div className="grid min-w-0 grid-cols-1 gap-6">
        <p className="text-sm text-soft">{part.description}</p>
        {extras}
        <LazyPartPictures label={part.id} name={part.name} position={part.position} />
        <Suppliers id={part.id} offers={offers} />
        <Guide part={part} />
      </div>
    </Dialog>
  );
}

type SuppliersProps = { id: string; offers: PartPanelProps['offers'] };

function Suppliers({ id, offers }: SuppliersProps) {
  const answer = useQuery(partQueries.suppliers(id));
  const suppliers = answer.data?.suppliers ?? [];
  return (
    <section aria-label="Suppliers" className="grid gap-3">
      <h3 className="section-title">Suppliers</h3>
      <QueryState query={answer} what="Suppliers" label="Looking for suppliers" />
      {answer.data !== undefined && suppliers.length === 0 && (
        <EmptyState picture={<EmptyShelf />} title="No suppliers found for this part" />
      )}
      {answer.data != null && offers(answer.data)}
    </section>
  );
}

type GuideProps = { part: CategoryPart };

function Guide({ part }: GuideProps) {
  return (
    <section aria-label="Installation" className="grid gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="section-title mr-1">Installation</h3>
        <DifficultyBadge level={part.difficultyLevel} />
        <Badge>
          <Clock className="size-3" aria-hidden />
          {part.estimatedTime}
        </Badge>
      </div>
      <LazyWearHint label={part.id} name={part.name} />
      <ul aria-label="Required tools" className="flex flex-wrap gap-2">
        {part.requiredTools.map((tool) => (
          <li key={tool}>
            <Badge tone="outline" className="whitespace-normal">
              <Wrench className="size-3 shrink-0" aria-hidden />
              {tool}
            </Badge>
          </li>
        ))}
      </ul>
      <ol className="grid list-decimal gap-2 pl-5 text-sm text-soft marker:font-semibold marker:text-accent">
        {stepsOf(part).map((step) => (
          <li key={step} className="pl-1">
            {step}
          </li>
        ))}
      </ol>
      <Notice tone="warn" title="Safety first">
        {part.safetyReminder}
      </Notice>
    </section>
  );
}
