import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { itemsOf } from '@/api/page';
import { EmptyState } from '@/components/empty-state';
import { QueryState } from '@/components/query-state';
import { LoadMore } from '@/components/load-more';
import { OilCan } from '@/components/pictures';
import { useToast } from '@/components/ui/use-toast';
import { vehicleNames } from '@/components/vehicle-names';
import { VehicleSelect } from '@/components/vehicle-select';
import { OilChangeRow } from '@/features/garage/oil-changes/components/oil-change-row';
import { nameOfVehicle } from '@/features/garage/oil-changes/model';
import { oilChangeMutations } from '@/features/garage/oil-changes/mutations';
import { oilChangeQueries } from '@/features/garage/oil-changes/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';

type OilChangeListProps = {
  vehicles: Schemas['Vehicle'][];
  heading: RefObject<HTMLElement | null>;
  onEdit: (record: Schemas['OilChange']) => void;
  onRemoved: (id: string) => void;
};

/** The logged oil changes of one vehicle, the default one at first. */
export function OilChangeList({ vehicles, heading, onEdit, onRemoved }: OilChangeListProps) {
  const [chosen, setChosen] = useState('');
  // Once for all rows: a fleet has thousands of vehicles.
  const names = vehicleNames(vehicles);
  const other = vehicles.find((vehicle) => vehicle.id === chosen && !vehicle.isDefault);
  const records = useInfiniteQuery(oilChangeQueries.list(other?.id ?? null));
  const remove = useRemoval();
  const shown = itemsOf(records.data?.pages);
  const defaultId = vehicles.find((vehicle) => vehicle.isDefault)?.id ?? '';
  return (
    <div className="grid gap-3">
      {vehicles.length > 1 && (
        <VehicleSelect
          vehicles={vehicles}
          label="Show oil changes of"
          value={other?.id ?? defaultId}
          onChange={(event) => setChosen(event.target.value)}
          className="max-w-xs"
        />
      )}
      <QueryState query={records} what="Oil changes" label="Loading oil changes..." rows={2} />
      {records.data !== undefined && shown.length === 0 && (
        <EmptyState picture={<OilCan />} title="No oil changes yet">
          Add the last one you remember: the next is reckoned from it.
        </EmptyState>
      )}
      {shown.length > 0 && (
        <ul aria-label="Oil changes" className="divide-y border-y">
          {shown.map((record) => (
            <OilChangeRow
              key={record.id}
              record={record}
              name={nameOfVehicle(names, record.vehicleId)}
              heading={heading}
              removing={remove.isPending}
              onEdit={() => onEdit(record)}
              onRemove={() =>
                remove.mutateAsync(record.id, { onSuccess: () => onRemoved(record.id) })
              }
            />
          ))}
        </ul>
      )}
      <LoadMore query={records} />
    </div>
  );
}

function useRemoval() {
  const toast = useToast();
  const fail = useFailureToast();
  return useMutation({
    mutationFn: oilChangeMutations.remove,
    onSuccess: () =>
      toast({
        title: 'Oil change deleted',
        description: 'The oil change record has been removed.',
      }),
    onError: (error) => fail(error, 'Please try again.', 'Failed to delete oil change'),
  });
}
