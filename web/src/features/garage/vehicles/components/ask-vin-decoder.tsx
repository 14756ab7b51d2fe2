import { useQuery } from '@tanstack/react-query';
import { Globe, WandSparkles } from 'lucide-react';
import { sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { changesOfAskedVin, type VehicleForm } from '@/features/garage/vehicles/model';
import { referenceQueries } from '@/features/garage/vehicles/queries';

type AskVinDecoderProps = {
  vin: string;
  /** What is typed into the form. */
  typed: VehicleForm;
  onFill: (changes: Partial<VehicleForm>) => void;
};

/** A decoder elsewhere knows more of a VIN. It is asked only when the person says so. */
export function AskVinDecoder({ vin, typed, onFill }: AskVinDecoderProps) {
  const asked = useQuery(referenceQueries.askedVin(vin));
  const makes = useQuery(referenceQueries.makes()).data ?? [];
  const changes = asked.data === undefined ? {} : changesOfAskedVin(asked.data, typed, makes);
  return (
    <div className="mt-2 grid gap-2 rounded-md border bg-canvas p-3 text-sm">
      {asked.data === undefined ? (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="min-w-0 flex-1 basis-48 text-xs text-muted">
            A decoder outside this server may know more of this vehicle. The VIN is then sent to
            another machine.
          </p>
          <Button size="small" disabled={asked.isFetching} onClick={() => void asked.refetch()}>
            <Globe className="size-4" aria-hidden />
            {asked.isFetching ? 'Asking...' : 'Ask the VIN Decoder'}
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p>
            <span className="font-medium">{carOf(asked.data)}</span>
            <span className="block text-xs text-muted">
              {detailsOf(asked.data) || 'Nothing more is known of it'}
            </span>
          </p>
          <Button
            size="small"
            disabled={Object.keys(changes).length === 0}
            onClick={() => onFill(changes)}
          >
            <WandSparkles className="size-4" aria-hidden />
            Fill in This Answer
          </Button>
        </div>
      )}
      <div role="status" className="text-warn empty:hidden">
        {asked.isError && sentenceOf(asked.error, 'The VIN decoder could not be asked.')}
        {asked.data?.remark}
      </div>
    </div>
  );
}

function carOf({ modelYear, make, model, trim }: Schemas['AskedVinFacts']): string {
  const words = [modelYear, make, model, trim].filter((word) => word !== null);
  return words.length === 0 ? 'Unknown vehicle' : words.join(' ');
}

function detailsOf(facts: Schemas['AskedVinFacts']): string {
  const { body, fuelType, transmission, drivetrain } = facts;
  return [body, fuelType, transmission, drivetrain].filter((word) => word !== null).join(' · ');
}
