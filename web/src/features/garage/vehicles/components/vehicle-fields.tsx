import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { Combobox } from '@/components/ui/combobox';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { VinField } from '@/features/garage/vehicles/components/vin-field';
import {
  changesOf,
  isModelYear,
  TEXT_MAX_LENGTH,
  TRANSMISSIONS,
  type VehicleField,
  type VehicleForm,
} from '@/features/garage/vehicles/model';
import { referenceQueries } from '@/features/garage/vehicles/queries';
import type { Schemas } from '@/api/client';
import type { Form } from '@/hooks/use-form';

type VehicleFieldsProps = {
  form: Form<VehicleForm, Schemas['NewVehicle']>;
  /** The vehicle that is edited; null for a new one. */
  vehicleId: string | null;
};

/** The fields that adding and editing a vehicle share. Lists help; any text may be typed. */
export function VehicleFields({ form, vehicleId }: VehicleFieldsProps) {
  const { set } = form;
  const values = useWatch({ control: form.control }) as VehicleForm;
  // The model that the engine was entered for; a VIN may tell the engine before there is one.
  const [engineFor, setEngineFor] = useState(values.model);
  const change = (changes: Partial<VehicleForm>) => {
    if (changes.engine !== undefined) setEngineFor(changes.model ?? values.model);
    set(changes);
  };
  // Only a name on the list leads to another list; half a name need not be asked for.
  const makes = useQuery(referenceQueries.makes());
  const make = listed(makes.data, values.make);
  const models = useQuery(referenceQueries.models(make));
  const model = listed(models.data, values.model);
  const years = useQuery(referenceQueries.years(make, model));
  const year = isModelYear(values.year) ? values.year.trim() : '';
  const engines = useQuery(referenceQueries.engines(make, model, year));

  const bind = (name: VehicleField) => {
    const { ref, 'aria-invalid': invalid } = form.bind(name);
    return { name, ref, value: values[name], 'aria-invalid': invalid };
  };
  const bindList = (name: VehicleField) => ({
    ...bind(name),
    onValueChange: (value: string) => change(changesOf(name, value, engineFor)),
  });
  const hasCar = values.make.trim() !== '' && values.model.trim() !== '';

  return (
    <>
      <VinField
        className="col-span-2"
        {...bindList('vinNumber')}
        typed={values}
        vehicleId={vehicleId}
        onFill={change}
      />
      <Combobox
        label="Make"
        placeholder="Honda"
        maxLength={TEXT_MAX_LENGTH}
        required
        options={makes.data ?? []}
        hint={makes.isError ? 'Failed to fetch makes' : undefined}
        {...bindList('make')}
      />
      <Combobox
        label="Model"
        placeholder={values.make.trim() === '' ? 'Needs a make' : 'Civic'}
        maxLength={TEXT_MAX_LENGTH}
        required
        disabled={values.make.trim() === ''}
        options={models.data ?? []}
        hint={models.isError ? 'Failed to fetch models' : undefined}
        {...bindList('model')}
      />
      <Combobox
        label="Year"
        inputMode="numeric"
        maxLength={4}
        required
        options={years.data ?? []}
        {...bindList('year')}
      />
      <Combobox
        label="Engine"
        placeholder={hasCar ? '2.0L 4-cyl' : 'Needs a model'}
        maxLength={TEXT_MAX_LENGTH}
        disabled={!hasCar || values.year.trim() === ''}
        options={engines.data ?? []}
        hint={engines.isError ? 'Failed to fetch engines' : undefined}
        {...bindList('engine')}
      />
      <SelectField label="Transmission" {...form.bind('transmission')}>
        <option value="">Not given</option>
        {TRANSMISSIONS.map((name) => (
          <option key={name}>{name}</option>
        ))}
        {/* A vehicle may have been imported with words of its own; editing must not lose them. */}
        {values.transmission !== '' &&
          !TRANSMISSIONS.some((name) => name === values.transmission) && (
            <option>{values.transmission}</option>
          )}
      </SelectField>
      <Field
        label="License plate"
        autoComplete="off"
        maxLength={16}
        {...form.bind('licensePlate')}
      />
    </>
  );
}

/** The name as the list has it, or nothing. */
function listed(names: string[] | undefined, typed: string): string {
  const wanted = typed.trim().toLowerCase();
  return names?.find((name) => name.toLowerCase() === wanted) ?? '';
}
