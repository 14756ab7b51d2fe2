import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useToast } from '@/components/ui/use-toast';
import { scanMutations } from '@/features/scan/mutations';
import { outbox } from '@/features/scan/waiting/outbox';
import { waitingQuery } from '@/features/scan/waiting/queries';
import { photosOf } from '@/features/scan/waiting/waiting-scan';
import { formatPercent } from '@/lib/format';

/** Sends what waits for one person, and tells of each answer. */
export function useSendWaiting(userId: string): () => Promise<void> {
  const toast = useToast();
  const queryClient = useQueryClient();
  const { mutateAsync: identify } = useMutation(scanMutations.identify());
  return useCallback(async () => {
    await outbox.flush(
      userId,
      (scan) => identify({ photos: photosOf(scan), key: scan.id, vehicle: scan.vehicle }),
      ({ identification: { partName, confidence }, photoCount }) => {
        toast({
          title: photoCount > 1 ? 'Kept photos were answered' : 'A kept photo was answered',
          description: `${partName}, ${formatPercent(confidence)} match. It is in the scan history.`,
        });
      },
    );
    await queryClient.invalidateQueries({ queryKey: waitingQuery(userId).queryKey });
  }, [userId, identify, queryClient, toast]);
}
