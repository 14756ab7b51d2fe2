import { Check } from 'lucide-react';
import { useRef, useState, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { DoneDialog } from '@/features/garage/maintenance/components/done-dialog';
import { ItemDialog } from '@/features/garage/maintenance/components/item-dialog';
import { ItemMenu } from '@/features/garage/maintenance/components/item-menu';
import { SnoozeDialog } from '@/features/garage/maintenance/components/snooze-dialog';
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
  /** Called when it was logged. */
  onDone: (warnings: Schemas['Warning'][]) => void;
};

/** Which dialog of a row is open; `turn` counts openings, so that each begins afresh. */
type OpenDialog = { name: 'none' | 'done' | 'edit' | 'snooze'; turn: number };

export function MaintenanceRow({
  vehicleId,
  item,
  odometerMileage,
  heading,
  onDone,
}: MaintenanceRowProps) {
  const [dialog, setDialog] = useState<OpenDialog>({ name: 'none', turn: 0 });
  const row = useRef<HTMLLIElement>(null);
  useFocusHeir(row, () => heading.current);
  const state = stateOf(item);
  const past = pastText(item, odometerMileage);
  const show = (name: OpenDialog['name']) => setDialog({ name, turn: dialog.turn + 1 });
  const dialogProps = (name: OpenDialog['name']) => ({
    vehicleId,
    item,
    open: dialog.name === name,
    onClose: () => setDialog({ ...dialog, name: 'none' }),
  });
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
        <Button size="small" aria-label={`Done: ${item.name}`} onClick={() => show('done')}>
          <Check className="size-4" aria-hidden />
          Done
        </Button>
        <ItemMenu vehicleId={vehicleId} item={item} onShow={show} />
      </div>
      {dialog.turn > 0 && (
        <div key={dialog.turn} className="contents">
          <DoneDialog {...dialogProps('done')} onDone={onDone} />
          <ItemDialog {...dialogProps('edit')} taken={[]} />
          <SnoozeDialog {...dialogProps('snooze')} />
        </div>
      )}
    </li>
  );
}
