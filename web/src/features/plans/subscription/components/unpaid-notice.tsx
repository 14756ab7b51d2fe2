import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { payHref } from '@/features/plans/subscription/plans';

type UnpaidNoticeProps = {
  status: Schemas['SubscriptionStatus'];
  /** What the way to pay is called. */
  action: string;
  /** What follows from the payment that is open. */
  children: string;
};

/** The last payment did not go through, with the way to pay it. */
export function UnpaidNotice({ status, action, children }: UnpaidNoticeProps) {
  const href = payHref({ plan: status.paidPlan, interval: status.interval });
  return (
    <Notice
      tone="warn"
      title="The last payment did not go through"
      action={
        href !== null && (
          <Button asChild size="small">
            <Link reloadDocument to={href}>
              {action}
            </Link>
          </Button>
        )
      }
    >
      {children}
    </Notice>
  );
}
