import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { EmptyState } from '@/components/empty-state';
import { LoadFailure } from '@/components/load-failure';
import { Garage } from '@/components/pictures';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { LoadingBlock } from '@/components/ui/skeleton';
import { useToast } from '@/components/ui/use-toast';
import { serverPaths } from '@/config/paths';
import { AddVehicleDialog } from '@/features/vehicles/components/add-vehicle-dialog';
import { VehicleList } from '@/features/vehicles/components/vehicle-list';
import { vehicleQueries } from '@/features/vehicles/queries';
import { useSignInRedirect } from '@/hooks/use-sign-in-redirect';

export function VehicleRoute() {
  const vehicles = useQuery(vehicleQueries.list());
  const [adding, setAdding] = useState(false);
  const toast = useToast();
  const goToSignIn = useSignInRedirect();
  const add = (
    <Button
      look="primary"
      onClick={() => {
        setAdding(true);
      }}
    >
      <Plus className="size-4" aria-hidden />
      Add Vehicle
    </Button>
  );

  return (
    <div className="page grid gap-5">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h1 className="page-title">My Vehicles</h1>
          {vehicles.data != null && vehicles.data.length > 1 && (
            <p className="mt-1 text-sm text-muted">Choose a card to make it the default.</p>
          )}
        </div>
        {vehicles.data != null && vehicles.data.length > 0 && add}
      </header>
      {vehicles.isPending && <LoadingBlock label="Loading vehicles" rowClassName="h-28" />}
      {vehicles.isLoadingError && (
        <LoadFailure
          what="Vehicles"
          error={vehicles.error}
          onRetry={() => void vehicles.refetch()}
        />
      )}
      {vehicles.data === null && <SignInRequired />}
      {vehicles.data?.length === 0 && (
        <Card>
          <EmptyState picture={<Garage />} title="No vehicles saved" action={add}>
            Add the car you work on. Results, prices and guides are then for that car.
          </EmptyState>
        </Card>
      )}
      {vehicles.data != null && vehicles.data.length > 0 && (
        <VehicleList vehicles={vehicles.data} />
      )}
      <AddVehicleDialog
        open={adding}
        onClose={() => {
          setAdding(false);
        }}
        onSignedOut={() => {
          toast({
            title: 'Unauthorized',
            description: 'You are logged out. Logging in again...',
            tone: 'bad',
          });
          goToSignIn();
        }}
      />
    </div>
  );
}

function SignInRequired() {
  return (
    <Card>
      <EmptyState
        picture={<Garage />}
        title="Sign In Required"
        action={
          <Button asChild look="primary">
            <a href={serverPaths.signIn}>Sign In</a>
          </Button>
        }
      >
        Sign in to save your vehicles.
      </EmptyState>
    </Card>
  );
}
