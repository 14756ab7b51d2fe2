import { fireEvent, screen } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { VinPhoto } from '@/features/garage/vehicles/components/vin-photo';
import { renderScreen } from '@/testing/render';
import { answer, server } from '@/testing/server';
import { SHRUNK, withShrinkWorker } from '@/testing/shrink-worker';

const VIN = '1HGCM82633A004352';
const asItStands: Schemas['VinOnPhoto'] = {
  vin: VIN,
  readAs: `VIN ${VIN}`,
  checkDigitFits: true,
  source: 'text',
};
const corrected: Schemas['VinOnPhoto'] = { ...asItStands, readAs: '1HGCMB2633A004352' };

type FormProps = { onVin: (vin: string) => void };

function Form({ onVin }: FormProps) {
  const [vin, setVin] = useState('');
  const fill = (read: string) => {
    onVin(read);
    setVin(read);
  };
  return (
    <>
      <input aria-label="VIN" value={vin} onChange={(event) => setVin(event.target.value)} />
      <VinPhoto value={vin} onVin={fill} />
    </>
  );
}

async function read(...vins: Schemas['VinOnPhoto'][]) {
  answer('post', '/api/vehicles/read-vin', { vins });
  return takePhoto();
}

async function takePhoto(photo = new File(['photo'], 'door-jamb.jpg', { type: 'image/jpeg' })) {
  const onVin = vi.fn();
  const { person } = renderScreen(<Form onVin={onVin} />);
  await person.upload(screen.getByLabelText('Photo of the VIN'), photo);
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

it('sends a photo of a format that the server does not read as a JPEG', async () => {
  withShrinkWorker();
  const sent = vi.fn();
  server.use(
    http.post('/api/vehicles/read-vin', async ({ request }) => {
      sent(await request.text());
      return HttpResponse.json({ vins: [asItStands] });
    }),
  );
  await takePhoto(new File(['photo'], 'door-jamb.avif', { type: 'image/avif' }));
  await screen.findByText(/^Read from the text\./);
  expect(sent).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(SHRUNK));
});

it('asks which of several numbers it is', async () => {
  const other = { ...corrected, vin: '1HGCM82633A004353' };
  const { onVin } = await read(corrected, other);
  expect(await screen.findByRole('group', { name: 'Which one stands there?' })).toBeVisible();
  expect(onVin).not.toHaveBeenCalled();
});

it('offers a number that was read while another one was typed', async () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  server.use(
    http.post('/api/vehicles/read-vin', async () => {
      await ended;
      return HttpResponse.json({ vins: [asItStands] });
    }),
  );
  const { person, onVin } = await takePhoto();
  const field = screen.getByLabelText('VIN');
  await person.type(field, 'JH4');
  end();
  const found = await screen.findByRole('button', { name: /^1HGCM82633A004352/ });
  expect(onVin).not.toHaveBeenCalled();
  expect(field).toHaveValue('JH4');
  await person.click(found);
  expect(field).toHaveValue(VIN);
});

it('vouches for the number that was read, and not for another one typed over it', async () => {
  await read(asItStands);
  const said = await screen.findByText(/Its check digit fits/);
  fireEvent.change(screen.getByLabelText('VIN'), { target: { value: VIN.slice(0, -1) } });
  expect(said).not.toBeInTheDocument();
  expect(screen.queryByRole('group')).not.toBeInTheDocument();
});
