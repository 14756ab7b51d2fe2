import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { timeLimit } from '@/api/time-limit';
import { userQuery } from '@/api/user';
import { useToast } from '@/components/ui/use-toast';
import { identify } from '@/features/scanning/identify';
import { DELETED_SINCE, OtherPersonError, outbox } from '@/features/scanning/offline-queue/outbox';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import { bytesOf, photosOf } from '@/features/scanning/offline-queue/waiting-scan';
import { formatPercent } from '@/lib/format';

/** How long an answer is waited for, in ms, besides the time that the photographs take. Later they are sent again. */
const ANSWER_MS = 60_000;
/** Bytes that the slowest connection sends in a ms: 128 kbit/s. */
const SLOWEST = 16;

/** Sends what waits for one person, and tells of each answer. */
export function useSendWaiting(userId: string): () => Promise<void> {
  const toast = useToast();
  const queryClient = useQueryClient();
  const { mutateAsync: send } = useMutation({ mutationFn: identify });
  return useCallback(async () => {
    await outbox.flush(
      userId,
      async (scan) => {
        // All tabs share the cookie: somebody else may have signed in in another one. Theirs is not the vehicle.
        const user = await queryClient.query(userQuery());
        if (user?.id !== userId) throw new OtherPersonError();
        return send({
          photos: photosOf(scan),
          key: scan.id,
          vehicle: scan.vehicle,
          several: scan.isOfSeveral,
          signal: timeLimit(ANSWER_MS + bytesOf([scan]) / SLOWEST),
        });
      },
      ({ identification: { partName, confidence }, photoCount }) => {
        toast({
          title: photoCount > 1 ? 'Kept photos were answered' : 'A kept photo was answered',
          description: `${partName}, ${formatPercent(confidence)} match. It is in the scan history.`,
        });
      },
      () => {
        toast({
          title: 'A kept photo was dropped',
          description: DELETED_SINCE,
        });
      },
    );
    await queryClient.invalidateQueries({ queryKey: waitingQuery(userId).queryKey });
  }, [userId, send, queryClient, toast]);
}
