import { queryOptions } from '@tanstack/react-query';
import { listWaiting, readOwner } from '@/features/scanning/offline-queue/store';

/** The photographs of one person that wait in this browser, the oldest first. */
export const waitingQuery = (userId: string) =>
  queryOptions({
    queryKey: ['waiting', 'list', { userId }],
    queryFn: () => listWaiting(userId),
    // Another tab may have sent some.
    refetchOnWindowFocus: 'always',
  });

/** Whether any of them can be sent; read anew with the list, whose photographs it does not hold. */
export const unsentQuery = (userId: string) =>
  queryOptions({
    queryKey: [...waitingQuery(userId).queryKey, 'unsent'],
    queryFn: async () => (await listWaiting(userId)).some(({ refusal }) => refusal === null),
    refetchOnWindowFocus: 'always',
  });

/** Who used this browser last and has not signed out, for when no server can say so. */
export const ownerQuery = () =>
  queryOptions({ queryKey: ['waiting', 'owner'], queryFn: readOwner });
