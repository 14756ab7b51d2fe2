import type { ComponentProps } from 'react';
import { Field } from '@/components/ui/field';
import { TextAreaField } from '@/components/ui/text-area-field';

type RecordFieldProps = Omit<ComponentProps<typeof Field>, 'label'>;

/** What the odometer showed. */
export function MileageField(props: RecordFieldProps) {
  return (
    <Field
      label="Mileage"
      inputMode="numeric"
      autoComplete="off"
      className="max-sm:col-span-2"
      required
      {...props}
    />
  );
}

/** The day that a record is of. */
export function DateField(props: RecordFieldProps) {
  return <Field label="Date" type="date" className="max-sm:col-span-2" required {...props} />;
}

export function CostField(props: RecordFieldProps) {
  return <Field label="Cost in dollars" inputMode="decimal" autoComplete="off" {...props} />;
}

export function NotesField(props: Omit<ComponentProps<typeof TextAreaField>, 'label'>) {
  return <TextAreaField label="Notes" maxLength={2000} className="col-span-2" {...props} />;
}
