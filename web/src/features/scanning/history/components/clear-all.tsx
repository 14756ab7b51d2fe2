import { useMutation } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import type { RefObject } from 'react';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useToast } from '@/components/ui/use-toast';
import { historyMutations } from '@/features/scanning/history/mutations';
import { useBatchLoss } from '@/features/scanning/history/use-batch-loss';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatCount } from '@/lib/format';

type ClearAllProps = {
  /** The vehicle whose scans go, or null for all scans. */
  vehicle: { id: string; name: string } | null;
  /** How many scans that is; null while only some of them are known here. */
  count: number | null;
  /** Takes the focus when the list is gone. */
  heading: RefObject<HTMLHeadingElement | null>;
};

/** Clears the scan history after a question. */
export function ClearAll({ vehicle, count, heading }: ClearAllProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const batchLoss = useBatchLoss('scans');
  const clear = useMutation({
    mutationFn: historyMutations.clearHistory,
    onSuccess: () =>
      toast({ title: 'History cleared', description: 'The scans have been removed.' }),
    onError: (error) => fail(error, 'Failed to clear the history. Please try again.'),
  });
  return (
    <ConfirmDialog
      trigger={
        <Button look="ghost" size="small" disabled={clear.isPending}>
          <Trash2 className="size-4" aria-hidden />
          Clear All
        </Button>
      }
      title="Clear scan history?"
      description={`${whatGoes(vehicle, count)} removed for good.${batchLoss} Scans that were used stay used.`}
      confirmLabel="Clear All"
      focusOnConfirm={heading}
      onConfirm={() => clear.mutateAsync(vehicle?.id ?? null)}
    />
  );
}

/** The subject and its verb: whoever confirms must know that more goes than the list in view. */
function whatGoes(vehicle: ClearAllProps['vehicle'], count: number | null): string {
  const whose = vehicle === null ? '' : ` for ${vehicle.name}`;
  if (count === null) return `All scans${whose}, also those not shown here, are`;
  return count === 1 ? `The only scan${whose} is` : `All ${formatCount(count)} scans${whose} are`;
}
