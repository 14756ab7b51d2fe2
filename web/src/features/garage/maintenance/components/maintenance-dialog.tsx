import type { ComponentProps } from 'react';
import type { Schemas } from '@/api/client';
import type { FormDialog } from '@/components/form-dialog';
import { DoneDialog } from '@/features/garage/maintenance/components/done-dialog';
import { ItemDialog } from '@/features/garage/maintenance/components/item-dialog';
import { OdometerDialog } from '@/features/garage/maintenance/components/odometer-dialog';
import { SnoozeDialog } from '@/features/garage/maintenance/components/snooze-dialog';

export type ItemForm = 'done' | 'edit' | 'snooze';

/** What is filled in: something about the vehicle, or about one of its items. */
export type MaintenanceForm =
  { name: 'add' } | { name: 'mileage' } | { name: ItemForm; item: Schemas['MaintenanceItem'] };

type MaintenanceDialogProps = Pick<
  ComponentProps<typeof FormDialog>,
  'open' | 'onClose' | 'returnFocus'
> & {
  plan: Schemas['MaintenancePlan'];
  form: MaintenanceForm;
  onSaved: (reading: Schemas['SavedReading']) => void;
  onDone: (warnings: Schemas['Warning'][]) => void;
};

/** The dialog of a form about a vehicle, whether or not the vehicle is still shown. */
export function MaintenanceDialog({
  plan,
  form,
  onSaved,
  onDone,
  ...dialog
}: MaintenanceDialogProps) {
  if (form.name === 'mileage') return <OdometerDialog plan={plan} onSaved={onSaved} {...dialog} />;
  const { vehicleId, items } = plan;
  if (form.name === 'add') {
    const taken = items.map(({ item }) => item);
    return <ItemDialog vehicleId={vehicleId} item={null} taken={taken} {...dialog} />;
  }
  const item = items.find(({ item }) => item === form.item.item) ?? form.item;
  const props = { vehicleId, item, ...dialog };
  if (form.name === 'done') return <DoneDialog onDone={onDone} {...props} />;
  if (form.name === 'snooze') return <SnoozeDialog {...props} />;
  return <ItemDialog taken={[]} {...props} />;
}
