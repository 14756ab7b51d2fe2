import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { itemsOf } from '@/api/page';
import { EmptyState } from '@/components/empty-state';
import { LoadFailure } from '@/components/load-failure';
import { LoadMore } from '@/components/load-more';
import { Logbook } from '@/components/pictures';
import { useToast } from '@/components/ui/use-toast';
import { RepairRow } from '@/features/garage/repair-history/components/repair-row';
import { groupRepairs } from '@/features/garage/repair-history/model';
import { repairMutations } from '@/features/garage/repair-history/mutations';
import { repairQueries } from '@/features/garage/repair-history/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatMoney } from '@/lib/format';
import { vehicleNames } from '@/components/vehicle-names';

type RepairListProps = {
  vehicles: Schemas['Vehicle'][];
  /** Whose repairs are listed; null for those of all. */
  vehicleId: string | null;
  heading: RefObject<HTMLElement | null>;
  onEdit: (record: Schemas['Repair']) => void;
  onRemoved: (id: string) => void;
};

/** The repairs of one vehicle or of all, grouped by vehicle. */
export function RepairList({ vehicles, vehicleId, heading, onEdit, onRemoved }: RepairListProps) {
  const records = useInfiniteQuery(repairQueries.list(vehicleId));
  const remove = useRemoval();
  const names = vehicleNames(vehicles);
  const groups = groupRepairs(itemsOf(records.data?.pages));
  if (records.isPending) {
    return (
      <p role="status" className="py-8 text-center text-sm text-muted">
        Loading repairs...
      </p>
    );
  }
  if (records.isLoadingError) {
    return <LoadFailure what="Repairs" query={records} />;
  }
  if (groups.length === 0) {
    return (
      <EmptyState picture={<Logbook />} title="No repair history yet">
        Add your first repair to start tracking maintenance
      </EmptyState>
    );
  }
  return (
    <div className="grid gap-5">
      {groups.map((group) => {
        const name = names.get(group.vehicleId) ?? group.name;
        return (
          <section key={group.vehicleId} aria-labelledby={`repairs-${group.vehicleId}`}>
            <h3
              id={`repairs-${group.vehicleId}`}
              className="flex flex-wrap items-baseline justify-between gap-x-3 border-b pb-2 text-sm font-medium text-soft"
            >
              <bdi className="wrap-anywhere">{name}</bdi>
            </h3>
            <ul className="divide-y">
              {group.repairs.map((record) => (
                <RepairRow
                  key={record.id}
                  record={record}
                  name={name}
                  heading={heading}
                  removing={remove.isPending}
                  onEdit={() => onEdit(record)}
                  onRemove={() =>
                    remove.mutateAsync(record.id, { onSuccess: () => onRemoved(record.id) })
                  }
                />
              ))}
            </ul>
            <Total repairs={group.repairs} complete={!records.hasNextPage} />
          </section>
        );
      })}
      <LoadMore query={records} />
    </div>
  );
}

type TotalProps = { repairs: Schemas['Repair'][]; complete: boolean };

/** What the repairs cost in all. Nothing while some are not loaded: a part is no total. */
function Total({ repairs, complete }: TotalProps) {
  const costs = repairs.flatMap(({ cost }) => cost ?? []);
  if (!complete || costs.length < 2) return null;
  const cents = costs.reduce((sum, cost) => sum + Math.round(cost * 100), 0);
  return (
    <p className="border-t pt-2 text-right text-sm text-muted">
      Total <span className="font-medium text-soft tabular-nums">{formatMoney(cents / 100)}</span>
    </p>
  );
}

function useRemoval() {
  const toast = useToast();
  const fail = useFailureToast();
  return useMutation({
    mutationFn: repairMutations.remove,
    onSuccess: () =>
      toast({ title: 'Repair deleted', description: 'The repair record has been removed.' }),
    onError: (error) => fail(error, 'Failed to delete repair'),
  });
}
