import { Ban, CircleAlert, CircleCheck, Clock, Copy, Layers, LoaderCircle } from 'lucide-react';
import {
  useEffect,
  useId,
  useRef,
  useState,
  type Dispatch,
  type KeyboardEvent,
  type MouseEvent,
  type Ref,
  type SetStateAction,
} from 'react';
import { Badge } from '@/components/ui/badge';
import {
  answerOf,
  checkOf,
  foundAt,
  picked,
  placeAfter,
  placeAt,
  scansOf,
  scrolledTo,
  shownRows,
  sureOf,
  type Selection,
} from '@/features/batches/model';
import type { BatchItem } from '@/features/batches/queries';
import { useKeyReader } from '@/hooks/use-key-reader';
import { classNames } from '@/lib/class-names';
import { formatPercent } from '@/lib/format';

/** Height of a row and least width of a photo, in rem: a phone of 360 pixels has two in a row. */
const ROW = 13;
const LEAST_WIDTH = 8.25;
/** What is drawn before the browser has measured anything. */
const FIRST_VIEW = { top: 0, height: 640, columns: 4 };

type ItemGridProps = {
  ref: Ref<HTMLDivElement>;
  items: BatchItem[];
  selection: Selection;
  onSelect: Dispatch<SetStateAction<Selection>>;
  /** A letter was pressed that is no way to choose. */
  onKey: (key: string) => void;
  /** The end of what is loaded comes into view. */
  onEnd: () => void;
};

/** A long grid of photos, of which only those in view are drawn (WAI-ARIA pattern "listbox"). */
export function ItemGrid({ ref, items, selection, onSelect, onKey, onEnd }: ItemGridProps) {
  const id = useId();
  const [view, setView] = useState(FIRST_VIEW);
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  // A key has moved the frame or chosen: the page must follow, of which only the box follows by itself.
  const moved = useRef(false);
  // Not every browser says of a click what it was made with.
  const touched = useRef(false);
  const { columns } = view;
  const rows = Math.ceil(items.length / columns);
  const rowPixels = ROW * remPixels();
  const { first, end } = shownRows(view, rowPixels, rows);
  const active = foundAt(selection.active, items);
  const activeIsDrawn = active >= first * columns && active < Math.min(end * columns, items.length);

  useEffect(() => {
    if (box === null || typeof ResizeObserver === 'undefined') return;
    const measure = () => {
      const wide = Math.max(1, Math.floor(box.clientWidth / (LEAST_WIDTH * remPixels())));
      setView({ top: box.scrollTop, height: box.clientHeight, columns: wide });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [box]);
  useEffect(() => {
    // After every drawing: the page that came may be too short to push the end out of sight.
    if (end >= rows) onEnd();
  });

  useEffect(() => {
    // What can be done with the chosen photos comes and goes above them, and moves the frame out of the window.
    if (!moved.current || !activeIsDrawn) return;
    moved.current = false;
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  });

  // What a barcode scanner types is no key that answers.
  const { read } = useKeyReader((event) => {
    if (event.type === 'key') onKey(event.key.toLowerCase());
  });

  const bringIntoView = (at: number) => {
    const top = scrolledTo(view, Math.floor(at / columns) * rowPixels, rowPixels);
    if (top !== view.top) box?.scrollTo({ top });
  };
  const go = (at: number, options: { range?: boolean; toggle?: boolean }) => {
    bringIntoView(at);
    onSelect(picked(selection, items, { at, ...options }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    moved.current = true;
    const seen = Math.max(1, Math.floor(view.height / rowPixels)) * columns;
    const to = placeAfter(event.key, active, { columns, seen, count: items.length });
    if (to !== null) {
      event.preventDefault();
      if (event.shiftKey) {
        go(to, { range: true });
      } else {
        bringIntoView(to);
        const place = placeAt(to, items);
        onSelect({ ...selection, active: place, anchor: place });
      }
    } else if (event.key === ' ') {
      event.preventDefault();
      go(active, { toggle: true });
    } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onSelect({ ...selection, chosen: new Set(items.map((item) => item.id)) });
    } else if (event.key === 'Escape') {
      onSelect({ ...selection, chosen: new Set() });
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey) {
      // With Ctrl and the like held, a key is the browser's.
      read(event.key, event.timeStamp);
    }
  };

  const shown = items.slice(first * columns, end * columns);
  return (
    <div
      ref={(node) => {
        // State and not a ref, so that the observer begins once the box is there.
        setBox(node);
        if (typeof ref === 'function') ref(node);
        else if (ref !== null) ref.current = node;
      }}
      role="listbox"
      aria-label="Photos with their answers"
      aria-multiselectable
      aria-activedescendant={activeIsDrawn ? `${id}-${active}` : undefined}
      tabIndex={0}
      className="relative h-[70vh] min-h-80 overflow-y-auto overscroll-contain rounded-lg border"
      onPointerDown={({ pointerType }) => {
        touched.current = pointerType === 'touch';
      }}
      // From here on the frame is that photo's, also while the answers of a batch come in and change the order.
      onFocus={() => {
        if (selection.active.id === null) {
          onSelect((now) => ({ ...now, active: placeAt(active, items) }));
        }
      }}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget }) =>
        setView({ ...view, top: currentTarget.scrollTop, height: currentTarget.clientHeight })
      }
    >
      <div role="presentation" style={{ height: `${rows * ROW}rem` }}>
        <div
          role="presentation"
          className="absolute inset-x-0 grid"
          style={{
            top: `${first * ROW}rem`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {shown.map((item, index) => {
            const at = first * columns + index;
            return (
              <Item
                key={item.id}
                id={`${id}-${at}`}
                item={item}
                chosen={selection.chosen.has(item.id)}
                active={at === active}
                place={at + 1}
                count={items.length}
                onClick={(event) =>
                  go(at, {
                    range: event.shiftKey,
                    // A finger has no Ctrl: each touch adds a photo or takes it out.
                    toggle: event.ctrlKey || event.metaKey || touched.current,
                  })
                }
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The size of the page's text in pixels. */
function remPixels(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}

type ItemProps = {
  id: string;
  item: BatchItem;
  chosen: boolean;
  active: boolean;
  place: number;
  count: number;
  onClick: (event: MouseEvent) => void;
};

function Item({ id, item, chosen, active, place, count, onClick }: ItemProps) {
  const sure = sureOf(item);
  const check = checkOf(item);
  const photos = item.group?.photos.length ?? 1;
  const text = answerOf(item);
  const grade = item.grade === null ? '' : `, grade ${item.grade.grade}`;
  const together = photos === 1 ? '' : `, ${photos} photos of one item`;
  return (
    <div
      id={id}
      role="option"
      aria-selected={chosen}
      aria-posinset={place}
      aria-setsize={count}
      // What is read under the picture, in that order: software that is spoken to finds it by this.
      aria-label={`${text} ${item.file}${certaintyOf(item)}${together}${grade}`}
      onClick={onClick}
      style={{ height: `${ROW}rem` }}
      className={classNames(
        'relative grid cursor-pointer grid-rows-[minmax(0,1fr)_auto] gap-1 border p-2 text-sm select-none',
        chosen ? 'border-accent bg-accent-wash' : 'border-transparent hover:bg-hover',
        active && 'outline-2 -outline-offset-4 outline-accent/60',
      )}
    >
      <div className="relative grid min-h-0 place-items-center overflow-hidden rounded-md bg-raised text-muted">
        <Picture item={item} />
        {chosen && (
          <CircleCheck
            className="absolute right-1 bottom-1 size-6 rounded-full bg-surface text-accent"
            aria-hidden
          />
        )}
        {photos > 1 && (
          <span className="absolute top-1 right-1 flex items-center gap-1 rounded-md bg-surface/90 px-1.5 py-0.5 text-xs font-medium">
            <Layers className="size-3.5" aria-hidden />
            {photos}
            {item.group?.proposed === true && '?'}
          </span>
        )}
        {item.grade !== null && (
          <span className="absolute top-1 left-1 rounded-md bg-surface/90 px-1.5 py-0.5 text-xs font-medium">
            {item.grade.grade}
          </span>
        )}
      </div>
      <div className="min-w-0">
        {/* Why a photo has no answer is read whole: there is no picture that needs the room. */}
        <p
          className={classNames(
            'wrap-anywhere',
            text !== item.problem ? 'line-clamp-2 font-medium' : 'line-clamp-6 text-xs text-soft',
          )}
        >
          {text}
        </p>
        {/* A name that needs the whole width has it: how sure the answer is then stands in the next line. */}
        <p className="flex flex-wrap items-end justify-between gap-x-2 text-xs text-muted">
          <bdi className="line-clamp-2 max-w-full wrap-anywhere">{item.file}</bdi>
          {check !== null ? (
            <Badge tone="good">{CHECKS[check]}</Badge>
          ) : (
            sure !== null && (
              <span
                className={classNames(
                  'ml-auto',
                  sure.verdict === 'identified' ? 'text-good' : 'text-warn',
                )}
              >
                {formatPercent(sure.confidence)}
              </span>
            )
          )}
        </p>
      </div>
    </div>
  );
}

/** How sure an answer is, or that somebody checked it, for those who listen. */
function certaintyOf(item: BatchItem): string {
  const check = checkOf(item);
  if (check !== null) return `, ${check}`;
  const sure = sureOf(item);
  if (sure === null) return '';
  const verdict = sure.verdict === 'identified' ? 'identified' : 'not sure';
  return `, ${formatPercent(sure.confidence)} match, ${verdict}`;
}

const CHECKS = { confirmed: 'Confirmed', corrected: 'Corrected' };

const ICONS = {
  waiting: Clock,
  running: LoaderCircle,
  answered: Ban,
  'not-a-part': Ban,
  failed: CircleAlert,
  duplicate: Copy,
  cancelled: Ban,
};

function Picture({ item }: { item: BatchItem }) {
  const url = scansOf(item).find(({ thumbnailUrl }) => thumbnailUrl !== null)?.thumbnailUrl ?? null;
  if (url !== null) {
    return <img src={url} alt="" loading="lazy" className="size-full object-cover" />;
  }
  const Icon = ICONS[item.state];
  return <Icon className="size-6" aria-hidden />;
}
