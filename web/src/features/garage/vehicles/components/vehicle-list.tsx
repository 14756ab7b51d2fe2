import { Search } from 'lucide-react';
import { useState, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { vehicleNames } from '@/components/vehicle-names';
import { EditVehicleDialog } from '@/features/garage/vehicles/components/edit-vehicle-dialog';
import { VehicleCard } from '@/features/garage/vehicles/components/vehicle-card';
import { SEARCH_ABOVE, searchVehicles } from '@/features/garage/vehicles/model';
import { useDefaultVehicleChange } from '@/features/garage/vehicles/use-default-vehicle-change';
import { useAddressText } from '@/hooks/use-address-text';
import { useDialog } from '@/hooks/use-dialog';
import { countOf } from '@/lib/format';

/** Cards that are drawn at once: with hundreds the page would stand still. */
const PAGE_SIZE = 60;

type VehicleListProps = {
  vehicles: Schemas['Vehicle'][];
  /** Takes the focus when a card is gone. */
  heading: RefObject<HTMLElement | null>;
};

/** The cards of the vehicles, and the dialog that edits one: it stays where its card goes. */
export function VehicleList({ vehicles, heading }: VehicleListProps) {
  const editing = useDialog();
  const [edited, setEdited] = useState<Schemas['Vehicle'] | null>(null);
  const latest = vehicles.find(({ id }) => id === edited?.id);
  const edit = (vehicle: Schemas['Vehicle']) => {
    setEdited(vehicle);
    editing.show();
  };
  return (
    <>
      {vehicles.length > 0 && <Cards vehicles={vehicles} heading={heading} onEdit={edit} />}
      {edited !== null && (
        <EditVehicleDialog
          key={editing.turn}
          vehicle={latest ?? edited}
          isGone={latest === undefined}
          returnFocus={() => (latest === undefined ? heading.current : null)}
          {...editing.props}
        />
      )}
    </>
  );
}

type CardsProps = VehicleListProps & { onEdit: (vehicle: Schemas['Vehicle']) => void };

function Cards({ vehicles, heading, onEdit }: CardsProps) {
  const change = useDefaultVehicleChange('Failed to set default vehicle. Please try again.');
  const [search, setSearch] = useAddressText('q');
  const [drawn, setDrawn] = useState(PAGE_SIZE);
  // Once for all cards: a fleet has thousands of vehicles.
  const names = vehicleNames(vehicles);
  const searchable = vehicles.length > SEARCH_ABOVE;
  // Kept, it would hide the next vehicle that is added, by words that nobody sees any more.
  if (!searchable && search !== '') setSearch('');
  const shown = searchable ? searchVehicles(vehicles, search) : vehicles;
  return (
    <div className="grid gap-4">
      {searchable && (
        <Field
          type="search"
          label="Search vehicles"
          placeholder="Year, make, model, VIN or plate"
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="max-w-md"
          trailing={
            <Search
              className="pointer-events-none absolute top-3.5 right-3 size-4 text-muted"
              aria-hidden
            />
          }
        />
      )}
      <p role="status" className={search === '' || shown.length > 0 ? 'sr-only' : 'text-muted'}>
        {search !== '' &&
          (shown.length === 0
            ? `No vehicle fits “${search}”.`
            : `${countOf(shown.length, 'vehicle')} found`)}
      </p>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {shown.slice(0, drawn).map((vehicle) => (
          <li key={vehicle.id}>
            <VehicleCard
              vehicle={vehicle}
              names={names}
              heading={heading}
              onChoose={() => change.mutate(vehicle.id)}
              onEdit={() => onEdit(vehicle)}
              changing={change.isPending}
            />
          </li>
        ))}
      </ul>
      {shown.length > drawn && (
        <Button className="justify-self-center" onClick={() => setDrawn(drawn + PAGE_SIZE)}>
          Show more of {countOf(shown.length, 'vehicle')}
        </Button>
      )}
    </div>
  );
}
