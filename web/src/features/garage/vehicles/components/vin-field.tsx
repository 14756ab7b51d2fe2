import { useQuery } from '@tanstack/react-query';
import { WandSparkles } from 'lucide-react';
import type { ComponentProps } from 'react';
import { sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { settingsQuery } from '@/api/settings';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { AskVinDecoder } from '@/features/garage/vehicles/components/ask-vin-decoder';
import { VinPhoto } from '@/features/garage/vehicles/components/vin-photo';
import {
  changesOfVin,
  detailsOfVin,
  isWholeVin,
  nameOfVin,
  otherOfVin,
  sourceOfVin,
  VIN_MAX_LENGTH,
  type VehicleForm,
} from '@/features/garage/vehicles/model';
import { referenceQueries, vehicleQueries } from '@/features/garage/vehicles/queries';
import { contradictionOf } from '@/features/garage/vehicles/vin-contradiction';
import { vehicleName } from '@/lib/format';

type VinFieldProps = Omit<ComponentProps<typeof Field>, 'label' | 'value' | 'onChange'> & {
  value: string;
  /** What is typed into the form, and the vehicle that it is of; null of a new one. */
  typed: VehicleForm;
  vehicleId: string | null;
  onValueChange: (value: string) => void;
  onFill: (changes: Partial<VehicleForm>) => void;
};

/** The vehicle identification number; a whole one is read, and can fill in the car. */
export function VinField({
  value,
  typed,
  vehicleId,
  onValueChange,
  onFill,
  className,
  ...field
}: VinFieldProps) {
  const settings = useQuery(settingsQuery());
  // The server says what is wrong with a number that has a letter which no VIN has.
  const isFull = value.length === VIN_MAX_LENGTH;
  const facts = useQuery({ ...referenceQueries.vin(value), enabled: isFull });
  const vehicles = useQuery({ ...vehicleQueries.list(), enabled: isFull });
  const other = isFull ? otherOfVin(vehicles.data ?? [], value, vehicleId) : undefined;
  return (
    <div className={className}>
      <Field
        label="VIN"
        hint={
          value === '' || isFull
            ? 'Optional. 17 characters, on the dashboard behind the windshield or on the door jamb.'
            : `${value.length} of ${VIN_MAX_LENGTH} characters`
        }
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        value={value}
        onChange={(event) => onValueChange(event.target.value)}
        {...field}
      />
      <VinPhoto value={value} onVin={onValueChange} />
      <div role="status">
        {isFull && facts.isError && (
          <p className="mt-1.5 text-sm text-warn">
            {sentenceOf(facts.error, 'The VIN could not be read. Fill in the car yourself.')}
          </p>
        )}
        {isFull && facts.data !== undefined && (
          <VinFacts facts={facts.data} typed={typed} onFill={onFill} />
        )}
        {other !== undefined && (
          <p className="mt-1.5 text-sm text-warn">
            Your <bdi>{vehicleName(other)}</bdi> has this VIN already.
          </p>
        )}
      </div>
      {isWholeVin(value) && settings.data?.vinDecoder === true && (
        <AskVinDecoder key={value} vin={value} typed={typed} onFill={onFill} />
      )}
    </div>
  );
}

type VinFactsProps = Pick<VinFieldProps, 'typed' | 'onFill'> & { facts: Schemas['VinFacts'] };

function VinFacts({ facts, typed, onFill }: VinFactsProps) {
  const car = [nameOfVin(facts), facts.details.trim].filter(Boolean).join(' ');
  const contradiction = contradictionOf(facts, typed);
  const warnings = contradiction === null ? facts.warnings : [contradiction, ...facts.warnings];
  const details = detailsOfVin(facts);
  const source = sourceOfVin(facts);
  const nothing = Object.keys(changesOfVin(facts, typed)).length === 0;
  return (
    <div className="mt-2 grid gap-2 rounded-md border bg-canvas p-3 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p>
          <span className="font-medium">{car === '' ? 'Unknown maker' : car}</span>
          <span className="block text-xs text-muted">
            Made in {facts.details.builtIn ?? facts.country ?? facts.region}
            {facts.models.length > 1 && ` · ${facts.models.join(' or ')}`}
          </span>
          {details !== '' && <span className="block text-xs text-muted">{details}</span>}
          {source !== null && <span className="block text-xs text-muted">{source}</span>}
        </p>
        <Button size="small" disabled={nothing} onClick={() => onFill(changesOfVin(facts, typed))}>
          <WandSparkles className="size-4" aria-hidden />
          Fill in from VIN
        </Button>
      </div>
      {warnings.map((warning) => (
        <p key={warning} className="text-warn">
          {warning}
        </p>
      ))}
    </div>
  );
}
