import { expect, it } from 'vitest';
import { vehicleNames } from '@/components/vehicle-names';
import { civic, truck } from '@/testing/fixtures';

it('tells vehicles of one name apart by the plate before it, or else by the end of the VIN', () => {
  const vinNumber = '1FTFW1ET5DFC10312';
  const names = vehicleNames([
    { ...civic, licensePlate: 'ABC 123' },
    { ...truck, id: 'plate', licensePlate: 'AAA 111', vinNumber },
    { ...truck, id: 'vin', vinNumber },
    { ...truck, id: 'neither' },
  ]);
  expect(Object.fromEntries(names)).toEqual({
    'vehicle-1': '2015 Honda Civic',
    plate: 'AAA 111, 2019 Ford F-150',
    vin: 'C10312, 2019 Ford F-150',
    neither: '2019 Ford F-150',
  });
});
