import type { RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { RowActions } from '@/components/row-actions';
import { formatDay } from '@/lib/dates';
import { formatMiles, formatMoney } from '@/lib/format';

type RepairRowProps = {
  record: Schemas['Repair'];
  /** The vehicle's. */
  name: string;
  heading: RefObject<HTMLElement | null>;
  removing: boolean;
  onEdit: () => void;
  onRemove: () => Promise<unknown>;
};

export function RepairRow({ record, name, heading, removing, onEdit, onRemove }: RepairRowProps) {
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
      <RowActions
        what={`${record.partReplaced} of ${day}`}
        onEdit={onEdit}
        title="Delete this repair?"
        description={`${record.partReplaced}, ${name}, ${day}. This cannot be undone.`}
        pending={removing}
        focusOnConfirm={heading}
        onConfirm={onRemove}
      />
    </li>
  );
}
