import type { RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { RowActions } from '@/components/row-actions';
import { formatDay } from '@/lib/dates';
import { formatMiles, formatMoney } from '@/lib/format';

type OilChangeRowProps = {
  record: Schemas['OilChange'];
  /** The vehicle's. */
  name: string;
  heading: RefObject<HTMLElement | null>;
  removing: boolean;
  onEdit: () => void;
  onRemove: () => Promise<unknown>;
};

export function OilChangeRow({
  record,
  name,
  heading,
  removing,
  onEdit,
  onRemove,
}: OilChangeRowProps) {
  const day = formatDay(record.changeDate);
  const facts = [
    record.oilType,
    record.oilBrand,
    record.filterBrand && `${record.filterBrand} filter`,
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <li className="flex items-start gap-2 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium">{formatMiles(record.mileage)}</span>
          <span className="text-sm text-muted">{day}</span>
          {record.cost != null && (
            <span className="text-sm text-soft tabular-nums">{formatMoney(record.cost)}</span>
          )}
        </p>
        <p className="text-sm text-soft wrap-anywhere">
          {name}
          {facts !== '' && ` · ${facts}`}
        </p>
        {record.notes != null && (
          <p dir="auto" className="mt-1 text-sm wrap-anywhere whitespace-pre-line text-muted">
            {record.notes}
          </p>
        )}
      </div>
      <RowActions
        what={`oil change of ${day}, ${formatMiles(record.mileage)}`}
        onEdit={onEdit}
        title="Delete this oil change?"
        description={`${name}, ${formatMiles(record.mileage)}, ${day}. This cannot be undone.`}
        pending={removing}
        focusOnConfirm={heading}
        onConfirm={onRemove}
      />
    </li>
  );
}
