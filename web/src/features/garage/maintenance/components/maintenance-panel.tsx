import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { SelectField } from '@/components/ui/select-field';
import { VehicleOptions } from '@/components/vehicle-options';
import { ItemDialog } from '@/features/garage/maintenance/components/item-dialog';
import { MaintenanceItems } from '@/features/garage/maintenance/components/maintenance-items';
import { OdometerReadings } from '@/features/garage/maintenance/components/odometer-readings';
import { OdometerLine } from '@/features/garage/maintenance/components/odometer-line';
import { itemDraftKey } from '@/features/garage/maintenance/model';
import { maintenanceQueries } from '@/features/garage/maintenance/queries';
import { useDialog } from '@/hooks/use-dialog';
import { useHasDraft } from '@/hooks/use-draft';

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

/** What is due on one vehicle, when, and what can be done about it. */
export function MaintenancePanel({ vehicles, asked }: MaintenancePanelProps) {
  const [chosen, setChosen] = useState(asked);
  /** What is odd about the mileage that was told last, and the reading where it is one. */
  const [told, setTold] = useState<Told | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const vehicle =
    vehicles.find(({ id }) => id === chosen) ?? vehicles.find(({ isDefault }) => isDefault);
  const vehicleId = vehicle?.id ?? '';
  const drafted = useHasDraft(itemDraftKey(vehicleId, null));
  const adding = useDialog(drafted);
  const plan = useQuery({
    ...maintenanceQueries.plan(vehicleId),
    enabled: vehicle !== undefined,
  });
  // An alert leads here, past the cards above.
  useEffect(() => {
    if (asked === null) return;
    heading.current?.scrollIntoView({ block: 'start' });
    heading.current?.focus({ preventScroll: true });
  }, [asked]);
  if (vehicle === undefined) return null;

  return (
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
        <Button size="small" onClick={adding.show}>
          <Plus className="size-4" aria-hidden />
          Add Reminder
        </Button>
      </header>
      {vehicles.length > 1 && (
        <SelectField
          label="Maintenance of"
          value={vehicleId}
          onChange={(event) => setChosen(event.target.value)}
          className="max-w-xs"
        >
          <VehicleOptions vehicles={vehicles} />
        </SelectField>
      )}
      <QueryState
        query={plan}
        what="Maintenance"
        label="Loading maintenance"
        rows={4}
        rowClassName="h-14"
      />
      {plan.data != null && (
        <>
          <OdometerLine
            key={`odometer ${vehicleId}`}
            plan={plan.data}
            warnings={told?.vehicleId === vehicleId ? told.warnings : []}
            onDismiss={() => setTold(null)}
            onSaved={(reading) => setTold({ vehicleId, warnings: reading.warnings, reading })}
          />
          <MaintenanceItems
            key={vehicleId}
            plan={plan.data}
            heading={heading}
            onDone={(warnings) => setTold({ vehicleId, warnings, reading: null })}
          />
          <OdometerReadings
            key={`readings ${vehicleId}`}
            vehicleId={vehicleId}
            heading={heading}
            onRemoved={({ date, mileage }) => {
              // The mileage that was to be checked is gone.
              const reading = told?.reading;
              if (reading?.date === date && reading.mileage === mileage) setTold(null);
            }}
          />
          {adding.turn > 0 && (
            <ItemDialog
              key={`${vehicleId} ${adding.turn}`}
              vehicleId={vehicleId}
              item={null}
              taken={plan.data.items.map(({ item }) => item)}
              {...adding.props}
            />
          )}
        </>
      )}
    </Card>
  );
}
