import { useId, type ComponentProps } from 'react';
import { CONTROL_CLASS } from '@/components/ui/field';
import { classNames } from '@/lib/class-names';

type TextAreaFieldProps = ComponentProps<'textarea'> & { label: string };

/** A labelled text of several lines. */
export function TextAreaField({ label, className, ...props }: TextAreaFieldProps) {
  const id = useId();
  return (
    <div className={classNames('grid min-w-0 grid-cols-1 content-start gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <textarea
        id={id}
        dir="auto"
        rows={2}
        className={classNames(CONTROL_CLASS, 'py-2')}
        {...props}
      />
    </div>
  );
}
