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
  /** What the vehicles are called, by id. */
  names: Map<string, string>;
  /** Takes the focus when the card is gone. */
  heading: RefObject<HTMLElement | null>;
};

/** Deletes a vehicle after a question that names what goes with it. */
export function DeleteVehicle({ vehicle, names, heading }: DeleteVehicleProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const nameOf = (named: Schemas['Vehicle']) => names.get(named.id) ?? vehicleName(named);
  const name = nameOf(vehicle);
  const remove = useMutation({
    mutationFn: vehicleMutations.remove,
    onSuccess: (deleted) =>
      toast({ title: 'Vehicle deleted', description: wentWith(name, deleted, nameOf) }),
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
      onConfirm={() => remove.mutateAsync(vehicle.id)}
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
        {records.data !== undefined && goesWithIt(records.data)}
      </p>
      <p className="mt-2">Scans stay in the history. This cannot be undone.</p>
    </>
  );
}

/** What most vehicles have none of is named where there is some. */
function goesWithIt({ oilChanges, repairs }: { oilChanges: number; repairs: number }): string {
  const records = [...recordCount(oilChanges, 'oil change'), ...recordCount(repairs, 'repair')];
  const rest = 'reminders, odometer readings and own oil values';
  return records.length === 0
    ? `It has no oil changes and no repairs. Any ${rest} go with it.`
    : `With it go ${records.join(' and ')}, and any ${rest}.`;
}

function recordCount(count: number, one: string): string[] {
  if (count === 0) return [];
  return [count >= COUNTED_RECORDS ? `${COUNTED_RECORDS} or more ${one}s` : countOf(count, one)];
}

function wentWith(
  name: string,
  deleted: Schemas['DeletedVehicle'],
  nameOf: (vehicle: Schemas['Vehicle']) => string,
): string {
  const parts: string[] = [];
  if (deleted.oilChanges > 0) parts.push(countOf(deleted.oilChanges, 'oil change'));
  if (deleted.repairs > 0) parts.push(countOf(deleted.repairs, 'repair'));
  if (deleted.maintenanceItems > 0)
    parts.push(countOf(deleted.maintenanceItems, 'reminder setting'));
  if (deleted.odometerReadings > 0)
    parts.push(countOf(deleted.odometerReadings, 'odometer reading'));
  if (deleted.ownOil) parts.push('your own oil values');
  const list = new Intl.ListFormat('en-US').format(parts);
  const gone = list === '' ? `${name} is gone.` : `${name} is gone, with ${list}.`;
  const next = deleted.defaultVehicle;
  return next === null ? gone : `${gone} The default vehicle is ${nameOf(next)}.`;
}
