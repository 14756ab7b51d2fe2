import { useQuery } from '@tanstack/react-query';
import { scanQueries } from '@/features/scanning/history/queries';
import { changesAnswer, readingQuery } from '@/features/scanning/result/reading-queries';
import type { ScanView } from '@/features/scanning/result/scan-view';

/** An answer, and what a number on the part has since made of it; `isShownAgain` where it was closed in between. */
export function useAmendedView(view: ScanView, isShownAgain = false): ScanView {
  const { data: reading } = useQuery(readingQuery(view.id));
  const { data: amended } = useQuery({
    ...scanQueries.one(view.id),
    enabled: isShownAgain || changesAnswer(reading),
  });
  if (amended === undefined) return view;
  // What was said of the scan meanwhile stays with the form in which it was said, while that is there.
  const { feedback } = isShownAgain ? amended : view;
  return { ...view, ...amended, thumbnailUrl: view.thumbnailUrl, feedback };
}
