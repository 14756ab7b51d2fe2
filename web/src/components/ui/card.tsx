import type { ComponentProps } from 'react';
import { classNames } from '@/lib/class-names';

export function Card({ className, ...props }: ComponentProps<'section'>) {
  return (
    <section
      className={classNames('rounded-lg border bg-surface p-4 sm:p-5', className)}
      {...props}
    />
  );
}
