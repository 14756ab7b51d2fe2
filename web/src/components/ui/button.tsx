import { Children, cloneElement, type ComponentProps, type ReactElement } from 'react';
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
  children,
  ...props
}: ButtonProps) {
  useFocusBack(disabled);
  const looks = classNames(
    'inline-flex items-center justify-center gap-2 rounded-md text-sm font-medium transition-colors select-none',
    LOOKS[look],
    SIZES[size],
    className,
  );
  if (asChild) {
    // Radix has a part for this, which also joins handlers and references: it is a kilobyte of the first load.
    const link = Children.only(children) as ReactElement<{ className?: string }>;
    const className = classNames(looks, link.props.className);
    return cloneElement(link, { ...props, ...link.props, className });
  }
  return (
    <button type={type} disabled={disabled} className={looks} {...props}>
      {children}
    </button>
  );
}
