import type { Schemas } from '@/api/client';

/** What a person said a scan shows in place of its answer; null where the answer stands. */
export function correctionOf({ feedback }: Schemas['RecentScan']): string | null {
  return feedback === null || feedback.answer === 'right'
    ? null
    : (feedback.name ?? feedback.label ?? 'Not a part');
}
