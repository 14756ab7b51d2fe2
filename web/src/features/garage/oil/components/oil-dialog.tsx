import { useQuery } from '@tanstack/react-query';
import { ShieldAlert } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { AiFill } from '@/components/ai-fill';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Notice } from '@/components/ui/notice';
import { LoadingBlock } from '@/components/ui/skeleton';
import { maintenanceHref } from '@/config/paths';
import { OilValues } from '@/features/garage/oil/components/oil-values';
import { OwnOil } from '@/features/garage/oil/components/own-oil';
import { SAFETY_TIPS } from '@/features/garage/oil/model';
import { oilMutations } from '@/features/garage/oil/mutations';
import { oilQueries } from '@/features/garage/oil/queries';
import { useGuardedClose } from '@/hooks/use-guarded-close';
import { vehicleName } from '@/lib/format';

type OilDialogProps = { vehicle: Schemas['Vehicle']; open: boolean; onClose: () => void };

/** The oil specification of a vehicle, with where each value comes from. */
export function OilDialog({ vehicle, open, onClose }: OilDialogProps) {
  const specs = useQuery(oilQueries.specs(vehicle));
  const [isChanged, setChanged] = useState(false);
  const { close, question } = useGuardedClose(isChanged, onClose);
  return (
    <>
      <Dialog
        open={open}
        onClose={close}
        title="Oil Specification"
        description={`${vehicleName(vehicle)}${vehicle.engine === null ? '' : `, ${vehicle.engine}`}`}
        className="max-w-lg"
        footer={<Button onClick={close}>Close</Button>}
      >
        {specs.isPending && <LoadingBlock label="Loading the oil specification" rows={2} />}
        {specs.isLoadingError && (
          <Notice
            tone="bad"
            title="Unable to load oil specifications"
            onRetry={() => void specs.refetch()}
          >
            Failed to fetch oil specifications
          </Notice>
        )}
        {specs.data !== undefined && (
          <div className="grid gap-5">
            <OilValues specs={specs.data} />
            {specs.data.source !== 'none' && <ReminderNote vehicleId={vehicle.id} />}
            {specs.data.ai !== null && (
              <AiFill
                key={vehicle.id}
                ai={specs.data.ai}
                what="The oil of this car"
                sends="its year, make, model and engine"
                ask={oilMutations.askAi(vehicle.id)}
                remove={oilMutations.removeAi(vehicle.id)}
              />
            )}
            {specs.data.source !== 'none' && (
              <OwnOil vehicleId={vehicle.id} onChanged={setChanged} />
            )}
            <SafetyTips />
          </div>
        )}
      </Dialog>
      {question}
    </>
  );
}

/** The table's interval is the maker's; that of the reminders is shorter, and both stand on these screens. */
function ReminderNote({ vehicleId }: { vehicleId: string }) {
  return (
    <p className="text-sm text-muted">
      Reminders come every 3 months or 5,000 miles unless you{' '}
      <Link
        to={maintenanceHref(vehicleId)}
        className="font-medium text-accent underline underline-offset-4"
      >
        set another interval
      </Link>
      .
    </p>
  );
}

function SafetyTips() {
  return (
    <section aria-labelledby="oil-safety-title" className="rounded-md bg-warn-wash p-4">
      <h3 id="oil-safety-title" className="flex items-center gap-2 font-semibold text-warn">
        <ShieldAlert className="size-4" aria-hidden />
        Safety Tips
      </h3>
      <ul className="mt-2 grid list-disc gap-1.5 pl-5 text-sm text-soft">
        {SAFETY_TIPS.map((tip) => (
          <li key={tip}>{tip}</li>
        ))}
      </ul>
    </section>
  );
}
