import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { formatPercent } from '@/lib/format';

/** Above this the badge has its primary look (specification 1, section 2). */
const SURE = 0.8;

type MatchBadgeProps = {
  confidence: number;
  verdict: Schemas['ScanVerdict'];
  /** The confidence as a percentage, where whole ones do not do. */
  percent?: string;
};

export function MatchBadge({
  confidence,
  verdict,
  percent = formatPercent(confidence),
}: MatchBadgeProps) {
  // A high match among the known parts says little of a photo that is unlike all of them.
  const primary = verdict === 'identified' && confidence > SURE;
  return <Badge tone={primary ? 'primary' : 'neutral'}>{percent} match</Badge>;
}
