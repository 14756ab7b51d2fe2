import type { ReactNode } from 'react';
import { Link } from 'react-router';

type TextLinkProps = { to: string; children: ReactNode };

/** A link within a sentence. */
export function TextLink({ to, children }: TextLinkProps) {
  return (
    <Link to={to} className="font-medium text-accent underline underline-offset-4">
      {children}
    </Link>
  );
}
