import { useMutation, useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import { UNLIMITED } from '@/features/plans/subscription/model';
import { subscriptionMutations } from '@/features/plans/subscription/mutations';
import { subscriptionQueries } from '@/features/plans/subscription/queries';

type ResetScansButtonProps = { planType: Schemas['PlanType'] };

/** Offered where a paid plan's scans are still counted (specification 2, section 2). */
export function ResetScansButton({ planType }: ResetScansButtonProps) {
  const toast = useToast();
  const limits = useQuery(subscriptionQueries.limits());
  const reset = useMutation({
    mutationFn: subscriptionMutations.resetScans,
    onSuccess: () =>
      toast({ title: 'Unlimited scans activated', description: 'Your scans are not counted now.' }),
    onError: () =>
      toast({
        title: 'Reset failed',
        description: 'Unable to reset scan limits.',
        tone: 'bad',
      }),
  });
  if (planType === 'basic' || limits.data == null || limits.data.limit === UNLIMITED) return null;
  return (
    <Button look="primary" disabled={reset.isPending} onClick={() => reset.mutate()}>
      {reset.isPending ? 'Activating...' : 'Activate Unlimited Scans'}
    </Button>
  );
}
