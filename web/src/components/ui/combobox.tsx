import { ChevronDown } from 'lucide-react';
import { useEffect, useId, useRef, useState, type ComponentProps, type KeyboardEvent } from 'react';
import { Field } from '@/components/ui/field';
import { classNames } from '@/lib/class-names';

type ComboboxProps = Omit<ComponentProps<typeof Field>, 'value' | 'onChange'> & {
  value: string;
  /** Any text may be typed; the options only save typing. */
  onValueChange: (value: string) => void;
  options: string[];
};

/** A text field with a list of suggestions (WAI-ARIA pattern "editable combobox"). */
export function Combobox({ value, onValueChange, options, className, ...field }: ComboboxProps) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const [open, setOpen] = useState(false);
  // A list opened by its arrow shows everything; typing narrows it.
  const [typed, setTyped] = useState(false);
  const [active, setActive] = useState(-1);
  const shown = typed ? matching(options, value) : options;
  const expanded = open && shown.length > 0;

  useEffect(() => {
    if (expanded) list.current?.scrollIntoView({ block: 'nearest' });
  }, [expanded]);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const show = () => {
    setOpen(true);
    setTyped(false);
    setActive(options.indexOf(value));
  };
  const hide = () => {
    setOpen(false);
    setActive(-1);
  };
  const choose = (option: string) => {
    onValueChange(option);
    hide();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const option = expanded ? shown[active] : undefined;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!expanded) show();
      else setActive(stepped(active, event.key === 'ArrowDown' ? 1 : -1, shown.length));
    } else if (event.key === 'Enter' && expanded) {
      // It answers the list, and sends the form only once that is closed.
      event.preventDefault();
      const meant = option ?? sameAs(options, value);
      if (meant === undefined) hide();
      else choose(meant);
    } else if (event.key === 'Escape' && expanded) {
      hide();
    }
  };

  return (
    <div
      className={classNames('relative min-w-0', className)}
      // A tick later, when the next field has the focus: a dialog that loses a piece of itself while nothing has the
      // focus takes it.
      onBlur={() => setTimeout(hide)}
    >
      <Field
        {...field}
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={expanded}
        aria-controls={expanded ? `${id}-list` : undefined}
        aria-activedescendant={expanded && active >= 0 ? `${id}-${active}` : undefined}
        value={value}
        onChange={(event) => {
          onValueChange(event.target.value);
          setOpen(true);
          setTyped(true);
          setActive(-1);
        }}
        onKeyDown={onKeyDown}
        trailing={
          options.length > 0 &&
          field.disabled !== true && (
            <button
              type="button"
              tabIndex={-1}
              aria-hidden
              onMouseDown={(event) => {
                // The focus belongs to the input, which holds the keyboard's way through the list.
                event.preventDefault();
                event.currentTarget.parentElement?.querySelector('input')?.focus();
                if (expanded) hide();
                else show();
              }}
              className="absolute inset-y-0 right-0 grid w-10 place-items-center text-muted hover:text-ink"
            >
              <ChevronDown className="size-4" aria-hidden />
            </button>
          )
        }
      />
      <p role="status" className="sr-only">
        {expanded && `${shown.length} ${shown.length === 1 ? 'suggestion' : 'suggestions'}`}
      </p>
      {expanded && (
        <ul
          ref={list}
          id={`${id}-list`}
          role="listbox"
          aria-label={field.label}
          // A press on the scroll bar would take the focus from the field, which closes the list.
          onMouseDown={(event) => event.preventDefault()}
          className="absolute inset-x-0 z-10 mt-1 max-h-56 overflow-y-auto overscroll-contain rounded-md border border-control/60 bg-raised p-1 shadow-float"
        >
          {shown.map((option, index) => (
            <li
              key={option}
              id={`${id}-${index}`}
              role="option"
              aria-selected={option === value}
              // By the press and not the click, before which the field would lose the focus and
              // close the list.
              onMouseDown={(event) => {
                event.preventDefault();
                choose(option);
              }}
              className={classNames(
                'flex min-h-10 cursor-pointer items-center rounded-sm px-3 text-sm hover:bg-hover',
                index === active && 'option-at-keys text-accent-strong',
                option === value && 'font-semibold',
              )}
            >
              {option}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Those in which the text occurs; those that begin with it come first. */
function matching(options: string[], text: string): string[] {
  const wanted = text.trim().toLowerCase();
  const found = options.filter((option) => option.toLowerCase().includes(wanted));
  const begins = (option: string) => option.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((option) => !begins(option))];
}

/** The option that the text is, however it is written. */
function sameAs(options: string[], text: string): string | undefined {
  const wanted = text.trim().toLowerCase();
  return options.find((option) => option.toLowerCase() === wanted);
}

function stepped(active: number, step: number, count: number): number {
  if (active < 0) return step > 0 ? 0 : count - 1;
  return (active + step + count) % count;
}
