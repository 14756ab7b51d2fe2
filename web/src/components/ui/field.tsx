import type { ComponentProps, ReactNode } from 'react';
import { useId } from 'react';
import { classNames } from '@/lib/class-names';

type FieldProps = ComponentProps<'input'> & {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  /** Stands over the right end of the input. */
  trailing?: ReactNode;
};

export const CONTROL_CLASS =
  'min-h-11 w-full rounded-md border border-control bg-canvas px-3 text-base text-ink sm:text-sm aria-invalid:border-bad disabled:opacity-60';

/** A labelled text input with its hint and its error tied to it for screen readers. */
export function Field({ label, hint, error, required, className, trailing, ...props }: FieldProps) {
  const id = useId();
  const describedBy = [hint && hint !== error && `${id}-hint`, error && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={classNames('grid min-w-0 grid-cols-1 content-start gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {required === true && (
          <span aria-hidden className="text-muted">
            {' '}
            *
          </span>
        )}
      </label>
      <div className="relative">
        <input
          id={id}
          dir="auto"
          aria-required={required}
          aria-invalid={error !== undefined}
          aria-describedby={describedBy || undefined}
          className={classNames(CONTROL_CLASS, Boolean(trailing) && 'pr-10')}
          {...props}
        />
        {trailing}
      </div>
      {hint !== undefined && hint !== error && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
