import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { Fragment, useEffect, useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import { OnDraft } from '@/components/on-draft';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { VehicleSelect } from '@/components/vehicle-select';
import {
  MaintenanceDialog,
  type MaintenanceForm,
} from '@/features/garage/maintenance/components/maintenance-dialog';
import { MaintenanceItems } from '@/features/garage/maintenance/components/maintenance-items';
import { OdometerReadings } from '@/features/garage/maintenance/components/odometer-readings';
import { OdometerLine } from '@/features/garage/maintenance/components/odometer-line';
import { itemDraftKey, odometerDraftKey } from '@/features/garage/maintenance/model';
import { maintenanceQueries } from '@/features/garage/maintenance/queries';
import { useDialog } from '@/hooks/use-dialog';

type MaintenancePanelProps = {
  vehicles: Schemas['Vehicle'][];
  /** The vehicle that an alert leads to, the key of the panel as well; the default one without it. */
  asked: string | null;
};

type Told = {
  vehicleId: string;
  warnings: Schemas['Warning'][];
  reading: Schemas['SavedReading'] | null;
};

/** What is filled in, of the vehicle as it was when the form opened. */
type Filled = { plan: Schemas['MaintenancePlan']; form: MaintenanceForm };

/**
 * What is due on one vehicle, when, and what can be done about it. An open form stays with its vehicle, also where that
 * is deleted meanwhile, as in another tab: what is typed must neither go nor be saved for another one.
 */
export function MaintenancePanel({ vehicles, asked }: MaintenancePanelProps) {
  const [chosen, setChosen] = useState(asked);
  /** What is odd about the mileage that was told last, and the reading where it is one. */
  const [told, setTold] = useState<Told | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const vehicle =
    vehicles.find(({ id }) => id === chosen) ?? vehicles.find(({ isDefault }) => isDefault);
  const vehicleId = vehicle?.id ?? '';
  const [filled, setFilled] = useState<Filled | null>(null);
  const dialog = useDialog();
  const plan = useQuery({
    ...maintenanceQueries.plan(vehicleId),
    enabled: vehicle !== undefined,
  });
  const show = (form: MaintenanceForm) => {
    if (plan.data == null) return;
    setFilled({ plan: plan.data, form });
    dialog.show();
  };
  const tell = (warnings: Schemas['Warning'][], reading: Schemas['SavedReading'] | null) =>
    setTold({ vehicleId: filled?.plan.vehicleId ?? '', warnings, reading });
  // An alert leads here, past the cards above.
  useEffect(() => {
    if (asked === null) return;
    heading.current?.scrollIntoView({ block: 'start' });
    heading.current?.focus({ preventScroll: true });
  }, [asked]);
  const isGone = filled?.plan.vehicleId !== vehicleId;

  return (
    <>
      {vehicle !== undefined && (
        <Card aria-labelledby="maintenance-title" className="grid content-start gap-5">
          <header className="flex min-h-9 flex-wrap items-center justify-between gap-3">
            <h2
              id="maintenance-title"
              ref={heading}
              tabIndex={-1}
              className="section-title scroll-mt-20"
            >
              Maintenance
            </h2>
            <Button size="small" disabled={plan.data == null} onClick={() => show({ name: 'add' })}>
              <Plus className="size-4" aria-hidden />
              Add Reminder
            </Button>
          </header>
          {vehicles.length > 1 && (
            <VehicleSelect
              vehicles={vehicles}
              label="Maintenance of"
              value={vehicleId}
              onChange={(event) => setChosen(event.target.value)}
              className="max-w-xs"
            />
          )}
          <QueryState
            query={plan}
            what="Maintenance"
            label="Loading maintenance"
            rows={4}
            rowClassName="h-14"
          />
          {plan.data != null && (
            <Fragment key={vehicleId}>
              <OdometerLine
                plan={plan.data}
                warnings={told?.vehicleId === vehicleId ? told.warnings : []}
                onDismiss={() => setTold(null)}
                onUpdate={() => show({ name: 'mileage' })}
              />
              <MaintenanceItems plan={plan.data} heading={heading} onShow={show} />
              <OdometerReadings
                vehicleId={vehicleId}
                heading={heading}
                onRemoved={({ date, mileage }) => {
                  // The mileage that was to be checked is gone.
                  const reading = told?.reading;
                  if (reading?.date === date && reading.mileage === mileage) setTold(null);
                }}
              />
              <OnDraft
                draftKey={odometerDraftKey(vehicleId)}
                then={() => show({ name: 'mileage' })}
              />
              <OnDraft
                draftKey={itemDraftKey(vehicleId, null)}
                then={() => show({ name: 'add' })}
              />
            </Fragment>
          )}
        </Card>
      )}
      {filled !== null && (
        <MaintenanceDialog
          key={dialog.turn}
          plan={isGone ? filled.plan : (plan.data ?? filled.plan)}
          form={filled.form}
          onSaved={(reading) => tell(reading.warnings, reading)}
          onDone={(warnings) => tell(warnings, null)}
          returnFocus={() => (isGone ? heading.current : null)}
          {...dialog.props}
        />
      )}
    </>
  );
}
