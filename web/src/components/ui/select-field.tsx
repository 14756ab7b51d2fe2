import { useId, type ComponentProps } from 'react';
import { CONTROL_CLASS } from '@/components/ui/field';
import { describedBy, Labelled, type LabelProps } from '@/components/ui/labelled';
import { useFocusBack } from '@/hooks/use-focus-back';

type SelectFieldProps = ComponentProps<'select'> &
  LabelProps & {
    /** What can be chosen, by value, behind the options that are children. */
    options?: Record<string, string> | Map<string, string>;
  };

/** A labelled choice from a short list. */
export function SelectField({
  label,
  hint,
  error,
  required,
  className,
  disabled = false,
  options = {},
  children,
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
      >
        {children}
        {[...(options instanceof Map ? options : Object.entries(options))].map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </Labelled>
  );
}
