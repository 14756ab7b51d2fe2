import { Slot } from 'radix-ui';
import type { ComponentProps } from 'react';
import { useFocusBack } from '@/hooks/use-focus-back';
import { classNames } from '@/lib/class-names';

type ButtonProps = ComponentProps<'button'> & {
  look?: 'primary' | 'secondary' | 'ghost' | 'danger';
  size?: 'medium' | 'small' | 'icon';
  /** Renders the single child (a link) with the looks of a button. */
  asChild?: boolean;
};

const LOOKS = {
  primary:
    'bg-accent text-on-accent hover:bg-accent-strong disabled:bg-raised disabled:text-muted aria-disabled:bg-raised aria-disabled:text-muted',
  secondary:
    'border border-control/60 bg-raised text-ink hover:border-control hover:bg-hover disabled:text-muted disabled:hover:bg-raised aria-disabled:text-muted aria-disabled:hover:bg-raised',
  ghost: 'text-soft hover:bg-hover hover:text-ink disabled:text-muted aria-disabled:text-muted',
  danger: 'border border-bad/50 bg-bad-wash text-bad hover:border-bad disabled:opacity-60',
};

const SIZES = {
  medium: 'min-h-11 px-4',
  small: 'small-button px-3',
  icon: 'icon-button',
};

export function Button({
  look = 'secondary',
  size = 'medium',
  asChild = false,
  className,
  type = 'button',
  disabled = false,
  ...props
}: ButtonProps) {
  useFocusBack(disabled);
  const Element = asChild ? Slot.Root : 'button';
  return (
    <Element
      {...(asChild ? {} : { type, disabled })}
      className={classNames(
        'inline-flex items-center justify-center gap-2 rounded-md text-sm font-medium transition-colors select-none',
        LOOKS[look],
        SIZES[size],
        className,
      )}
      {...props}
    />
  );
}
