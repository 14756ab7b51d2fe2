import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import type { Schemas } from '@/api/client';
import { EmptyState } from '@/components/empty-state';
import { RunningCosts } from '@/app/routes/vehicle-running-costs';
import { LoadFailure } from '@/components/load-failure';
import { OnDraft } from '@/components/on-draft';
import { Garage } from '@/components/pictures';
import { SignInLink } from '@/components/sign-in-link';
import { SignInRequired } from '@/components/sign-in-required';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { LoadingBlock } from '@/components/ui/skeleton';
import { authQueries } from '@/features/accounts/auth/queries';
import { CalendarLink } from '@/features/garage/maintenance/components/calendar-link';
import { MaintenancePanel } from '@/features/garage/maintenance/components/maintenance-panel';
import { OilChangePanel } from '@/features/garage/oil-changes/components/oil-change-panel';
import { RecallsPanel } from '@/features/garage/recalls/components/recalls-panel';
import { CsvPanel } from '@/features/garage/records-csv/components/csv-panel';
import { RepairPanel } from '@/features/garage/repair-history/components/repair-panel';
import { AddVehicleDialog } from '@/features/garage/vehicles/components/add-vehicle-dialog';
import { VehicleList } from '@/features/garage/vehicles/components/vehicle-list';
import { vehicleDraftKey } from '@/features/garage/vehicles/model';
import { vehicleQueries } from '@/features/garage/vehicles/queries';
import { isAddingVehicle } from '@/config/paths';
import { useDialog } from '@/hooks/use-dialog';

export function VehicleRoute() {
  const user = useQuery(authQueries.user());
  const signedIn = user.data != null;
  const vehicles = useQuery({ ...vehicleQueries.list(), enabled: signedIn });
  // Null for a visitor, also for one whose session ended a moment ago.
  const list = user.data == null ? user.data : vehicles.data;
  const isLed = useIsLedToAdd();
  const adding = useDialog(isLed);
  const heading = useRef<HTMLHeadingElement>(null);
  // The button of the empty state goes with it, and a link from elsewhere had none: then the heading has the focus.
  const [toHeading, setToHeading] = useState(isLed);
  const add = (
    <Button
      look="primary"
      onClick={() => {
        setToHeading(false);
        adding.show();
      }}
    >
      <Plus className="size-4" aria-hidden />
      Add Vehicle
    </Button>
  );

  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - My Vehicles</title>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h1 ref={heading} tabIndex={-1} className="page-title">
            My Vehicles
          </h1>
          {list != null && list.length > 1 && (
            <p className="mt-1 text-sm text-muted">Choose a card to make it the default.</p>
          )}
        </div>
        {list != null && list.length > 0 && add}
      </header>
      {(user.isPending || (signedIn && vehicles.isPending)) && (
        <LoadingBlock label="Loading vehicles" rowClassName="h-28" />
      )}
      {user.isLoadingError && <LoadFailure what="Your account" query={user} />}
      {vehicles.isLoadingError && <LoadFailure what="Vehicles" query={vehicles} />}
      {list === null && (
        <SignInRequired picture={<Garage />} action={<SignInLink />}>
          Sign in to save your vehicles.
        </SignInRequired>
      )}
      {list?.length === 0 && (
        <Card>
          <EmptyState picture={<Garage />} title="No vehicles saved" action={add}>
            Add the car you work on. Results, prices and guides are then for that car.
          </EmptyState>
        </Card>
      )}
      {list != null && <VehicleList vehicles={list} heading={heading} />}
      {list != null && <Records vehicles={list} />}
      {signedIn && <OnDraft draftKey={vehicleDraftKey(null)} then={adding.show} />}
      {signedIn && adding.turn > 0 && (
        <AddVehicleDialog
          key={adding.turn}
          {...adding.props}
          onSaved={() => setToHeading(list?.length === 0)}
          returnFocus={() => (toHeading ? heading.current : null)}
        />
      )}
    </div>
  );
}

/** Whether a link led here to add a vehicle; it holds once, not for a later reload of the page. */
function useIsLedToAdd(): boolean {
  const location = useLocation();
  const navigate = useNavigate();
  const [led] = useState(isAddingVehicle(location.state));
  const toForget = isAddingVehicle(location.state);
  useEffect(() => {
    if (toForget) void navigate({ search: location.search }, { replace: true });
  }, [toForget, navigate, location.search]);
  return led;
}

/** What is kept about the vehicles; with none, only the way to bring them in. */
function Records({ vehicles }: { vehicles: Schemas['Vehicle'][] }) {
  const [params] = useSearchParams();
  const asked = params.get('maintenance');
  // Without a vehicle it shows nothing but the form that was open when the last one was deleted.
  const maintenance = <MaintenancePanel key={asked} vehicles={vehicles} asked={asked} />;
  if (vehicles.length === 0) {
    return (
      <>
        {maintenance}
        <CsvPanel vehicles={vehicles} />
      </>
    );
  }
  return (
    <>
      {maintenance}
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
        <OilChangePanel vehicles={vehicles} />
        <RepairPanel vehicles={vehicles} part={params.get('repair')} scanId={params.get('scan')} />
      </div>
      <RecallsPanel vehicles={vehicles} />
      <RunningCosts vehicles={vehicles} />
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
        <CalendarLink />
        <CsvPanel vehicles={vehicles} />
      </div>
    </>
  );
}
