import { Pencil } from 'lucide-react';
import { useRef, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { OnDraft } from '@/components/on-draft';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { DeleteVehicle } from '@/features/garage/vehicles/components/delete-vehicle';
import { vehicleDraftKey } from '@/features/garage/vehicles/model';
import { classNames } from '@/lib/class-names';
import { vehicleName } from '@/lib/format';

type VehicleCardProps = {
  vehicle: Schemas['Vehicle'];
  /** What the vehicles are called, by id. */
  names: Map<string, string>;
  heading: RefObject<HTMLElement | null>;
  onChoose: () => void;
  onEdit: () => void;
  changing: boolean;
};

export function VehicleCard({
  vehicle,
  names,
  heading,
  onChoose,
  onEdit,
  changing,
}: VehicleCardProps) {
  const title = useRef<HTMLHeadingElement>(null);
  const name = names.get(vehicle.id) ?? vehicleName(vehicle);
  const facts = [
    ['Engine', vehicle.engine],
    ['Transmission', vehicle.transmission],
    ['VIN', vehicle.vinNumber?.toUpperCase()],
    ['Plate', vehicle.licensePlate],
  ].filter(([, value]) => value);
  return (
    <article
      className={classNames(
        'relative grid h-full grid-rows-[auto_1fr_auto] gap-3 rounded-lg border p-4 transition-colors',
        vehicle.isDefault
          ? 'border-accent/60 bg-accent-wash/60'
          : 'bg-surface hover:border-control hover:bg-raised',
      )}
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1 basis-[9rem]">
          <p className="text-sm text-muted">{vehicle.year}</p>
          <h2
            ref={title}
            tabIndex={-1}
            className="text-lg font-semibold tracking-tight wrap-anywhere"
          >
            <bdi>
              {vehicle.make} {vehicle.model}
            </bdi>
          </h2>
        </div>
        {vehicle.isDefault && <Badge tone="primary">Default</Badge>}
      </div>
      <dl className="grid content-start gap-1 text-sm">
        {facts.map(([term, value]) => (
          <div key={term} className="flex gap-2">
            <dt className="w-24 shrink-0 text-muted">{term}</dt>
            <dd className="min-w-0 text-soft wrap-anywhere">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {/* The whole card is the button; its text stays readable in its own structure. */}
      {!vehicle.isDefault && (
        <button
          type="button"
          disabled={changing}
          onClick={() => {
            // The button goes, and the card moves to the front with what has the focus in it.
            title.current?.focus({ preventScroll: true });
            onChoose();
          }}
          aria-label={`Make ${name} the default vehicle`}
          className="absolute inset-0 rounded-lg"
        />
      )}
      <div className="-mr-2 -mb-2 flex items-center gap-1">
        <p aria-hidden className="flex-1 text-sm font-medium text-accent">
          {!vehicle.isDefault && 'Make default'}
        </p>
        <Button
          look="ghost"
          size="icon"
          aria-label={`Edit ${name}`}
          onClick={onEdit}
          className="relative"
        >
          <Pencil className="size-4" aria-hidden />
        </Button>
        <DeleteVehicle vehicle={vehicle} names={names} heading={heading} />
      </div>
      <OnDraft draftKey={vehicleDraftKey(vehicle)} then={onEdit} />
    </article>
  );
}
