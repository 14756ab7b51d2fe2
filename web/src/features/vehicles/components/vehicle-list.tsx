import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { useDefaultVehicleChange } from '@/features/vehicles/use-default-vehicle-change';
import { classNames } from '@/lib/class-names';
import { vehicleName } from '@/lib/format';

type VehicleListProps = { vehicles: Schemas['Vehicle'][] };

export function VehicleList({ vehicles }: VehicleListProps) {
  const change = useDefaultVehicleChange('Failed to set default vehicle. Please try again.');
  return (
    <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {vehicles.map((vehicle) => (
        <li key={vehicle.id}>
          <VehicleCard
            vehicle={vehicle}
            onChoose={() => {
              change.mutate(vehicle.id);
            }}
            changing={change.isPending}
          />
        </li>
      ))}
    </ul>
  );
}

type VehicleCardProps = { vehicle: Schemas['Vehicle']; onChoose: () => void; changing: boolean };

function VehicleCard({ vehicle, onChoose, changing }: VehicleCardProps) {
  const facts = [
    ['Engine', vehicle.engine],
    ['Transmission', vehicle.transmission],
    ['VIN', vehicle.vinNumber?.toUpperCase()],
    ['Plate', vehicle.licensePlate],
  ].filter(([, value]) => value);
  return (
    <article
      className={classNames(
        'relative grid h-full content-start gap-3 rounded-lg border p-4 transition-colors',
        vehicle.isDefault
          ? 'border-accent/60 bg-accent-wash/60'
          : 'bg-surface hover:border-control hover:bg-raised',
      )}
    >
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="text-sm text-muted">{vehicle.year}</p>
          <h2 className="text-lg font-semibold tracking-tight wrap-anywhere">
            {vehicle.make} {vehicle.model}
          </h2>
        </div>
        {vehicle.isDefault && <Badge tone="primary">Default</Badge>}
      </div>
      {facts.length > 0 && (
        <dl className="grid gap-1 text-sm">
          {facts.map(([term, value]) => (
            <div key={term} className="flex gap-2">
              <dt className="w-24 shrink-0 text-muted">{term}</dt>
              <dd className="min-w-0 text-soft wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {!vehicle.isDefault && (
        <>
          <p aria-hidden className="text-sm font-medium text-accent">
            Make default
          </p>
          {/* The whole card is the button; its text stays readable in its own structure. */}
          <button
            type="button"
            disabled={changing}
            onClick={onChoose}
            aria-label={`Make ${vehicleName(vehicle)} the default vehicle`}
            className="absolute inset-0 rounded-lg"
          />
        </>
      )}
    </article>
  );
}
