import { useId, type ComponentProps } from 'react';
import { CONTROL_CLASS } from '@/components/ui/field';
import { describedBy, Labelled, type LabelProps } from '@/components/ui/labelled';
import { classNames } from '@/lib/class-names';

type TextAreaFieldProps = ComponentProps<'textarea'> & LabelProps;

/** A labelled text of several lines. */
export function TextAreaField({
  label,
  hint,
  error,
  required,
  className,
  ...props
}: TextAreaFieldProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, error, required, className }}>
      <textarea
        id={id}
        dir="auto"
        rows={2}
        aria-required={required}
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, { hint, error })}
        className={classNames(CONTROL_CLASS, 'py-2')}
        {...props}
      />
    </Labelled>
  );
}
