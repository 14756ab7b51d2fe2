import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import { classNames } from '@/lib/class-names';

type BackLinkProps = { to: string; className?: string; children: string };

/** The way back, above the title of a page. */
export function BackLink({ to, className, children }: BackLinkProps) {
  return (
    <Link
      to={to}
      className={classNames(
        'flex w-fit small-button items-center gap-1.5 rounded-md text-sm font-medium text-soft hover:text-ink',
        className,
      )}
    >
      <ArrowLeft className="size-4" aria-hidden />
      {children}
    </Link>
  );
}
