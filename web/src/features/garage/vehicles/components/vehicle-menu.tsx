import { Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { FocusEvent } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { VehicleButton } from '@/features/garage/vehicles/components/vehicle-button';
import { useDefaultVehicleChange } from '@/features/garage/vehicles/use-default-vehicle-change';
import { paths } from '@/config/paths';
import { countOf, vehicleName } from '@/lib/format';
import { vehicleNames } from '@/components/vehicle-names';

/** Above this many the menu leads to the page of vehicles as well, which searches them. */
const SEARCH_OFFERED_ABOVE = 20;

/** The menu comes open, and does not know by itself that a key asked for it. */
function focusFirstEntry({ target, currentTarget }: FocusEvent<HTMLElement>): void {
  if (target !== currentTarget || !target.matches(':focus-visible')) return;
  currentTarget.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
}

type VehicleMenuProps = { vehicles: Schemas['Vehicle'][] };

/**
 * The default vehicle with a dropdown of all; picking another makes it the default. It comes open: its
 * code is loaded for somebody who asked for it.
 */
export function VehicleMenu({ vehicles }: VehicleMenuProps) {
  const change = useDefaultVehicleChange('Failed to update default vehicle');
  const current = vehicles.find((vehicle) => vehicle.isDefault);
  return (
    <DropdownMenu.Root defaultOpen modal={false}>
      <DropdownMenu.Trigger asChild>
        <VehicleButton vehicle={current ? vehicleName(current) : null} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          sideOffset={8}
          collisionPadding={12}
          onFocus={focusFirstEntry}
          className="z-50 max-h-80 max-w-[min(28rem,calc(100vw-1.5rem))] min-w-64 animate-fade overflow-y-auto rounded-lg border bg-raised p-1.5 shadow-float"
        >
          <DropdownMenu.Label className="px-3 py-1.5 text-xs text-muted">
            Scans are for this vehicle
          </DropdownMenu.Label>
          {vehicles.length > SEARCH_OFFERED_ABOVE && (
            <DropdownMenu.Item asChild className="menu-entry font-medium text-accent">
              <Link to={paths.vehicle}>Search all {countOf(vehicles.length, 'vehicle')}</Link>
            </DropdownMenu.Item>
          )}
          <DropdownMenu.RadioGroup
            value={current?.id ?? ''}
            onValueChange={(id) => {
              if (id !== current?.id) change.mutate(id);
            }}
          >
            {[...vehicleNames(vehicles)].map(([id, name]) => (
              <DropdownMenu.RadioItem key={id} value={id} className="menu-entry gap-3">
                <bdi className="min-w-0 flex-1 wrap-anywhere">{name}</bdi>
                <DropdownMenu.ItemIndicator>
                  <Check className="size-4 text-accent" aria-hidden />
                </DropdownMenu.ItemIndicator>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
