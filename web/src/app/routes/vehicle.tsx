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
import { authQueries } from '@/features/auth/queries';
import { AddVehicleDialog } from '@/features/vehicles/components/add-vehicle-dialog';
import { VehicleList } from '@/features/vehicles/components/vehicle-list';
import { vehicleQueries } from '@/features/vehicles/queries';
import { useSignInRedirect } from '@/hooks/use-sign-in-redirect';

export function VehicleRoute() {
  const user = useQuery(authQueries.user());
  const signedIn = user.data != null;
  const vehicles = useQuery({ ...vehicleQueries.list(), enabled: signedIn });
  // Null for a visitor, also for one whose session ended a moment ago.
  const list = user.data == null ? user.data : vehicles.data;
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
      <title>Partsight - My Vehicles</title>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h1 className="page-title">My Vehicles</h1>
          {list != null && list.length > 1 && (
            <p className="mt-1 text-sm text-muted">Choose a card to make it the default.</p>
          )}
        </div>
        {list != null && list.length > 0 && add}
      </header>
      {(user.isPending || (signedIn && vehicles.isPending)) && (
        <LoadingBlock label="Loading vehicles" rowClassName="h-28" />
      )}
      {user.isLoadingError && (
        <LoadFailure what="Your account" error={user.error} onRetry={() => void user.refetch()} />
      )}
      {vehicles.isLoadingError && (
        <LoadFailure
          what="Vehicles"
          error={vehicles.error}
          onRetry={() => void vehicles.refetch()}
        />
      )}
      {list === null && <SignInRequired />}
      {list?.length === 0 && (
        <Card>
          <EmptyState picture={<Garage />} title="No vehicles saved" action={add}>
            Add the car you work on. Results, prices and guides are then for that car.
          </EmptyState>
        </Card>
      )}
      {list != null && list.length > 0 && <VehicleList vehicles={list} />}
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
