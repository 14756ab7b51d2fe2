import { useQuery } from '@tanstack/react-query';
import { userQuery } from '@/api/user';

const LOSSES = {
  scan: ' A batch that has this scan loses its answer, and its grade and feedback are gone.',
  scans: ' Batches lose the answers of these scans, and their grades and feedback are gone.',
};

/** What a deletion takes out of batches, as the next sentence of its question; empty for who has no tools of a shop. */
export function useBatchLoss(what: keyof typeof LOSSES): string {
  const user = useQuery(userQuery());
  return user.data?.planType === 'business' ? LOSSES[what] : '';
}
