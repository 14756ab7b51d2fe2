import { useMutation } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import type { RefObject } from 'react';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useToast } from '@/components/ui/use-toast';
import { historyMutations } from '@/features/scanning/history/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';

type ClearAllProps = {
  /** The vehicle whose scans go, or null for all scans. */
  vehicle: { id: string; name: string } | null;
  /** Takes the focus when the list is gone. */
  heading: RefObject<HTMLHeadingElement | null>;
};

/** Clears the scan history after a question. */
export function ClearAll({ vehicle, heading }: ClearAllProps) {
  const toast = useToast();
  const fail = useFailureToast();
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
      description={`All scans${vehicle === null ? '' : ` for ${vehicle.name}`} are removed for good. Scans that were used stay used.`}
      confirmLabel="Clear All"
      focusOnConfirm={heading}
      onConfirm={() => clear.mutate(vehicle?.id ?? null)}
    />
  );
}
