import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { VinPhoto } from '@/features/garage/vehicles/components/vin-photo';
import { renderScreen } from '@/testing/render';
import { answer } from '@/testing/server';

const VIN = '1HGCM82633A004352';
const asItStands: Schemas['VinOnPhoto'] = {
  vin: VIN,
  readAs: `VIN ${VIN}`,
  checkDigitFits: true,
  source: 'text',
};
const corrected: Schemas['VinOnPhoto'] = { ...asItStands, readAs: '1HGCMB2633A004352' };

async function read(...vins: Schemas['VinOnPhoto'][]) {
  answer('post', '/api/vehicles/read-vin', { vins });
  const onVin = vi.fn();
  const { person } = renderScreen(<VinPhoto onVin={onVin} />);
  await person.upload(
    screen.getByLabelText('Photo of the VIN'),
    new File(['photo'], 'door-jamb.jpg', { type: 'image/jpeg' }),
  );
  return { person, onVin };
}

it.each([
  ['as it stands', [asItStands]],
  ['with letters that no VIN has', [{ ...asItStands, readAs: 'IHGCM82633AOQ4352' }]],
  ['as it stands without a fitting check digit', [{ ...asItStands, checkDigitFits: false }]],
  ['beside one that does not fit', [asItStands, { ...corrected, checkDigitFits: false, vin: 'W' }]],
])('fills in a number that was read %s', async (_, vins) => {
  const { onVin } = await read(...vins);
  expect(await screen.findByText(/^Read from the text\./)).toBeVisible();
  expect(onVin).toHaveBeenCalledExactlyOnceWith(VIN);
  expect(screen.queryByRole('group')).not.toBeInTheDocument();
});

it('asks before it fills in the only number, where characters of it were exchanged', async () => {
  const { person, onVin } = await read(corrected);
  expect(await screen.findByRole('group', { name: 'Does this one stand there?' })).toBeVisible();
  expect(screen.getByText('“1HGCMB2633A004352” was read.')).toBeVisible();
  expect(onVin).not.toHaveBeenCalled();
  await person.click(screen.getByRole('button', { name: /^1HGCM82633A004352/ }));
  expect(onVin).toHaveBeenCalledExactlyOnceWith(VIN);
  expect(screen.queryByRole('group')).not.toBeInTheDocument();
});

it('asks which of several numbers it is', async () => {
  const other = { ...corrected, vin: '1HGCM82633A004353' };
  const { onVin } = await read(corrected, other);
  expect(await screen.findByRole('group', { name: 'Which one stands there?' })).toBeVisible();
  expect(onVin).not.toHaveBeenCalled();
});
