import { assemblyOf } from '@/components/drawings/assemblies';
import { ExplodedView } from '@/components/drawings/exploded-view';
import type { PartPosition } from '@/components/drawings/positions';
import { WhereItSits } from '@/components/drawings/where-it-sits';

type PartPicturesProps = {
  label: string;
  name: string;
  position: PartPosition;
  /** The level of the heading. */
  heading?: 'h2' | 'h3';
};

/** Where a part sits on a car, and what it sits among, drawn. */
export function PartPictures({
  label,
  name,
  position,
  heading: Heading = 'h3',
}: PartPicturesProps) {
  const assembly = assemblyOf(label);
  return (
    <section aria-label="Where it sits" className="grid grid-cols-1 gap-3">
      <Heading className="section-title">Where It Sits</Heading>
      <div className={assembly === undefined ? 'max-w-md' : 'grid gap-4 sm:grid-cols-2'}>
        <WhereItSits name={name} position={position} />
        {assembly !== undefined && <ExplodedView assembly={assembly} label={label} name={name} />}
      </div>
    </section>
  );
}
