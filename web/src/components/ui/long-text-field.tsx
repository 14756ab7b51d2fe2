import { useId, type ComponentProps } from 'react';
import { CONTROL_CLASS } from '@/components/ui/field';
import { classNames } from '@/lib/class-names';

type LongTextFieldProps = ComponentProps<'textarea'> & {
  label: string;
  error?: string | undefined;
};

/** A labelled text of several lines, with its error tied to it for screen readers. */
export function LongTextField({ label, error, required, className, ...props }: LongTextFieldProps) {
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
      <textarea
        id={id}
        dir="auto"
        aria-required={required}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        className={classNames(CONTROL_CLASS, 'py-2.5')}
        {...props}
      />
      {error !== undefined && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
