import { useId, type ReactNode, type RefObject } from 'react';
import { Card } from '@/components/ui/card';
import { classNames } from '@/lib/class-names';

type SettingsCardProps = {
  title: string;
  /** The title, where it takes the focus from what goes. */
  heading?: RefObject<HTMLHeadingElement | null>;
  description?: ReactNode;
  /** Stands beside the title. */
  action?: ReactNode;
  className?: string;
  children?: ReactNode;
};

/** One subject of the account page. */
export function SettingsCard({
  title,
  heading,
  description,
  action,
  className,
  children,
}: SettingsCardProps) {
  const id = useId();
  return (
    <Card
      aria-labelledby={id}
      className={classNames('grid grid-cols-1 content-start gap-4', className)}
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-52">
          <h2 id={id} ref={heading} tabIndex={heading && -1} className="section-title">
            {title}
          </h2>
          {description !== undefined && (
            <p className="mt-1 text-sm text-balance text-muted">{description}</p>
          )}
        </div>
        {action}
      </div>
      {children}
    </Card>
  );
}
