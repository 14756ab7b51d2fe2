import { useId, useState, type ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { formatCount } from '@/lib/format';

/** Findings shown at first; what comes after is less grave. */
const SHOWN = 10;

type FindingsProps<Item> = {
  title: string;
  /** What it means and what to do. */
  advice: string;
  /** What is said where there are none. */
  none: string;
  items: Item[];
  /** How many there are in all, where not all came. */
  total?: number;
  children: (item: Item) => ReactNode;
};

/** One kind of finding, the worst first. */
export function Findings<Item>({
  title,
  advice,
  none,
  items,
  total = items.length,
  children,
}: FindingsProps<Item>) {
  const id = useId();
  const [all, setAll] = useState(false);
  const shown = all ? items : items.slice(0, SHOWN);
  return (
    <Card aria-labelledby={id} className="grid grid-cols-1 content-start gap-4">
      <header className="grid gap-1">
        <h2 id={id} className="section-title flex flex-wrap items-center gap-2">
          {title}
          <Badge tone={total > 0 ? 'warn' : 'good'}>{formatCount(total)}</Badge>
        </h2>
        <p className="text-sm text-muted">{items.length === 0 ? none : advice}</p>
      </header>
      {items.length > 0 && (
        <ul className="grid grid-cols-1 gap-x-8 gap-y-4 lg:grid-cols-2">
          {shown.map((item, index) => (
            <li key={index} className="grid content-start gap-2 border-t pt-4">
              {children(item)}
            </li>
          ))}
        </ul>
      )}
      {!all && items.length > SHOWN && (
        <Button size="small" className="justify-self-start" onClick={() => setAll(true)}>
          Show {formatCount(items.length - SHOWN)} More
        </Button>
      )}
      {(all || items.length <= SHOWN) && total > items.length && (
        <p className="text-sm text-muted">
          {formatCount(total - items.length)} more come up once these are corrected.
        </p>
      )}
    </Card>
  );
}
