import { DifficultyGauge } from '@/components/pictures';
import { Badge } from '@/components/ui/badge';

const TONES = {
  easy: 'good',
  beginner: 'good',
  medium: 'warn',
  intermediate: 'warn',
  hard: 'bad',
  advanced: 'bad',
} as const;

type DifficultyBadgeProps = {
  /** The word of the guide or of the video; one that is not known here is shown all the same. */
  level: string;
};

export function DifficultyBadge({ level }: DifficultyBadgeProps) {
  return (
    <Badge tone={isKnown(level) ? TONES[level] : 'neutral'}>
      {isKnown(level) && <DifficultyGauge level={level} />}
      {level}
    </Badge>
  );
}

function isKnown(level: string): level is keyof typeof TONES {
  return level in TONES;
}
