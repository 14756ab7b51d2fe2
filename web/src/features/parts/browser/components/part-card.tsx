import { ChevronRight, Clock } from 'lucide-react';
import { DifficultyBadge } from '@/components/difficulty-badge';
import { Badge } from '@/components/ui/badge';
import type { CategoryPart } from '@/features/parts/browser/model';

type PartCardProps = { part: CategoryPart; onOpen: () => void };

export function PartCard({ part, onOpen }: PartCardProps) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={onOpen}
      className="flex h-full w-full items-start gap-3 rounded-lg border bg-surface p-4 text-left transition-colors hover:border-control hover:bg-hover"
    >
      <span className="grid min-w-0 flex-1 gap-2">
        <bdi className="font-semibold wrap-anywhere">{part.name}</bdi>
        <span className="line-clamp-2 text-sm text-soft">{part.description}</span>
        <span className="flex flex-wrap gap-2">
          <DifficultyBadge level={part.difficultyLevel} />
          <Badge>
            <Clock className="size-3" aria-hidden />
            {part.estimatedTime}
          </Badge>
          {part.modelKnows && <Badge tone="good">Scanner knows it</Badge>}
        </span>
      </span>
      <ChevronRight className="mt-0.5 size-5 shrink-0 text-muted" aria-hidden />
    </button>
  );
}
