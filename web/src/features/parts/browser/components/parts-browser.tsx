import { useQuery } from '@tanstack/react-query';
import { ChevronRight, Search } from 'lucide-react';
import { useRef, type ReactNode, type RefObject } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { categoryName } from '@/api/part-category';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { QueryState } from '@/components/query-state';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { CONTROL_CLASS } from '@/components/ui/field';
import { Notice } from '@/components/ui/notice';
import { catalogHref } from '@/config/paths';
import { PartCard } from '@/features/parts/browser/components/part-card';
import { PartPanel } from '@/features/parts/browser/components/part-panel';
import {
  categoryBadgeClass,
  matchingParts,
  searchPlaceholder,
  type CategoryPart,
  type PartCategory,
} from '@/features/parts/browser/model';
import { partQueries } from '@/features/parts/browser/queries';
import { useAddressText } from '@/hooks/use-address-text';
import { useOpened } from '@/hooks/use-opened';
import { countOf, vehicleName } from '@/lib/format';

/** Cards shown while the parts are on their way (specification 2, section 9). */
const SKELETON_CARDS = 6;

/** Of the cards, and of what stands in their place while they are loaded. */
const CARD_GRID = 'grid gap-3 md:grid-cols-2 xl:grid-cols-3';

type PartsBrowserProps = {
  category: PartCategory;
  vehicle: Schemas['Vehicle'];
  offers: (answer: Schemas['PartSuppliers']) => ReactNode;
  /** What other features have to say of the opened part. */
  extras?: (partId: string) => ReactNode;
};

/** The parts of a category for the default vehicle. The opened part and the search are in the address. */
export function PartsBrowser({ category, vehicle, offers, extras }: PartsBrowserProps) {
  const parts = useQuery(partQueries.category(category));
  const [text, setText] = useAddressText('q');
  const search = useRef<HTMLInputElement>(null);
  const list = parts.data ?? [];
  const placeholder = searchPlaceholder(category);
  // Where there is no field, nobody could see what the address leaves out.
  const shown = placeholder === null ? list : matchingParts(list, text);
  const { opened: asked, open, close } = useOpened('part');
  const opened = list.find(({ id }) => id === asked);

  return (
    <>
      <header className="grid grid-cols-1 gap-1">
        <div className="flex flex-wrap items-center gap-3">
          <h1 className="page-title">{categoryName(category)}</h1>
          {parts.data !== undefined && (
            <Badge tone="custom" className={categoryBadgeClass(category)}>
              {countOf(list.length, 'part')}
            </Badge>
          )}
        </div>
        <p className="wrap-anywhere text-soft">For {vehicleName(vehicle)}</p>
      </header>
      {placeholder !== null && list.length > 0 && (
        <SearchBox field={search} placeholder={placeholder} text={text} onChange={setText}>
          {text.trim() !== '' && `${shown.length} of ${countOf(list.length, 'part')}`}
        </SearchBox>
      )}
      <QueryState
        query={parts}
        what="Parts"
        label="Loading parts"
        rows={SKELETON_CARDS}
        className={CARD_GRID}
        rowClassName="h-28 rounded-lg"
      />
      {parts.data !== undefined && asked !== null && opened === undefined && (
        <Notice
          tone="info"
          title="No guide for this part"
          action={
            <Button asChild size="small">
              <Link to={catalogHref(asked)}>See Its Photos</Link>
            </Button>
          }
        >
          It is not one of the catalogue&apos;s parts. People taught it, or it is gone.
        </Notice>
      )}
      {parts.data !== undefined && list.length === 0 && (
        <EmptyState picture={<EmptyShelf />} title="No parts found">
          No parts available in the {categoryName(category)} category.
        </EmptyState>
      )}
      {list.length > 0 && (
        <Results
          parts={shown}
          onOpen={open}
          onClear={() => {
            setText('');
            // The button goes away, and would take the focus with it.
            search.current?.focus();
          }}
        />
      )}
      {opened !== undefined && (
        <PartPanel part={opened} offers={offers} extras={extras?.(opened.id)} onClose={close} />
      )}
    </>
  );
}

type SearchBoxProps = {
  field: RefObject<HTMLInputElement | null>;
  placeholder: string;
  text: string;
  onChange: (text: string) => void;
  /** How many parts it leaves. */
  children: ReactNode;
};

function SearchBox({ field, placeholder, text, onChange, children }: SearchBoxProps) {
  return (
    <div className="relative grid max-w-xl gap-1.5">
      <Search className="absolute top-3.5 left-3 size-4 text-muted" aria-hidden />
      <input
        ref={field}
        type="search"
        aria-label="Search parts"
        placeholder={placeholder}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        className={`${CONTROL_CLASS} pl-9 text-ellipsis`}
      />
      <p role="status" className="text-xs text-muted empty:hidden">
        {children}
      </p>
    </div>
  );
}

type ResultsProps = {
  parts: CategoryPart[];
  onOpen: (id: string) => void;
  onClear: () => void;
};

function Results({ parts, onOpen, onClear }: ResultsProps) {
  if (parts.length === 0) {
    return (
      <EmptyState
        picture={<EmptyShelf />}
        title="No matching parts found"
        action={<Button onClick={onClear}>Clear Search</Button>}
      />
    );
  }
  const unfit = parts.filter(({ unfitReason }) => unfitReason !== null);
  return (
    <>
      <ul aria-label="Parts" className={`${CARD_GRID} empty:hidden`}>
        {parts
          .filter(({ unfitReason }) => unfitReason === null)
          .map((part) => (
            <li key={part.id}>
              <PartCard part={part} onOpen={() => onOpen(part.id)} />
            </li>
          ))}
      </ul>
      {unfit.length > 0 && <UnfitParts parts={unfit} onOpen={onOpen} />}
    </>
  );
}

type UnfitPartsProps = { parts: CategoryPart[]; onOpen: (id: string) => void };

/** What cannot be on the vehicle, folded away, each with the reason. */
function UnfitParts({ parts, onOpen }: UnfitPartsProps) {
  return (
    <details className="group">
      <summary className="flex min-h-8 w-fit cursor-pointer list-none items-center gap-1 rounded-md text-sm font-medium text-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 group-open:rotate-90" aria-hidden />
        {`${countOf(parts.length, 'part')} cannot be on this vehicle`}
      </summary>
      <ul aria-label="Parts that cannot be on this vehicle" className={`${CARD_GRID} mt-3`}>
        {parts.map((part) => (
          <li key={part.id} className="grid content-start gap-1.5">
            <PartCard part={part} onOpen={() => onOpen(part.id)} />
            <p className="text-sm wrap-anywhere text-muted">{part.unfitReason}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
