import type { ReactNode } from 'react';
import { classNames } from '@/lib/class-names';

export type LabelProps = {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
};

type LabelledProps = LabelProps & {
  /** Of the control. */
  id: string;
  required?: boolean | undefined;
  className?: string | undefined;
  children: ReactNode;
};

/** A control with its label above, its hint and its error below. */
export function Labelled({ id, label, hint, error, required, className, children }: LabelledProps) {
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
      {children}
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

/** Ties hint and error to the control, for screen readers. */
export function describedBy(id: string, { hint, error }: Omit<LabelProps, 'label'>) {
  const ids = [hint && hint !== error && `${id}-hint`, error && `${id}-error`].filter(Boolean);
  return ids.length === 0 ? undefined : ids.join(' ');
}
