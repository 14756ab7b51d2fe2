import type { ReactNode } from 'react';

type EmptyStateProps = {
  picture: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
};

export function EmptyState({ picture, title, children, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-3 px-4 py-8 text-center">
      <div className="text-muted">{picture}</div>
      <div>
        <p className="font-medium text-balance">{title}</p>
        {children !== undefined && (
          <p className="mt-1 text-sm text-balance text-muted">{children}</p>
        )}
      </div>
      {action}
    </div>
  );
}
