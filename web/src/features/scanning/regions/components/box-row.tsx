import { BookOpen, Pencil, Trash2, Wrench } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { PartSearchBox } from '@/components/part-search-box';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { newRepairHref, partHref } from '@/config/paths';
import { nameOf, type Box } from '@/features/scanning/regions/boxes';
import { classNames } from '@/lib/class-names';
import { formatPercent } from '@/lib/format';

type BoxRowProps = {
  scanId: string;
  number: number;
  box: Box;
  active: boolean;
  busy: boolean;
  onActive: () => void;
  /** What a person says it is; null takes that back. */
  onCorrect: (corrected: Box['corrected']) => void;
  onRemove: () => void;
};

/** One part of the photo: its answer, and what can be done with it. */
export function BoxRow({
  scanId,
  number,
  box,
  active,
  busy,
  onActive,
  onCorrect,
  onRemove,
}: BoxRowProps) {
  const [choosing, setChoosing] = useState(false);
  const { answer, corrected } = box;
  const name = nameOf(box);
  return (
    <li
      className={classNames('grid grid-cols-1 gap-2 px-3 py-2.5', active && 'bg-hover')}
      onMouseEnter={onActive}
      onFocus={onActive}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="grid size-6 shrink-0 place-items-center rounded-sm bg-accent text-sm font-semibold text-on-accent">
          <span className="sr-only">Box </span>
          {number}
        </span>
        <bdi className="min-w-0 flex-1 font-medium wrap-anywhere">{name}</bdi>
        <RowBadge box={box} />
      </div>
      {answer !== null && corrected === null && answer.verdict === 'not-sure' && (
        <Alternatives answer={answer} />
      )}
      <div className="flex flex-wrap gap-1">
        <Button
          size="small"
          look="ghost"
          aria-expanded={choosing}
          aria-label={`Correct box ${number}, ${name}`}
          disabled={busy}
          onClick={() => setChoosing(!choosing)}
        >
          <Pencil className="size-4" aria-hidden />
          Correct
        </Button>
        {answer !== null && name === countedName(answer) && (
          <Links scanId={scanId} number={number} answer={answer} />
        )}
        <Button
          size="small"
          look="ghost"
          aria-label={`Delete box ${number}, ${name}`}
          disabled={busy}
          onClick={onRemove}
        >
          <Trash2 className="size-4" aria-hidden />
          Delete
        </Button>
      </div>
      {choosing && (
        <div className="grid gap-2">
          <PartSearchBox
            label={`Which part is in box ${number}?`}
            typesOnly
            autoFocus
            onChoose={(part) => {
              setChoosing(false);
              onCorrect({ label: part.label, name: part.name });
            }}
          />
          {corrected !== null && (
            <Button
              size="small"
              className="justify-self-start"
              onClick={() => {
                setChoosing(false);
                onCorrect(null);
              }}
            >
              Take the Correction Back
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

function countedName({ correctedName, partName }: Schemas['ScanRegion']): string {
  return correctedName ?? partName;
}

function RowBadge({ box: { answer, corrected } }: { box: Box }) {
  if (corrected !== null) return <Badge tone="good">By you</Badge>;
  if (answer === null) return <Badge tone="warn">Changed</Badge>;
  switch (answer.verdict) {
    case 'identified':
      return <Badge tone="good">{formatPercent(answer.confidence)} match</Badge>;
    case 'not-sure':
      return <Badge tone="warn">Not sure, {formatPercent(answer.confidence)}</Badge>;
    case 'not-a-part':
      return <Badge tone="outline">Not counted</Badge>;
  }
}

function Alternatives({ answer }: { answer: Schemas['ScanRegion'] }) {
  const others = answer.alternatives.slice(0, 2).map(({ name }) => name);
  return others.length === 0 ? null : (
    <p className="text-sm text-muted">Or {others.join(', or ')}</p>
  );
}

type LinksProps = { scanId: string; number: number; answer: Schemas['ScanRegion'] };

function Links({ scanId, number, answer }: LinksProps) {
  const name = countedName(answer);
  return (
    <>
      {answer.category !== null && (
        <Button asChild size="small" look="ghost">
          <Link
            to={partHref(answer.category, answer.correctedLabel ?? answer.label)}
            aria-label={`Details of box ${number}, ${name}`}
          >
            <BookOpen className="size-4" aria-hidden />
            Details
          </Link>
        </Button>
      )}
      <Button asChild size="small" look="ghost">
        <Link to={newRepairHref(name, scanId)} aria-label={`Log box ${number}, ${name}`}>
          <Wrench className="size-4" aria-hidden />
          Log
        </Link>
      </Button>
    </>
  );
}
