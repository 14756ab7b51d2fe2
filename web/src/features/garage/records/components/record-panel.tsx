import { Plus } from 'lucide-react';
import { useId, useRef, useState, type ReactNode, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { LeaveQuestion } from '@/components/leave-question';
import { SavedWarnings } from '@/components/saved-warnings';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { OpenFormContext, type OpenFormCalls } from '@/features/garage/records/open-form';

type RecordPanelProps<Entry> = {
  title: string;
  addLabel: string;
  /** Whether the form for a new entry is open at first. */
  opens: boolean;
  /** Called when a form closes. */
  onClosed?: () => void;
  /** The form of an entry, or of a new one. */
  form: (entry: Entry | null) => ReactNode;
  /** What stands below the form. */
  children: (list: {
    heading: RefObject<HTMLHeadingElement | null>;
    onEdit: (entry: Entry) => void;
    onRemoved: (id: string) => void;
  }) => ReactNode;
};

/** Which form is open: none, one for a new entry, or one for what is edited. */
type OpenForm<Entry> = 'new' | Entry | null;

type Saved = { id: string; warnings: Schemas['Warning'][] };

/** A history of a vehicle, with the form of one entry at a time. */
export function RecordPanel<Entry extends { id: string }>({
  title,
  addLabel,
  opens,
  onClosed,
  form,
  children,
}: RecordPanelProps<Entry>) {
  const [open, setOpen] = useState<OpenForm<Entry>>(opens ? 'new' : null);
  /** What is to take the place of a form with something typed, once that may be lost. */
  const [next, setNext] = useState<{ open: OpenForm<Entry> } | null>(null);
  /** What was saved last, with what is odd about it. */
  const [saved, setSaved] = useState<Saved | null>(null);
  const isTyped = useRef(false);
  const add = useRef<HTMLButtonElement>(null);
  /** The button that opened the form, where it is one of a row. */
  const opener = useRef<HTMLElement | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const titleId = useId();

  const show = (wanted: OpenForm<Entry>) => {
    setOpen(wanted);
    setSaved(null);
    if (open !== null) onClosed?.();
  };
  const ask = (wanted: OpenForm<Entry>) => {
    opener.current = document.activeElement?.closest<HTMLElement>('li button') ?? null;
    if (wanted !== null && keyOf(wanted) === (open && keyOf(open))) return;
    if (isTyped.current) setNext({ open: wanted });
    else show(wanted);
  };
  const close = () => {
    show(null);
    const target = opener.current?.isConnected === true ? opener : add;
    target.current?.focus();
  };
  const calls: OpenFormCalls = {
    onClose: close,
    onSaved: (entry) => {
      close();
      setSaved(entry);
    },
    onTyped: (typed) => {
      isTyped.current = typed;
    },
  };
  return (
    <Card aria-labelledby={titleId} className="grid content-start gap-5">
      <header className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <h2 id={titleId} ref={heading} tabIndex={-1} className="section-title">
          {title}
        </h2>
        <Button
          ref={add}
          size="small"
          aria-expanded={open !== null}
          onClick={() => ask(open === null ? 'new' : null)}
        >
          <Plus className="size-4" aria-hidden />
          {addLabel}
        </Button>
      </header>
      <SavedWarnings
        warnings={saved?.warnings ?? []}
        onDismiss={() => {
          setSaved(null);
          heading.current?.focus();
        }}
      />
      {open !== null && (
        <OpenFormContext key={keyOf(open)} value={calls}>
          {form(open === 'new' ? null : open)}
        </OpenFormContext>
      )}
      <LeaveQuestion
        open={next !== null}
        onKeep={() => setNext(null)}
        onLeave={() => {
          if (next !== null) show(next.open);
          setNext(null);
        }}
      />
      {children({
        heading,
        onEdit: ask,
        // The record that was to be checked is gone.
        onRemoved: (id) => setSaved((current) => (current?.id === id ? null : current)),
      })}
    </Card>
  );
}

function keyOf(open: 'new' | { id: string }): string {
  return open === 'new' ? open : open.id;
}
