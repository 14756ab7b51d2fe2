import { useMutation, useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import type { RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useToast } from '@/components/ui/use-toast';
import { vehicleMutations } from '@/features/garage/vehicles/mutations';
import { COUNTED_RECORDS, vehicleQueries } from '@/features/garage/vehicles/queries';
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
    mutationFn: vehicleMutations.remove,
    onSuccess: (deleted) =>
      toast({ title: 'Vehicle deleted', description: wentWith(name, deleted) }),
    onError: (error) => fail(error, 'Failed to delete vehicle. Please try again.'),
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
      onConfirm={() => remove.mutate(vehicle.id)}
    />
  );
}

function GoesWithIt({ vehicleId }: { vehicleId: string }) {
  const records = useQuery({ ...vehicleQueries.records(vehicleId), staleTime: 0 });
  return (
    <>
      <p aria-live="polite">
        {records.isPending && 'Counting its records...'}
        {records.isError &&
          'All of its oil changes, repairs, reminders, odometer readings and your own oil values for it go with it.'}
        {records.data !== undefined &&
          `With it go ${recordCount(records.data.oilChanges, 'oil change')} and ${recordCount(records.data.repairs, 'repair')}, its reminders, its odometer readings and your own oil values for it.`}
      </p>
      <p className="mt-2">Scans stay in the history. This cannot be undone.</p>
    </>
  );
}

function recordCount(count: number, one: string): string {
  return count >= COUNTED_RECORDS ? `${COUNTED_RECORDS} or more ${one}s` : countOf(count, one);
}

function wentWith(name: string, deleted: Schemas['DeletedVehicle']): string {
  const parts = [countOf(deleted.oilChanges, 'oil change'), countOf(deleted.repairs, 'repair')];
  // What most vehicles have none of is named where there was some.
  if (deleted.maintenanceItems > 0)
    parts.push(countOf(deleted.maintenanceItems, 'reminder setting'));
  if (deleted.odometerReadings > 0)
    parts.push(countOf(deleted.odometerReadings, 'odometer reading'));
  if (deleted.ownOil) parts.push('your own oil values');
  const gone = `${name} is gone, with ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}.`;
  const next = deleted.defaultVehicle;
  return next === null ? gone : `${gone} The default vehicle is ${vehicleName(next)}.`;
}
