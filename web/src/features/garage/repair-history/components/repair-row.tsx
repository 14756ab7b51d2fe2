import { Pencil } from 'lucide-react';
import type { RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { DeleteButton } from '@/components/delete-button';
import { Button } from '@/components/ui/button';
import { formatDay } from '@/lib/dates';
import { formatMiles, formatMoney, vehicleName } from '@/lib/format';

type RepairRowProps = {
  record: Schemas['Repair'];
  heading: RefObject<HTMLElement | null>;
  removing: boolean;
  onEdit: () => void;
  onRemove: () => void;
};

export function RepairRow({ record, heading, removing, onEdit, onRemove }: RepairRowProps) {
  const day = formatDay(record.repairDate);
  return (
    <li className="flex items-start gap-2 py-3">
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">
          <bdi>{record.partReplaced}</bdi>
        </p>
        {(record.partNumber != null || record.partBrand != null) && (
          <p className="text-sm wrap-anywhere text-soft">
            <span className="sr-only">Part </span>
            {[record.partBrand, record.partNumber].filter(Boolean).join(' ')}
          </p>
        )}
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>{formatMiles(record.mileage)}</span>
          <span>{day}</span>
          {record.cost != null && (
            <span className="text-soft tabular-nums">{formatMoney(record.cost)}</span>
          )}
        </p>
        {record.notes != null && (
          <p dir="auto" className="mt-1 text-sm wrap-anywhere whitespace-pre-line text-muted">
            {record.notes}
          </p>
        )}
      </div>
      <div className="-mt-1.5 -mr-2 flex shrink-0">
        <Button
          look="ghost"
          size="icon"
          aria-label={`Edit ${record.partReplaced} of ${day}`}
          onClick={onEdit}
        >
          <Pencil className="size-4" aria-hidden />
        </Button>
        <DeleteButton
          label={`Delete ${record.partReplaced} of ${day}`}
          title="Delete this repair?"
          description={`${record.partReplaced}, ${vehicleName(record.vehicle)}, ${day}. This cannot be undone.`}
          confirmLabel="Delete"
          pending={removing}
          focusOnConfirm={heading}
          onConfirm={onRemove}
        />
      </div>
    </li>
  );
}
