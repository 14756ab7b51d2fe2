import type { ComponentProps } from 'react';
import type { Schemas } from '@/api/client';
import { SelectField } from '@/components/ui/select-field';
import { vehicleNames } from '@/components/vehicle-names';

type VehicleSelectProps = Omit<ComponentProps<typeof SelectField>, 'children' | 'options'> & {
  vehicles: Schemas['Vehicle'][];
  /** What choosing none of them is called; it cannot be chosen otherwise. */
  none?: string;
};

/** A choice of one vehicle, by its id. */
export function VehicleSelect({ vehicles, none, ...field }: VehicleSelectProps) {
  return (
    <SelectField options={vehicleNames(vehicles)} {...field}>
      {none !== undefined && <option value="">{none}</option>}
    </SelectField>
  );
}
