import { useId, type ComponentProps } from 'react';
import { CONTROL_CLASS } from '@/components/ui/field';
import { describedBy, Labelled, type LabelProps } from '@/components/ui/labelled';

type SelectFieldProps = ComponentProps<'select'> & Omit<LabelProps, 'error'>;

/** A labelled choice from a short list. */
export function SelectField({ label, hint, required, className, ...props }: SelectFieldProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, required, className }}>
      <select
        id={id}
        aria-required={required}
        aria-describedby={describedBy(id, { hint })}
        className={`${CONTROL_CLASS} text-ellipsis`}
        {...props}
      />
    </Labelled>
  );
}
