import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { Schemas } from '@/api/client';
import { ErrorBoundary } from '@/components/error-boundary';
import { Badge } from '@/components/ui/badge';
import { Skeleton } from '@/components/ui/skeleton';
import { vehicleQueries } from '@/features/vehicles/queries';
import { vehicleName } from '@/lib/format';

// The dropdown brings a positioning library; a visitor's first load does without it.
const VehicleMenu = lazy(async () => ({
  default: (await import('@/features/vehicles/components/vehicle-menu')).VehicleMenu,
}));

type VehicleSwitcherProps = { signedIn: boolean };

/** The middle of the top bar: the default vehicle, and all others one tap away. */
export function VehicleSwitcher({ signedIn }: VehicleSwitcherProps) {
  const vehicles = useQuery({ ...vehicleQueries.list(), enabled: signedIn });
  if (!signedIn) return <Badge tone="outline">Sign in to manage vehicles</Badge>;
  if (vehicles.isPending) return <Waiting />;
  if (vehicles.isLoadingError) return <Badge tone="bad">Vehicles could not be loaded</Badge>;
  if (vehicles.data === null || vehicles.data.length === 0) {
    return <Badge tone="outline">No vehicles saved</Badge>;
  }
  return (
    <ErrorBoundary what="The list of vehicles" fallback={<DefaultName vehicles={vehicles.data} />}>
      <Suspense fallback={<Waiting />}>
        <VehicleMenu vehicles={vehicles.data} />
      </Suspense>
    </ErrorBoundary>
  );
}

type DefaultNameProps = { vehicles: Schemas['Vehicle'][] };

/** Stands in when the dropdown's code did not arrive: that must not take the screen along. */
function DefaultName({ vehicles }: DefaultNameProps) {
  const current = vehicles.find((vehicle) => vehicle.isDefault);
  return <Badge tone="outline">{current ? vehicleName(current) : 'No default vehicle'}</Badge>;
}

function Waiting() {
  return <Skeleton className="h-9 w-44" />;
}
