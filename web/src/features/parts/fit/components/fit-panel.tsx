import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleHelp, CircleX } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { LoadFailure } from '@/components/load-failure';
import { Button } from '@/components/ui/button';
import { Skeleton } from '@/components/ui/skeleton';
import { VehicleSelect } from '@/components/vehicle-select';
import { ADD_VEHICLE, paths } from '@/config/paths';
import { FitNotes } from '@/features/parts/fit/components/fit-notes';
import { partFitQuery } from '@/features/parts/fit/queries';
import { classNames } from '@/lib/class-names';
import { vehicleName } from '@/lib/format';

type FitPanelProps = {
  /** The label of a part type, or the id of a part of the shop. */
  partId: string;
  vehicles: Schemas['Vehicle'][];
  /** Whether the plan includes the check. */
  inPlan: boolean;
  /** The level of its heading, one below what it stands in. */
  heading?: 'h3' | 'h4';
};

/** Whether a part fits a vehicle, and who says so. */
export function FitPanel({ partId, vehicles, inPlan, heading: Heading = 'h4' }: FitPanelProps) {
  const titleId = useId();
  const [chosen, setChosen] = useState<string | null>(null);
  const vehicle =
    vehicles.find(({ id }) => id === chosen) ??
    vehicles.find(({ isDefault }) => isDefault) ??
    vehicles[0];
  return (
    <section aria-labelledby={titleId} className="grid gap-3 rounded-md border bg-canvas/40 p-3.5">
      <Heading id={titleId} className="section-title">
        Does it fit?
      </Heading>
      {!inPlan && (
        <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
          <p className="min-w-0 flex-1 basis-52 text-soft">
            Pro and Business check whether a part fits your vehicle.
          </p>
          <Button asChild size="small">
            <Link to={paths.pricing}>See Plans</Link>
          </Button>
        </div>
      )}
      {inPlan && vehicle === undefined && (
        <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
          <p className="text-soft">Save the vehicle that the part is for first.</p>
          <Button asChild size="small">
            <Link to={paths.vehicle} state={ADD_VEHICLE}>
              Add Vehicle
            </Link>
          </Button>
        </div>
      )}
      {inPlan && vehicle !== undefined && (
        <>
          {vehicles.length > 1 && (
            <VehicleSelect
              vehicles={vehicles}
              label="Vehicle"
              value={vehicle.id}
              onChange={(event) => setChosen(event.target.value)}
            />
          )}
          <Verdict partId={partId} vehicle={vehicle} />
        </>
      )}
    </section>
  );
}

const VERDICTS: Record<string, { title: string; tone: string; Icon: typeof CircleCheck }> = {
  fits: { title: 'Fits', tone: 'text-good', Icon: CircleCheck },
  'does-not-fit': { title: 'Does not fit', tone: 'text-bad', Icon: CircleX },
};
const UNKNOWN = { title: 'Not known', tone: 'text-warn', Icon: CircleHelp };

const SOURCES: Record<string, string> = {
  shop: 'Your shop says so.',
  'fitment-data': 'An imported file says so.',
  vehicle: 'Your vehicle’s details say so.',
};

type VerdictProps = { partId: string; vehicle: Schemas['Vehicle'] };

function Verdict({ partId, vehicle }: VerdictProps) {
  const fit = useQuery(partFitQuery(partId, vehicle.id));
  if (fit.isPending) {
    return (
      <div role="status">
        <span className="sr-only">Checking</span>
        <Skeleton className="h-12" />
      </div>
    );
  }
  if (fit.isLoadingError) {
    return <LoadFailure what="The check" query={fit} />;
  }
  const { verdict, reason, source, parts, notes, ai } = fit.data;
  const { title, tone, Icon } = VERDICTS[verdict] ?? UNKNOWN;
  return (
    <div className="grid gap-3 text-sm">
      <div role="status" className="grid gap-2">
        <p className={classNames('flex items-center gap-2 font-semibold', tone)}>
          <Icon className="size-5 shrink-0" aria-hidden />
          <span>
            {title}
            <span className="sr-only">: {vehicleName(vehicle)}</span>
          </span>
        </p>
        <p className="text-soft">
          {reason} {source !== null && SOURCES[source]}
        </p>
        {parts.length > 0 && (
          <ul aria-label="Own parts that fit" className="flex flex-wrap gap-1.5">
            {parts.map(({ id, brand, number }) => (
              <li key={id} className="rounded-full bg-raised px-2.5 py-0.5 text-xs text-soft">
                {[brand, number].filter(Boolean).join(' ')}
              </li>
            ))}
          </ul>
        )}
      </div>
      {ai !== null && (
        // Another question is another state.
        <FitNotes
          key={`${partId} ${vehicle.id}`}
          partId={partId}
          vehicleId={vehicle.id}
          ai={ai}
          notes={notes}
        />
      )}
    </div>
  );
}
