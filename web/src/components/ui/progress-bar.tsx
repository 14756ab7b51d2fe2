import type { ComponentProps } from 'react';
import { classNames } from '@/lib/class-names';

type ProgressBarProps = Omit<ComponentProps<'progress'>, 'children'> & { 'aria-label': string };

/** How far something is. Browsers paint a bar of another height than theirs in a green of their own. */
export function ProgressBar({ className, ...props }: ProgressBarProps) {
  return (
    <progress
      className={classNames(
        'h-2 appearance-none overflow-hidden rounded-full bg-raised',
        '[&::-moz-progress-bar]:bg-accent',
        '[&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-accent',
        className,
      )}
      {...props}
    />
  );
}
