import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import { SavedWarnings } from '@/components/saved-warnings';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { NextOilChanges } from '@/features/garage/oil-changes/components/next-oil-changes';
import { OilChangeForm } from '@/features/garage/oil-changes/components/oil-change-form';
import { OilChangeList } from '@/features/garage/oil-changes/components/oil-change-list';
import { oilChangeDraftKey } from '@/features/garage/oil-changes/model';
import { useHasDraft } from '@/hooks/use-draft';

type OilChangePanelProps = { vehicles: Schemas['Vehicle'][] };

/** Which form is open: none, one for a new oil change, or one for what is edited. */
type OpenForm = 'new' | Schemas['OilChange'] | null;

export function OilChangePanel({ vehicles }: OilChangePanelProps) {
  const [form, setForm] = useState<OpenForm>(useHasDraft(oilChangeDraftKey(null)) ? 'new' : null);
  const [warnings, setWarnings] = useState<Schemas['Warning'][]>([]);
  const add = useRef<HTMLButtonElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = () => {
    setForm(null);
    add.current?.focus();
  };
  return (
    <Card aria-labelledby="oil-changes-title" className="grid content-start gap-5">
      <header className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <h2 id="oil-changes-title" ref={heading} tabIndex={-1} className="section-title">
          Oil Change History
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
          Add Oil Change
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
        <OilChangeForm
          key={form === 'new' ? 'new' : form.id}
          vehicles={vehicles}
          record={form === 'new' ? null : form}
          onClose={close}
          onSaved={(saved) => {
            setWarnings(saved.warnings);
            close();
          }}
        />
      )}
      <NextOilChanges vehicles={vehicles} />
      <OilChangeList
        vehicles={vehicles}
        heading={heading}
        onEdit={(record) => {
          setForm(record);
          setWarnings([]);
        }}
      />
    </Card>
  );
}
