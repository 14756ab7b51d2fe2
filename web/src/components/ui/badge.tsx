import type { ComponentProps } from 'react';
import { classNames } from '@/lib/class-names';

type BadgeProps = ComponentProps<'span'> & {
  /** `custom` leaves the colours to `className`. */
  tone?: 'primary' | 'neutral' | 'good' | 'warn' | 'bad' | 'outline' | 'custom';
};

const TONES = {
  primary: 'bg-accent text-on-accent',
  neutral: 'bg-raised text-soft',
  good: 'bg-good-wash text-good',
  warn: 'bg-warn-wash text-warn',
  bad: 'bg-bad-wash text-bad',
  outline: 'border border-control/60 text-soft',
  custom: '',
};

export function Badge({ tone = 'neutral', className, ...props }: BadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1 rounded-full px-2.5 py-0.5 text-xs font-semibold',
        TONES[tone],
        className,
      )}
      {...props}
    />
  );
}
