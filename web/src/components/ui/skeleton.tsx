import { classNames } from '@/lib/class-names';

type SkeletonProps = { className?: string };

/** A grey shape in the place of what is on its way. Decoration: the status text is beside it. */
export function Skeleton({ className }: SkeletonProps) {
  return (
    <div aria-hidden className={classNames('animate-pulse rounded-md bg-raised', className)} />
  );
}

type LoadingBlockProps = {
  label: string;
  rows?: number;
  className?: string;
  rowClassName?: string;
};

export function LoadingBlock({
  label,
  rows = 3,
  className = 'grid gap-3',
  rowClassName = 'h-16',
}: LoadingBlockProps) {
  return (
    <div role="status" className={className}>
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} className={rowClassName} />
      ))}
    </div>
  );
}
