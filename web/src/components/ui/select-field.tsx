import { useId, type ComponentProps } from 'react';
import { CONTROL_CLASS } from '@/components/ui/field';
import { classNames } from '@/lib/class-names';

type SelectFieldProps = ComponentProps<'select'> & { label: string; hint?: string | undefined };

/** A labelled choice from a short list. */
export function SelectField({ label, hint, required, className, ...props }: SelectFieldProps) {
  const id = useId();
  return (
    <div className={classNames('grid content-start gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {required === true && (
          <span aria-hidden className="text-muted">
            {' '}
            *
          </span>
        )}
      </label>
      <select
        id={id}
        aria-required={required}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className={CONTROL_CLASS}
        {...props}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
