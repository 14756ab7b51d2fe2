import { useId, type ComponentProps, type ReactNode } from 'react';
import { describedBy, Labelled, type LabelProps } from '@/components/ui/labelled';
import { classNames } from '@/lib/class-names';

type FieldProps = ComponentProps<'input'> &
  LabelProps & {
    /** Stands over the right end of the input. */
    trailing?: ReactNode;
  };

export const CONTROL_CLASS =
  'min-h-11 w-full rounded-md border border-control bg-canvas px-3 text-base text-ink sm:text-sm aria-invalid:border-bad disabled:opacity-60';

/** A labelled text input. */
export function Field({ label, hint, error, required, className, trailing, ...props }: FieldProps) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, error, required, className }}>
      <div className="relative">
        <input
          id={id}
          dir="auto"
          aria-required={required}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy(id, { hint, error })}
          className={classNames(CONTROL_CLASS, Boolean(trailing) && 'pr-10')}
          {...props}
        />
        {trailing}
      </div>
    </Labelled>
  );
}
