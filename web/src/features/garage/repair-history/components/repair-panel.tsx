import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Schemas } from '@/api/client';
import { RecordPanel } from '@/features/garage/records/components/record-panel';
import { RepairForm } from '@/features/garage/repair-history/components/repair-form';
import { RepairList } from '@/features/garage/repair-history/components/repair-list';
import { emptyRepair, repairDraftKey, repairOfScan } from '@/features/garage/repair-history/model';
import { repairQueries } from '@/features/garage/repair-history/queries';
import { useHasDraft } from '@/hooks/use-draft';
import { today } from '@/lib/dates';

type RepairPanelProps = {
  vehicles: Schemas['Vehicle'][];
  /** Opens the form with this part, as `repair` in the address says after a scan. */
  part: string | null;
  /** The scan of that part, `scan` in the address, which says more of it. */
  scanId?: string | null;
};

export function RepairPanel({ vehicles, part, scanId = null }: RepairPanelProps) {
  const drafted = useHasDraft(repairDraftKey(null));
  const [prefill, setPrefill] = useState({ part: part ?? '', scanId });
  const [, setParams] = useSearchParams();
  const forgetScan = () => {
    setPrefill({ part: '', scanId: null });
    if (part === null) return;
    // A reload would open the form of a repair that is saved already.
    setParams(
      (current) => {
        const next = new URLSearchParams(current);
        next.delete('repair');
        next.delete('scan');
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  };
  return (
    <RecordPanel<Schemas['Repair']>
      title="Repair History"
      addLabel="Add Repair"
      opens={part !== null || drafted}
      onClosed={forgetScan}
      form={(opened) =>
        opened === null ? (
          <NewRepair key={prefill.scanId} vehicles={vehicles} {...prefill} />
        ) : (
          <RepairForm
            vehicles={vehicles}
            opened={opened}
            initial={emptyRepair('', today())}
            scanId={null}
          />
        )
      }
    >
      {(list) => <RepairList vehicles={vehicles} {...list} />}
    </RecordPanel>
  );
}

type NewRepairProps = {
  vehicles: Schemas['Vehicle'][];
  part: string;
  scanId: string | null;
};

/** The form of a new repair, with what a scan says of the part once that is here. */
function NewRepair({ vehicles, part, scanId }: NewRepairProps) {
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
      opened={null}
      initial={
        scan.data === undefined
          ? emptyRepair(defaultVehicle, today(), part)
          : repairOfScan(scan.data, vehicles, reading.data)
      }
      // A scan that is gone fills in nothing, and naming it would be refused.
      scanId={scan.data === undefined ? null : scanId}
    />
  );
}
