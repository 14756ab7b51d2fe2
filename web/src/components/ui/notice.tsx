import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { classNames } from '@/lib/class-names';

type NoticeProps = {
  id?: string;
  tone: 'info' | 'good' | 'warn' | 'bad';
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** A button to try once more, or to do away with the notice. */
  onRetry?: () => void;
  onDismiss?: () => void;
  className?: string;
};

const TONES = {
  info: { frame: 'border-accent/35 bg-accent-wash', mark: 'text-accent', Icon: Info },
  good: { frame: 'border-good/45 bg-good-wash', mark: 'text-good', Icon: CircleCheck },
  warn: { frame: 'border-warn/45 bg-warn-wash', mark: 'text-warn', Icon: TriangleAlert },
  bad: { frame: 'border-bad/45 bg-bad-wash', mark: 'text-bad', Icon: CircleAlert },
};

export function Notice({
  id,
  tone,
  title,
  children,
  action,
  onRetry,
  onDismiss,
  className,
}: NoticeProps) {
  const { frame, mark, Icon } = TONES[tone];
  return (
    <div
      id={id}
      className={classNames(
        'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border p-4',
        frame,
        className,
      )}
    >
      <div className="flex min-w-0 flex-1 basis-56 gap-3">
        <Icon className={classNames('mt-0.5 size-5 shrink-0', mark)} aria-hidden />
        <div className="min-w-0">
          <p className={classNames('font-semibold wrap-anywhere', mark)}>{title}</p>
          {children !== undefined && <div className="mt-0.5 text-sm text-soft">{children}</div>}
        </div>
      </div>
      {action}
      {onRetry !== undefined && (
        <Button size="small" onClick={onRetry}>
          Try Again
        </Button>
      )}
      {onDismiss !== undefined && (
        <Button size="small" onClick={onDismiss}>
          Dismiss
        </Button>
      )}
    </div>
  );
}
