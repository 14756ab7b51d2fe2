import { useQuery } from '@tanstack/react-query';
import { remainingText } from '@/features/plans/subscription/account-texts';
import { allowanceOf } from '@/features/plans/subscription/model';
import { subscriptionQueries } from '@/features/plans/subscription/queries';

export function ScansRemaining() {
  const limits = useQuery(subscriptionQueries.limits());
  const status = useQuery(subscriptionQueries.status());
  if (limits.isPending || status.isPending) return <>Loading...</>;
  return <>{remainingText(allowanceOf(limits.data, status.data))}</>;
}
