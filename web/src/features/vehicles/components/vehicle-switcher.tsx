import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Badge } from '@/components/ui/badge';
import { Skeleton } from '@/components/ui/skeleton';
import { vehicleQueries } from '@/features/vehicles/queries';

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
    <Suspense fallback={<Waiting />}>
      <VehicleMenu vehicles={vehicles.data} />
    </Suspense>
  );
}

function Waiting() {
  return <Skeleton className="h-9 w-44" />;
}
