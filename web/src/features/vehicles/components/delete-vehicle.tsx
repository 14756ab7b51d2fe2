import { useMutation, useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import type { RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useToast } from '@/components/ui/use-toast';
import { vehicleMutations } from '@/features/vehicles/mutations';
import { COUNTED_RECORDS, vehicleQueries } from '@/features/vehicles/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { countOf, vehicleName } from '@/lib/format';

type DeleteVehicleProps = {
  vehicle: Schemas['Vehicle'];
  /** Takes the focus when the card is gone. */
  heading: RefObject<HTMLElement | null>;
};

/** Deletes a vehicle after a question that names what goes with it. */
export function DeleteVehicle({ vehicle, heading }: DeleteVehicleProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const name = vehicleName(vehicle);
  const remove = useMutation({
    ...vehicleMutations.remove(),
    onSuccess: (deleted) => {
      toast({ title: 'Vehicle deleted', description: wentWith(name, deleted) });
    },
    onError: (error) => {
      fail(error, 'Failed to delete vehicle. Please try again.');
    },
  });
  return (
    <ConfirmDialog
      trigger={
        <Button
          look="ghost"
          size="icon"
          aria-label={`Delete ${name}`}
          disabled={remove.isPending}
          className="relative"
        >
          <Trash2 className="size-4" aria-hidden />
        </Button>
      }
      title={`Delete ${name}?`}
      description={<GoesWithIt vehicleId={vehicle.id} />}
      confirmLabel="Delete Vehicle"
      focusOnConfirm={heading}
      onConfirm={() => {
        remove.mutate(vehicle.id);
      }}
    />
  );
}

function GoesWithIt({ vehicleId }: { vehicleId: string }) {
  const records = useQuery({ ...vehicleQueries.records(vehicleId), staleTime: 0 });
  return (
    <>
      <p aria-live="polite">
        {records.isPending && 'Counting its records...'}
        {records.isError && 'All of its oil changes and repairs go with it.'}
        {records.data !== undefined &&
          `With it go ${recordCount(records.data.oilChanges, 'oil change')} and ${recordCount(records.data.repairs, 'repair')}, its reminders and its odometer readings.`}
      </p>
      <p className="mt-2">Scans stay in the history. This cannot be undone.</p>
    </>
  );
}

function recordCount(count: number, one: string): string {
  return count >= COUNTED_RECORDS ? `${COUNTED_RECORDS} or more ${one}s` : countOf(count, one);
}

function wentWith(name: string, deleted: Schemas['DeletedVehicle']): string {
  const gone = `${name} is gone, with ${countOf(deleted.oilChanges, 'oil change')} and ${countOf(deleted.repairs, 'repair')}.`;
  const next = deleted.defaultVehicle;
  return next === null ? gone : `${gone} The default vehicle is ${vehicleName(next)}.`;
}
