import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { settingsQuery } from '@/api/settings';
import { LoadFailure } from '@/components/load-failure';
import { Card } from '@/components/ui/card';
import { Notice } from '@/components/ui/notice';
import { LoadingBlock } from '@/components/ui/skeleton';
import { VehicleSelect } from '@/components/vehicle-select';
import { Complaints } from '@/features/garage/recalls/components/complaints';
import { AskByVin, RecallList } from '@/components/recall-list';
import { recallQueries } from '@/features/garage/recalls/queries';
import { countOf, formatDate, vehicleName } from '@/lib/format';

type RecallsPanelProps = { vehicles: Schemas['Vehicle'][] };

/** What NHTSA lists of a vehicle: recalls, and what owners complain of. */
export function RecallsPanel({ vehicles }: RecallsPanelProps) {
  const settings = useQuery(settingsQuery());
  const [chosen, setChosen] = useState<string | null>(null);
  const vehicle = vehicles.find(({ id }) => id === chosen) ?? vehicles[0];
  // Where nobody may be asked, there is nothing to choose.
  if (settings.data === undefined || vehicle === undefined) return null;
  return (
    <Card aria-labelledby="recalls-title" className="grid content-start gap-4">
      <h2 id="recalls-title" className="section-title">
        Recalls
      </h2>
      {settings.data.recalls ? (
        <>
          {vehicles.length > 1 && (
            <VehicleSelect
              vehicles={vehicles}
              label="Vehicle"
              value={vehicle.id}
              onChange={(event) => setChosen(event.target.value)}
            />
          )}
          <VehicleRecalls key={vehicle.id} vehicle={vehicle} />
        </>
      ) : (
        <>
          <p className="text-sm text-soft">
            This server asks nobody for recalls, so none are shown here.
          </p>
          <AskByVin />
        </>
      )}
    </Card>
  );
}

type VehicleRecallsProps = { vehicle: Schemas['Vehicle'] };

function VehicleRecalls({ vehicle }: VehicleRecallsProps) {
  const found = useQuery(recallQueries.vehicle(vehicle.id));
  if (found.isPending) return <LoadingBlock label="Asking for recalls" rows={2} />;
  if (found.isLoadingError) return <LoadFailure what="Recalls" query={found} />;
  if (found.data == null) return null;
  const { state, recalls, fetchedAt, complaintCount } = found.data;
  if (fetchedAt === null) {
    return (
      <>
        <Notice tone="info" title="NHTSA does not answer now" onRetry={() => void found.refetch()}>
          Nothing is known of the recalls of this vehicle yet.
        </Notice>
        <AskByVin />
      </>
    );
  }
  const name = vehicleName(found.data.askedFor);
  return (
    <>
      {state === 'old' && (
        <Notice tone="info" title="NHTSA does not answer now" onRetry={() => void found.refetch()}>
          {`This is what it listed on ${formatDate(fetchedAt)}.`}
        </Notice>
      )}
      <p className="text-sm text-soft">
        {recalls.length === 0
          ? `NHTSA lists no recalls of the ${name}.`
          : `NHTSA lists ${countOf(recalls.length, 'recall')} of the ${name}.`}{' '}
        <span className="text-muted">{`Listed on ${formatDate(fetchedAt)}.`}</span>
      </p>
      {recalls.length === 0 && complaintCount === 0 && (
        <p className="text-sm text-muted">
          It lists no complaints either, so it may know the model by another name. With its VIN, a
          vehicle is asked for by the name that NHTSA gave it.
        </p>
      )}
      {recalls.length > 0 && <RecallList recalls={recalls} label={`Recalls of the ${name}`} />}
      <AskByVin />
      <Complaints found={found.data} />
    </>
  );
}
