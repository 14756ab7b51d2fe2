import { Badge } from '@/components/ui/badge';
import { formatPercent } from '@/lib/format';

/** Above this the badge has its primary look (specification 1, section 2). */
const SURE = 0.8;

type MatchBadgeProps = { confidence: number };

export function MatchBadge({ confidence }: MatchBadgeProps) {
  return (
    <Badge tone={confidence > SURE ? 'primary' : 'neutral'}>
      {formatPercent(confidence)} match
    </Badge>
  );
}
