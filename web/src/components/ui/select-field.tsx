import { useId, type ComponentProps } from 'react';
import { CONTROL_CLASS } from '@/components/ui/field';
import { describedBy, Labelled, type LabelProps } from '@/components/ui/labelled';

type SelectFieldProps = ComponentProps<'select'> & LabelProps;

/** A labelled choice from a short list. */
export function SelectField({
  label,
  hint,
  error,
  required,
  className,
  ...props
}: SelectFieldProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, error, required, className }}>
      <select
        id={id}
        aria-required={required}
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, { hint, error })}
        className={`${CONTROL_CLASS} text-ellipsis`}
        {...props}
      />
    </Labelled>
  );
}
