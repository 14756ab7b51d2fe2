import { useMutation, useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useState, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { DeleteButton } from '@/components/delete-button';
import { QueryState } from '@/components/query-state';
import { useToast } from '@/components/ui/use-toast';
import { maintenanceMutations } from '@/features/garage/maintenance/mutations';
import { maintenanceQueries } from '@/features/garage/maintenance/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatDay } from '@/lib/dates';
import { formatMiles } from '@/lib/format';

type OdometerReadingsProps = {
  vehicleId: string;
  heading: RefObject<HTMLElement | null>;
  onRemoved: (reading: Schemas['Reading']) => void;
};

/** Behind a fold, the mileages that were noted between records: a mistyped one can be deleted. */
export function OdometerReadings({ vehicleId, heading, onRemoved }: OdometerReadingsProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex min-h-10 w-fit cursor-pointer list-none items-center gap-1.5 rounded-md text-sm font-medium text-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 group-open:rotate-90" aria-hidden />
        Noted mileages
      </summary>
      {open && <ReadingList vehicleId={vehicleId} heading={heading} onRemoved={onRemoved} />}
    </details>
  );
}

function ReadingList({ vehicleId, heading, onRemoved }: OdometerReadingsProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const readings = useQuery(maintenanceQueries.readings(vehicleId));
  const remove = useMutation({
    mutationFn: maintenanceMutations.removeReading(vehicleId),
    onSuccess: () =>
      toast({ title: 'Mileage deleted', description: 'Due dates have been recalculated.' }),
    onError: (error) => fail(error, 'Please try again.', 'The mileage could not be deleted'),
  });
  return (
    <div className="grid gap-2">
      <QueryState query={readings} what="Mileages" label="Loading mileages" rows={2} />
      {readings.data?.length === 0 && (
        <p className="text-sm text-muted">
          None yet. Mileages of oil changes and repairs are changed in those records.
        </p>
      )}
      {readings.data != null && readings.data.length > 0 && (
        <ul aria-label="Noted mileages" className="max-h-72 divide-y overflow-y-auto border-y">
          {readings.data.map((reading) => {
            const day = formatDay(reading.date);
            const miles = formatMiles(reading.mileage);
            return (
              <li
                key={`${reading.date} ${reading.mileage}`}
                className="flex items-center justify-between gap-2 py-1"
              >
                <p className="text-sm">
                  <span className="font-medium">{miles}</span>{' '}
                  <span className="text-muted">on {day}</span>
                </p>
                <DeleteButton
                  label={`Delete ${miles} on ${day}`}
                  title="Delete this mileage?"
                  description={`${miles} on ${day}. This cannot be undone.`}
                  confirmLabel="Delete"
                  pending={remove.isPending}
                  focusOnConfirm={heading}
                  onConfirm={() =>
                    remove.mutateAsync(reading, { onSuccess: () => onRemoved(reading) })
                  }
                />
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
