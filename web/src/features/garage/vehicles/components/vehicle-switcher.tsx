import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { Schemas } from '@/api/client';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { Badge } from '@/components/ui/badge';
import { Skeleton } from '@/components/ui/skeleton';
import { VehicleButton } from '@/features/garage/vehicles/components/vehicle-button';
import { vehicleQueries } from '@/features/garage/vehicles/queries';
import { vehicleName } from '@/lib/format';

const loadMenu = () => import('@/features/garage/vehicles/components/vehicle-menu');
const loadAhead = () => void loadMenu().catch(() => undefined);
// The dropdown brings a positioning library; it is loaded for those who reach for it.
const VehicleMenu = lazyComponent(async () => (await loadMenu()).VehicleMenu);

type VehicleSwitcherProps = { signedIn: boolean };

/** The middle of the top bar: the default vehicle, and all others one tap away. */
export function VehicleSwitcher({ signedIn }: VehicleSwitcherProps) {
  const vehicles = useQuery({ ...vehicleQueries.list(), enabled: signedIn });
  // Null for somebody whose session ended a moment ago.
  if (!signedIn || vehicles.data === null) {
    return <Badge tone="outline">Sign in to manage vehicles</Badge>;
  }
  if (vehicles.isPending) return <Skeleton className="h-9 w-44" />;
  if (vehicles.isLoadingError) return <Badge tone="bad">Vehicles could not be loaded</Badge>;
  if (vehicles.data.length === 0) return <Badge tone="outline">No vehicles saved</Badge>;
  return <Switcher vehicles={vehicles.data} />;
}

type SwitcherProps = { vehicles: Schemas['Vehicle'][] };

function Switcher({ vehicles }: SwitcherProps) {
  // Counted: what did not come at the first time is asked for at the next.
  const [timesAsked, setTimesAsked] = useState(0);
  const current = vehicles.find((vehicle) => vehicle.isDefault);
  const button = (
    <VehicleButton
      vehicle={current ? vehicleName(current) : null}
      aria-expanded={false}
      onPointerEnter={loadAhead}
      onFocus={loadAhead}
      onClick={() => setTimesAsked(timesAsked + 1)}
    />
  );
  if (timesAsked === 0) return button;
  return (
    <ErrorBoundary what="The list of vehicles" attempt={timesAsked} fallback={button}>
      <Suspense fallback={button}>
        <VehicleMenu vehicles={vehicles} />
      </Suspense>
    </ErrorBoundary>
  );
}
