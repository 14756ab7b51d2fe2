import type { Schemas } from '@/api/client';
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

const LEVELS = { easy: 1, beginner: 1, medium: 2, intermediate: 2, hard: 3, advanced: 3 } as const;

type DifficultyGaugeProps = { level: keyof typeof LEVELS };

/** Three rising bars, as many filled as the work is hard. The word stands beside it. */
function DifficultyGauge({ level }: DifficultyGaugeProps) {
  return (
    <svg viewBox="0 0 16 12" className="h-3 w-4" aria-hidden>
      {[1, 2, 3].map((bar) => (
        <rect
          key={bar}
          x={(bar - 1) * 5.5}
          y={12 - bar * 4}
          width="4"
          height={bar * 4}
          rx="1"
          fill="currentColor"
          opacity={bar <= LEVELS[level] ? 1 : 0.3}
        />
      ))}
    </svg>
  );
}
