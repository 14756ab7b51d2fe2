import type { ReactNode } from 'react';

type FactProps = {
  term: string;
  children: ReactNode;
  /** Where it stands in the grid. */
  className?: string;
};

/** One cell of a list of facts about an account. */
export function Fact({ term, children, className = '' }: FactProps) {
  return (
    <div className={`bg-surface p-3 ${className}`}>
      <dt className="text-xs text-muted">{term}</dt>
      <dd className="mt-0.5 font-medium">{children}</dd>
    </div>
  );
}
