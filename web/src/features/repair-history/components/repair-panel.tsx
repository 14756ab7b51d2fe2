import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import { SavedWarnings } from '@/components/saved-warnings';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { RepairForm } from '@/features/repair-history/components/repair-form';
import { RepairList } from '@/features/repair-history/components/repair-list';

type RepairPanelProps = {
  vehicles: Schemas['Vehicle'][];
  /** Opens the form with this part, as a scan's result does. */
  part: string | null;
};

/** Which form is open: none, one for a new repair, or one for what is edited. */
type OpenForm = 'new' | Schemas['Repair'] | null;

export function RepairPanel({ vehicles, part }: RepairPanelProps) {
  const [form, setForm] = useState<OpenForm>(part === null ? null : 'new');
  const [prefill, setPrefill] = useState(part ?? '');
  const [warnings, setWarnings] = useState<Schemas['Warning'][]>([]);
  const add = useRef<HTMLButtonElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = () => {
    setForm(null);
    setPrefill('');
    add.current?.focus();
  };
  return (
    <Card aria-labelledby="repairs-title" className="grid content-start gap-5">
      <header className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <h2 id="repairs-title" ref={heading} tabIndex={-1} className="section-title">
          Repair History
        </h2>
        <Button
          ref={add}
          size="small"
          aria-expanded={form !== null}
          onClick={() => {
            setForm(form === null ? 'new' : null);
            setWarnings([]);
          }}
        >
          <Plus className="size-4" aria-hidden />
          Add Repair
        </Button>
      </header>
      <SavedWarnings
        warnings={warnings}
        onDismiss={() => {
          setWarnings([]);
          heading.current?.focus();
        }}
      />
      {form !== null && (
        <RepairForm
          key={form === 'new' ? 'new' : form.id}
          vehicles={vehicles}
          record={form === 'new' ? null : form}
          part={prefill}
          onClose={close}
          onSaved={(saved) => {
            setWarnings(saved.warnings);
            close();
          }}
        />
      )}
      <RepairList
        heading={heading}
        onEdit={(record) => {
          setForm(record);
          setWarnings([]);
        }}
      />
    </Card>
  );
}
