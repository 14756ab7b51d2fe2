import { Check } from 'lucide-react';
import { useRef, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { ItemMenu } from '@/features/garage/maintenance/components/item-menu';
import type { ItemForm } from '@/features/garage/maintenance/components/maintenance-dialog';
import {
  dueText,
  intervalText,
  lastText,
  pastText,
  stateOf,
} from '@/features/garage/maintenance/model';
import { useFocusHeir } from '@/hooks/use-focus-heir';
import { formatDay } from '@/lib/dates';

type MaintenanceRowProps = {
  vehicleId: string;
  item: Schemas['MaintenanceItem'];
  /** Of the vehicle; null while none is known. */
  odometerMileage: number | null;
  /** Takes the focus when the row goes, or moves into the other list. */
  heading: RefObject<HTMLElement | null>;
  onShow: (form: ItemForm) => void;
};

export function MaintenanceRow({
  vehicleId,
  item,
  odometerMileage,
  heading,
  onShow,
}: MaintenanceRowProps) {
  const row = useRef<HTMLLIElement>(null);
  useFocusHeir(row, () => heading.current);
  const state = stateOf(item);
  const past = pastText(item, odometerMileage);
  return (
    <li ref={row} className="flex flex-wrap items-start gap-x-3 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <bdi className="font-medium wrap-anywhere">{item.name}</bdi>
          <Badge tone={state.tone}>{state.word}</Badge>
          {past !== null && <Badge tone="warn">{past}</Badge>}
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-sm text-soft">
          <span>{dueText(item)}</span>
          {item.projectedOn !== null && item.projectedOn === item.dueDate && (
            <span className="text-muted">about {formatDay(item.projectedOn)} by mileage</span>
          )}
          {item.snoozedUntil !== null && (
            <span className="text-muted">quiet until {formatDay(item.snoozedUntil)}</span>
          )}
        </p>
        <p className="flex flex-wrap gap-x-3 text-xs text-muted">
          <span>
            {intervalText(item)}
            {item.ownInterval && ', set by you'}
          </span>
          <span>{lastText(item)}</span>
        </p>
      </div>
      <div className="flex items-center gap-1">
        <Button size="small" aria-label={`Done: ${item.name}`} onClick={() => onShow('done')}>
          <Check className="size-4" aria-hidden />
          Done
        </Button>
        <ItemMenu vehicleId={vehicleId} item={item} onShow={onShow} />
      </div>
    </li>
  );
}
