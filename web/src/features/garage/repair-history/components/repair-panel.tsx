import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import { SavedWarnings } from '@/components/saved-warnings';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { RepairForm } from '@/features/garage/repair-history/components/repair-form';
import { RepairList } from '@/features/garage/repair-history/components/repair-list';
import { emptyRepair, repairDraftKey, repairOfScan } from '@/features/garage/repair-history/model';
import { repairQueries } from '@/features/garage/repair-history/queries';
import { useHasDraft } from '@/hooks/use-draft';
import { today } from '@/lib/dates';

type RepairPanelProps = {
  vehicles: Schemas['Vehicle'][];
  /** Opens the form with this part, as a scan's result does. */
  part: string | null;
  /** The scan of that part, which says more of it. */
  scanId?: string | null;
};

/** Which form is open: none, one for a new repair, or one for what is edited. */
type OpenForm = 'new' | Schemas['Repair'] | null;

export function RepairPanel({ vehicles, part, scanId = null }: RepairPanelProps) {
  const drafted = useHasDraft(repairDraftKey(null));
  const [form, setForm] = useState<OpenForm>(part !== null || drafted ? 'new' : null);
  const [prefill, setPrefill] = useState({ part: part ?? '', scanId });
  const [warnings, setWarnings] = useState<Schemas['Warning'][]>([]);
  const add = useRef<HTMLButtonElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = () => {
    setForm(null);
    setPrefill({ part: '', scanId: null });
    add.current?.focus();
  };
  const onSaved = (saved: Schemas['SavedRepair']) => {
    setWarnings(saved.warnings);
    close();
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
      {form === 'new' && (
        <NewRepair
          key={prefill.scanId}
          vehicles={vehicles}
          {...prefill}
          onClose={close}
          onSaved={onSaved}
        />
      )}
      {form !== null && form !== 'new' && (
        <RepairForm
          key={form.id}
          vehicles={vehicles}
          record={form}
          initial={emptyRepair('', today())}
          scanId={null}
          onClose={close}
          onSaved={onSaved}
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

type NewRepairProps = {
  vehicles: Schemas['Vehicle'][];
  part: string;
  scanId: string | null;
  onClose: () => void;
  onSaved: (saved: Schemas['SavedRepair']) => void;
};

/** The form of a new repair, with what a scan says of the part once that is here. */
function NewRepair({ vehicles, part, scanId, onClose, onSaved }: NewRepairProps) {
  const scan = useQuery({ ...repairQueries.scan(scanId ?? ''), enabled: scanId !== null });
  const reading = useQuery({ ...repairQueries.reading(scanId ?? ''), enabled: scanId !== null });
  if (scan.isLoading || reading.isLoading) {
    return (
      <p role="status" className="py-4 text-center text-sm text-muted">
        Loading the scan...
      </p>
    );
  }
  const defaultVehicle = vehicles.find(({ isDefault }) => isDefault)?.id ?? '';
  return (
    <RepairForm
      vehicles={vehicles}
      record={null}
      initial={
        scan.data === undefined
          ? emptyRepair(defaultVehicle, today(), part)
          : repairOfScan(scan.data, vehicles, reading.data)
      }
      // A scan that is gone fills in nothing, and naming it would be refused.
      scanId={scan.data === undefined ? null : scanId}
      onClose={onClose}
      onSaved={onSaved}
    />
  );
}
