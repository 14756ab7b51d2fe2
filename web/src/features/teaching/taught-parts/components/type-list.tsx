import { useQuery } from '@tanstack/react-query';
import { GraduationCap } from 'lucide-react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { categoryName } from '@/api/part-category';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { QueryState } from '@/components/query-state';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { catalogHref } from '@/config/paths';
import { ReferencePicture } from '@/components/reference-picture';
import { catalogQueries } from '@/features/teaching/taught-parts/queries';
import { countOf } from '@/lib/format';

/** Pictures shown of each part; the page of the part has them all. */
const PICTURES_SHOWN = 4;

type TypeListProps = {
  /** Null for those who may not teach. */
  onTeach: (() => void) | null;
};

/** The parts that were taught. */
export function TypeList({ onTeach }: TypeListProps) {
  const types = useQuery(catalogQueries.types());
  if (types.data === undefined) {
    return (
      <QueryState
        query={types}
        what="The taught parts"
        label="Loading taught parts"
        rowClassName="h-28"
      />
    );
  }
  if (types.data == null || types.data.length === 0) {
    return (
      <Card>
        <EmptyState
          picture={<EmptyShelf />}
          title="No parts taught yet"
          action={
            onTeach !== null && (
              <Button look="primary" onClick={onTeach}>
                <GraduationCap className="size-4" aria-hidden />
                Teach a Part
              </Button>
            )
          }
        >
          A few photos and a name are enough. The next scan can find the part.
        </EmptyState>
      </Card>
    );
  }
  return (
    <ul aria-label="Taught parts" className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {types.data.map((part) => (
        <li key={part.id}>
          <TypeCard part={part} />
        </li>
      ))}
    </ul>
  );
}

type TypeCardProps = { part: Schemas['TaughtPartType'] };

function TypeCard({ part }: TypeCardProps) {
  const { id, name, category, isShared, references } = part;
  return (
    <Link
      to={catalogHref(id)}
      className="grid h-full content-start gap-3 rounded-lg border bg-surface p-4 transition-colors hover:border-control hover:bg-hover"
    >
      <span className="font-semibold wrap-anywhere">{name}</span>
      <span className="flex flex-wrap gap-1.5">
        <Badge tone="outline">{categoryName(category)}</Badge>
        <Badge>{countOf(references.length, 'photo')}</Badge>
        {isShared && <Badge tone="primary">Known to all</Badge>}
      </span>
      <span className="grid grid-cols-4 gap-1.5">
        {references.slice(0, PICTURES_SHOWN).map((reference) => (
          <span
            key={reference.id}
            className="aspect-square overflow-hidden rounded-sm border bg-canvas"
          >
            <ReferencePicture url={reference.thumbnailUrl} alt="" />
          </span>
        ))}
      </span>
    </Link>
  );
}
