import { useId, type ComponentProps } from 'react';
import { CONTROL_CLASS } from '@/components/ui/field';
import { describedBy, Labelled, type LabelProps } from '@/components/ui/labelled';
import { useFocusBack } from '@/hooks/use-focus-back';

type SelectFieldProps = ComponentProps<'select'> & LabelProps;

/** A labelled choice from a short list. */
export function SelectField({
  label,
  hint,
  error,
  required,
  className,
  disabled = false,
  ...props
}: SelectFieldProps) {
  const id = useId();
  useFocusBack(disabled);
  return (
    <Labelled {...{ id, label, hint, error, required, className }}>
      <select
        id={id}
        disabled={disabled}
        aria-required={required}
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, { hint, error })}
        className={`${CONTROL_CLASS} text-ellipsis`}
        {...props}
      />
    </Labelled>
  );
}
