import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { VehicleSelect } from '@/components/vehicle-select';
import { RecordPanel } from '@/features/garage/records/components/record-panel';
import { RepairForm } from '@/features/garage/repair-history/components/repair-form';
import { RepairList } from '@/features/garage/repair-history/components/repair-list';
import { emptyRepair, repairDraftKey, repairOfScan } from '@/features/garage/repair-history/model';
import { repairQueries } from '@/features/garage/repair-history/queries';
import { useAddressParams } from '@/hooks/use-address-params';
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
  const [params, change] = useAddressParams();
  const listedId = vehicles.find(({ id }) => id === params.get('repairs'))?.id ?? null;
  const forgetScan = () => {
    setPrefill({ part: '', scanId: null });
    if (part === null) return;
    // A reload would open the form of a repair that is saved already.
    change({ repair: null, scan: null }, { replace: true, preventScrollReset: true });
  };
  return (
    <RecordPanel<Schemas['Repair']>
      title="Repair History"
      addLabel="Add Repair"
      opens={part !== null || drafted}
      onClosed={forgetScan}
      form={(opened) =>
        opened === null ? (
          <NewRepair key={prefill.scanId} vehicles={vehicles} listedId={listedId} {...prefill} />
        ) : (
          <RepairForm
            vehicles={vehicles}
            listedId={listedId}
            opened={opened}
            initial={emptyRepair('', today())}
            scanId={null}
          />
        )
      }
    >
      {(list) => (
        <>
          {vehicles.length > 1 && (
            <VehicleSelect
              vehicles={vehicles}
              none="All vehicles"
              label="Show repairs of"
              value={listedId ?? ''}
              onChange={(event) =>
                change({ repairs: event.target.value }, { replace: true, preventScrollReset: true })
              }
              className="max-w-xs"
            />
          )}
          <RepairList vehicles={vehicles} vehicleId={listedId} {...list} />
        </>
      )}
    </RecordPanel>
  );
}

type NewRepairProps = {
  vehicles: Schemas['Vehicle'][];
  listedId: string | null;
  part: string;
  scanId: string | null;
};

/** The form of a new repair, with what a scan says of the part once that is here. */
function NewRepair({ vehicles, listedId, part, scanId }: NewRepairProps) {
  const scan = useQuery({ ...repairQueries.scan(scanId ?? ''), enabled: scanId !== null });
  const reading = useQuery({ ...repairQueries.reading(scanId ?? ''), enabled: scanId !== null });
  // Once both were asked for the form stays, also while a read that failed is tried again.
  if (scanId !== null && !(scan.isFetched && reading.isFetched)) {
    return (
      <p role="status" className="py-4 text-center text-sm text-muted">
        Loading the scan...
      </p>
    );
  }
  const vehicleId = listedId ?? vehicles.find(({ isDefault }) => isDefault)?.id ?? '';
  return (
    <RepairForm
      vehicles={vehicles}
      listedId={listedId}
      opened={null}
      initial={
        scan.data === undefined
          ? emptyRepair(vehicleId, today(), part)
          : repairOfScan(scan.data, vehicles, reading.data)
      }
      // A scan that is gone fills in nothing, and naming it would be refused.
      scanId={scan.data === undefined ? null : scanId}
    />
  );
}
