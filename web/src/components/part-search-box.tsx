import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useId, useState, type KeyboardEvent, type Ref } from 'react';
import { sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { linkText } from '@/api/cross-reference';
import { categoryName } from '@/api/part-category';
import { partSearchQuery, SEARCH_MAX_LENGTH } from '@/api/part-search';
import { Badge } from '@/components/ui/badge';
import { CONTROL_CLASS } from '@/components/ui/field';
import { useSettled } from '@/hooks/use-settled';
import { classNames } from '@/lib/class-names';
import { countOf } from '@/lib/format';

/** Pause in the typing after which the server is asked. */
const PAUSE_MS = 200;

type Found = Schemas['FoundPartItem'];

type PartSearchBoxProps = {
  label: string;
  /** A part was chosen from what was found for the typed words. */
  onChoose: (part: Found, typed: string) => void;
  /** What stands in the field at first. */
  initialText?: string;
  /** What stands in the field, where that is kept elsewhere, and how to change it; it stays when a part is chosen. */
  kept?: [text: string, onType: (text: string) => void];
  placeholder?: string;
  /** Only part types; a part of the shop stands for its own. */
  typesOnly?: boolean;
  invalid?: boolean;
  disabled?: boolean;
  /** The field takes the focus, with its text marked, so that the next scan takes its place. */
  autoFocus?: boolean;
  inputRef?: Ref<HTMLInputElement>;
};

/** Finds a part by name, number or brand (WAI-ARIA pattern "editable combobox"). */
export function PartSearchBox({
  label,
  onChoose,
  initialText = '',
  kept,
  placeholder = 'Name, number or brand',
  typesOnly = false,
  invalid = false,
  disabled = false,
  autoFocus = false,
  inputRef,
}: PartSearchBoxProps) {
  const id = useId();
  const own = useState(initialText);
  const [text, setText] = kept ?? own;
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const queries = useQueryClient();
  const wanted = useSettled(text.trim(), PAUSE_MS);
  const search = useQuery(partSearchQuery(wanted));
  const asked = text.trim() !== '' && wanted !== '';
  const found = asked ? partsOf(search.data, typesOnly) : [];
  const expanded = open && found.length > 0;

  const choose = (part: Found) => {
    if (kept === undefined) setText('');
    setOpen(false);
    setActive(-1);
    onChoose(part, text);
  };
  const isFresh = search.data !== undefined && !search.isPlaceholderData;
  // A scanner presses Enter at once, before its number is looked for.
  const chooseOnly = async (input: HTMLInputElement) => {
    const entered = input.value;
    const all = await queries.query(partSearchQuery(entered.trim()));
    const part = onlyPart(partsOf(all, typesOnly));
    if (part !== undefined && input.isConnected && input.value === entered) choose(part);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      setActive(stepped(active, event.key === 'ArrowDown' ? 1 : -1, found.length));
    } else if (event.key === 'Enter') {
      // In a form, Enter would send what is not complete yet.
      event.preventDefault();
      const part = expanded ? (found[active] ?? found[0]) : undefined;
      if (part !== undefined && wanted === text.trim() && isFresh) choose(part);
      else if (text.trim() !== '') {
        // A failure is shown by the search below, which asks the same.
        chooseOnly(event.currentTarget).catch(() => undefined);
      }
      // The next scan replaces the text of this one.
      event.currentTarget.select();
    } else if (event.key === 'Escape' && expanded) {
      event.preventDefault();
      setOpen(false);
    }
  };

  return (
    <div className="relative grid min-w-0 gap-1.5" onBlur={() => setOpen(false)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <div className="relative">
        <Search className="absolute top-3.5 left-3 size-4 text-muted" aria-hidden />
        <input
          ref={inputRef}
          id={id}
          type="text"
          role="combobox"
          autoComplete="off"
          maxLength={SEARCH_MAX_LENGTH}
          placeholder={placeholder}
          disabled={disabled}
          autoFocus={autoFocus}
          aria-invalid={invalid}
          aria-autocomplete="list"
          aria-expanded={expanded}
          aria-controls={expanded ? `${id}-list` : undefined}
          aria-activedescendant={expanded && active >= 0 ? `${id}-${active}` : undefined}
          aria-describedby={`${id}-state`}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setOpen(true);
            setActive(-1);
          }}
          onFocus={(event) => {
            setOpen(true);
            if (autoFocus) event.currentTarget.select();
          }}
          onKeyDown={onKeyDown}
          className={`${CONTROL_CLASS} pl-9`}
        />
        {expanded && (
          <ul
            id={`${id}-list`}
            role="listbox"
            aria-label={label}
            className="absolute inset-x-0 z-20 mt-1 max-h-72 overflow-y-auto overscroll-contain rounded-md border border-control/60 bg-raised p-1 shadow-float"
          >
            {found.map((part, index) => (
              <li
                key={`${part.kind} ${part.id}`}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === active}
                ref={(node) => {
                  if (index === active) node?.scrollIntoView({ block: 'nearest' });
                }}
                onMouseDown={(event) => {
                  // The focus stays in the field until the choice is made.
                  event.preventDefault();
                  choose(part);
                }}
                className={classNames(
                  'cursor-pointer rounded-sm px-3 py-2 text-sm hover:bg-hover',
                  index === active && 'option-at-keys',
                )}
              >
                <FoundPart part={part} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <p id={`${id}-state`} role="status" className="text-xs text-muted empty:hidden">
        {asked && !search.isFetching && search.data !== undefined && !search.isPlaceholderData
          ? found.length === 0
            ? `Nothing found for “${wanted}”. Try another word, or the number on the part.`
            : expanded && (
                <span className="sr-only">
                  {countOf(found.length, 'part')} found. Choose with the arrow keys and Enter.
                </span>
              )
          : ''}
      </p>
      {asked && search.isError && (
        <p role="alert" className="text-sm text-bad">
          {sentenceOf(search.error, 'The search failed. Type on to try again.')}
        </p>
      )}
    </div>
  );
}

/** One line of what was found: a part type, or a part of the shop with its number. */
function FoundPart({ part }: { part: Found }) {
  return (
    <span className="grid gap-1">
      <bdi className="font-medium wrap-anywhere">{part.name}</bdi>
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        {part.kind === 'part' && (
          <span className="text-soft">{[part.brand, part.number].filter(Boolean).join(' ')}</span>
        )}
        {part.via !== null && <span className="wrap-anywhere">{linkText(part.via)}</span>}
        <span>{categoryName(part.category)}</span>
        {part.kind === 'part' && <Badge tone="outline">Own part</Badge>}
        {part.modelKnows && <Badge tone="good">Scanner knows it</Badge>}
      </span>
    </span>
  );
}

function partsOf(found: Found[] | null | undefined, typesOnly: boolean): Found[] {
  if (!typesOnly) return found ?? [];
  // A part of the shop stands for its type, so that its number finds that as well.
  const types = new Map<string, Found>();
  for (const part of found ?? []) {
    if (!types.has(part.label)) types.set(part.label, { ...part, kind: 'type', id: part.label });
  }
  return [...types.values()];
}

/** The one part of the shop that was found; among several a person chooses. */
function onlyPart(found: Found[]): Found | undefined {
  const parts = found.filter(({ number }) => number !== null);
  return parts.length === 1 ? parts[0] : undefined;
}

function stepped(active: number, step: number, count: number): number {
  if (count === 0) return -1;
  if (active < 0) return step > 0 ? 0 : count - 1;
  return (active + step + count) % count;
}
