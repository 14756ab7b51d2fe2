import type { Schemas } from '@/api/client';
import { DifficultyGauge } from '@/components/pictures';
import { Badge } from '@/components/ui/badge';

type Difficulty = Schemas['PartDifficulty'] | Schemas['VideoDifficulty'];

const TONES = {
  easy: 'good',
  beginner: 'good',
  medium: 'warn',
  intermediate: 'warn',
  hard: 'bad',
  advanced: 'bad',
} as const satisfies Record<Difficulty, string>;

type DifficultyBadgeProps = {
  /** The word of the guide or of the video. */
  level: Difficulty;
};

export function DifficultyBadge({ level }: DifficultyBadgeProps) {
  return (
    <Badge tone={TONES[level]}>
      <DifficultyGauge level={level} />
      {level}
    </Badge>
  );
}
