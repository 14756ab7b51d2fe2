import { act, screen, waitFor } from '@testing-library/react';
import { delay, http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { RepairPanel } from '@/features/garage/repair-history/components/repair-panel';
import {
  emptyRepair,
  groupRepairs,
  repairOfScan,
  repairSchema,
} from '@/features/garage/repair-history/model';
import { checkForm } from '@/lib/form-schema';
import { civic, partType, repair, rotorScan, truck } from '@/testing/fixtures';
import { confirm, renderScreen } from '@/testing/render';
import { answer, loseFirst, note, refuse, server } from '@/testing/server';

const named: Schemas['ScanReadPart'] = {
  says: 'named',
  read: 'O-51',
  isExact: true,
  source: 'shop',
  partId: 'part-7',
  label: 'brake-rotor',
  typeName: 'Brake Rotor',
  number: 'R-51',
  brand: 'Bosch',
  name: null,
  via: null,
};

describe('repairSchema', () => {
  const typed = {
    ...emptyRepair('vehicle-1', '2025-03-05', ' Alternator '),
    mileage: '48,210',
  };

  it('trims the part, and leaves empty notes out', () => {
    const parsed = checkForm(repairSchema, { ...typed, notes: '  ' });
    expect(parsed).toEqual({
      ok: true,
      body: {
        vehicleId: 'vehicle-1',
        partReplaced: 'Alternator',
        mileage: 48_210,
        repairDate: '2025-03-05',
        cost: null,
      },
    });
  });

  it.each([{ vehicleId: '' }, { partReplaced: ' ' }, { mileage: '' }, { repairDate: '' }])(
    'refuses %o',
    (change) => {
      expect(checkForm(repairSchema, { ...typed, ...change })).toEqual({
        ok: false,
        refusal: {
          title: 'Missing Information',
          message: 'Please fill in all required fields',
          fields: Object.keys(change),
        },
      });
    },
  );

  it.each(['0', '1000000', 'many', '1.5'])('refuses %s miles', (mileage) => {
    expect(checkForm(repairSchema, { ...typed, mileage })).toMatchObject({
      refusal: {
        title: 'Invalid Mileage',
        message: 'Please enter a valid mileage between 1 and 999,999',
      },
    });
  });
});

it('groups by vehicle, the newest repair first', () => {
  const truck = { ...repair, id: '2', vehicleId: 'vehicle-2' };
  const newer = { ...repair, id: '3', repairDate: '2026-01-01' };
  const groups = groupRepairs([repair, truck, newer]);
  expect(groups.map(({ vehicleId, repairs }) => [vehicleId, repairs.map(({ id }) => id)])).toEqual([
    ['vehicle-1', ['3', 'repair-1']],
    ['vehicle-2', ['2']],
  ]);
});

describe('RepairPanel', () => {
  it('shows the repairs of one vehicle, which the address keeps, and adds to them', async () => {
    server.use(
      http.get('/api/repair-history', ({ request }) => {
        const wanted = new URL(request.url).searchParams.get('vehicleId');
        const all = [repair, { ...repair, id: '2', vehicleId: truck.id, partReplaced: 'Hose' }];
        return HttpResponse.json(
          all.filter(({ vehicleId }) => (wanted ?? vehicleId) === vehicleId),
        );
      }),
    );
    const panel = <RepairPanel vehicles={[civic, truck]} part={null} />;
    const { person, router, unmount } = renderScreen(panel);
    expect(await screen.findByText('Alternator')).toBeVisible();
    const choice = screen.getByRole('combobox', { name: 'Show repairs of' });
    expect(choice).toHaveDisplayValue('All vehicles');
    await person.selectOptions(choice, '2019 Ford F-150');
    expect(await screen.findByText('Hose')).toBeVisible();
    expect(screen.queryByText('Alternator')).not.toBeInTheDocument();
    expect(router.state.location.search).toBe('?repairs=vehicle-2');
    expect(router.state.preventScrollReset).toBe(true);
    unmount();
    renderScreen(panel, '/vehicle?repairs=vehicle-2');
    expect(await screen.findByText('Hose')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Add Repair' }));
    expect(screen.getByRole('combobox', { name: /^Vehicle/ })).toHaveDisplayValue(
      '2019 Ford F-150',
    );
  });

  it('has nothing to choose with one vehicle', async () => {
    answer('get', '/api/repair-history', [repair]);
    renderScreen(<RepairPanel vehicles={[civic]} part={null} />);
    expect(await screen.findByText('Alternator')).toBeVisible();
    expect(screen.queryByRole('combobox')).not.toBeInTheDocument();
  });

  it('saves a repair once that is sent again for want of an answer, and what was changed anew', async () => {
    answer('get', '/api/repair-history', []);
    const keys = loseFirst('/api/repair-history', { ...repair, warnings: [] });
    const { person } = renderScreen(<RepairPanel vehicles={[civic]} part="Brake Rotor" />);
    const save = () => person.click(screen.getByRole('button', { name: 'Save Repair' }));
    await person.type(screen.getByLabelText(/Mileage/), '48210');
    await save();
    expect(await screen.findByRole('alert')).toHaveTextContent('cannot be reached');
    await save();
    await screen.findByText('Repair added');
    for (const mileage of ['48210', '48211']) {
      keys.push('next');
      await person.click(screen.getByRole('button', { name: 'Add Repair' }));
      await person.type(screen.getByLabelText(/Part replaced/), 'Brake Rotor');
      await person.type(screen.getByLabelText(/Mileage/), mileage);
      await save();
      await waitFor(() => expect(screen.queryByRole('form')).not.toBeInTheDocument());
    }
    const [first, again, , second, , third] = keys;
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(again).toBe(first);
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it('fills in what a scan knows, and sends the scan along', async () => {
    const judged = rotorScan({
      receipt: {
        ...rotorScan().receipt,
        judgement: {
          label: 'brake-rotor',
          statedConfidence: 0.9,
          evidence: 'Vented.',
          partNumbers: ['BD-7'],
          betterPhoto: null,
        },
      },
    });
    answer('get', '/api/repair-history', []);
    answer('get', '/api/scans/scan-1', judged);
    answer('get', '/api/catalog/types/brake-rotor', partType());
    const sent = note('post', '/api/repair-history', { ...repair, warnings: [] }, 201);
    const { person } = renderScreen(
      <RepairPanel vehicles={[civic]} part="Brake Rotor" scanId="scan-1" />,
    );
    expect(await screen.findByLabelText('Part number')).toHaveValue('BD-7');
    expect(screen.getByLabelText(/Mileage/)).toHaveFocus();
    expect(await screen.findByText('Brake Rotor')).toBeVisible();
    await person.type(screen.getByLabelText('Brand'), 'ATE');
    await person.type(screen.getByLabelText(/Mileage/), '48210');
    await person.click(screen.getByRole('button', { name: 'Save Repair' }));
    expect(await screen.findByText('Repair added')).toBeVisible();
    expect(sent).toHaveBeenCalledWith({
      scanId: 'scan-1',
      vehicleId: 'vehicle-1',
      mileage: 48_210,
      partReplaced: 'Brake Rotor',
      partLabel: 'brake-rotor',
      partNumber: 'BD-7',
      partBrand: 'ATE',
      repairDate: '2026-11-21',
      cost: null,
    });
  });

  it.each([
    ['America/Los_Angeles', '2026-11-20'],
    ['Pacific/Auckland', '2026-11-21'],
  ])('is of the day that a scan was made on in %s', (timeZone, day) => {
    vi.stubEnv('TZ', timeZone);
    const scan = rotorScan({ scannedAt: '2026-11-21T03:00:00Z' });
    expect(repairOfScan(scan, [civic]).repairDate).toBe(day);
    vi.unstubAllEnvs();
  });

  it('leaves out of a repair what was taken out of its form', async () => {
    answer('get', '/api/repair-history', []);
    answer('get', '/api/scans/scan-1', rotorScan());
    answer('get', '/api/catalog/types/brake-rotor', partType());
    const sent = note('post', '/api/repair-history', { ...repair, warnings: [] }, 201);
    const { person } = renderScreen(
      <RepairPanel vehicles={[civic]} part="Brake Rotor" scanId="scan-1" />,
    );
    await person.click(await screen.findByRole('button', { name: 'Leave Out' }));
    await person.type(screen.getByLabelText(/Mileage/), '48210');
    await person.click(screen.getByRole('button', { name: 'Save Repair' }));
    expect(await screen.findByText('Repair added')).toBeVisible();
    expect(sent).toHaveBeenCalledWith(expect.objectContaining({ scanId: 'scan-1', partLabel: '' }));
  });

  it.each(['Save Repair', 'Cancel'])('forgets the scan in the address with %s', async (way) => {
    answer('get', '/api/repair-history', []);
    answer('get', '/api/scans/scan-1', rotorScan());
    answer('get', '/api/catalog/types/brake-rotor', partType());
    answer('post', '/api/repair-history', { ...repair, warnings: [] }, 201);
    const { person, router } = renderScreen(
      <RepairPanel vehicles={[civic]} part="Brake Rotor" scanId="scan-1" />,
    );
    await act(() =>
      router.navigate('/vehicle?repair=Brake%20Rotor&scan=scan-1&maintenance=vehicle-1'),
    );
    await person.type(await screen.findByLabelText(/Mileage/), '48210');
    await person.click(screen.getByRole('button', { name: way }));
    await waitFor(() => expect(screen.queryByRole('form')).not.toBeInTheDocument());
    expect(router.state.location.search).toBe('?maintenance=vehicle-1');
    expect(screen.getByRole('button', { name: 'Add Repair' })).toHaveFocus();
  });

  it.each([
    ['the part that its number names', [named], 'R-51', 'Bosch'],
    ['the first number that was read', [{ ...named, says: 'likely' as const }], 'O-51', ''],
  ])('fills in %s', async (_, parts, number, brand) => {
    const line = {
      text: 'No. O-51',
      readAs: null,
      kind: 'part-number' as const,
      number: 'O-51',
      brand: null,
      code: null,
      confidence: 0.9,
      photo: 0,
      corners: [],
    };
    answer('get', '/api/repair-history', []);
    answer('get', '/api/scans/scan-1', rotorScan());
    answer('get', '/api/scans/scan-1/reading', {
      state: 'read',
      lines: [{ ...line, text: 'NGK', number: null }, line],
      parts,
      readAt: '2026-11-21T10:00:00Z',
    });
    answer('get', '/api/catalog/types/brake-rotor', partType());
    renderScreen(<RepairPanel vehicles={[civic]} part="Brake Rotor" scanId="scan-1" />);
    expect(await screen.findByLabelText('Part number')).toHaveValue(number);
    expect(screen.getByLabelText('Brand')).toHaveValue(brand);
  });

  it('opens the form all the same when the scan is gone, and keeps it', async () => {
    answer('get', '/api/repair-history', []);
    refuse('get', '/api/scans/scan-1', { status: 404, detail: 'Gone.' });
    const { person, queryClient } = renderScreen(
      <RepairPanel vehicles={[civic]} part="Brake Rotor" scanId="scan-1" />,
    );
    expect(await screen.findByLabelText(/Part replaced/)).toHaveValue('Brake Rotor');
    server.use(http.get('/api/scans/scan-1', () => delay('infinite')));
    void queryClient.refetchQueries();
    await person.type(screen.getByLabelText(/Mileage/), '48210');
    expect(screen.getByLabelText(/Mileage/)).toHaveValue('48210');
  });

  it('shows brand and number of the fitted part, and keeps them when it is edited', async () => {
    const fitted = { ...repair, partLabel: 'alternator', partNumber: 'AL-130', partBrand: 'Bosch' };
    answer('get', '/api/repair-history', [fitted]);
    answer('get', '/api/catalog/types/alternator', partType({ id: 'alternator' }));
    const sent = note('put', '/api/repair-history/repair-1', { ...fitted, warnings: [] });
    const { person } = renderScreen(<RepairPanel vehicles={[civic]} part={null} />);
    expect(await screen.findByText(/Bosch AL-130/)).toBeVisible();
    await person.click(screen.getByRole('button', { name: /^Edit Alternator/ }));
    await person.click(screen.getByRole('button', { name: 'Save Changes' }));
    expect(await screen.findByText('Repair updated')).toBeVisible();
    expect(screen.getByRole('button', { name: /^Edit Alternator/ })).toHaveFocus();
    expect(sent).toHaveBeenCalledWith(
      expect.objectContaining({
        partLabel: 'alternator',
        partNumber: 'AL-130',
        partBrand: 'Bosch',
      }),
    );
  });

  it('goes on to the next repair after deleting one, and to the one before the last', async () => {
    const repairs = ['Alternator', 'Battery'].map((partReplaced) => ({
      ...repair,
      id: partReplaced,
      partReplaced,
    }));
    answer('get', '/api/repair-history', repairs);
    note('delete', '/api/repair-history/:id');
    const { person } = renderScreen(<RepairPanel vehicles={[civic]} part={null} />);
    await person.click(await screen.findByRole('button', { name: /^Delete Alternator/ }));
    await confirm(person, 'Delete');
    await waitFor(() =>
      expect(screen.getByRole('button', { name: /^Edit Battery/ })).toHaveFocus(),
    );
    await screen.findByText('Repair deleted');
    const last = screen.getByRole('button', { name: /^Delete Battery/ });
    await waitFor(() => expect(last).toBeEnabled());
    await person.click(last);
    await confirm(person, 'Delete');
    await waitFor(() =>
      expect(screen.getByRole('button', { name: /^Edit Alternator/ })).toHaveFocus(),
    );
  });

  it('asks by its license plate before it deletes a repair of one of two equal vehicles', async () => {
    const vehicles = [
      { ...civic, licensePlate: 'NZ000' },
      { ...civic, id: 'vehicle-2', licensePlate: 'NZ001', isDefault: false },
    ];
    answer('get', '/api/repair-history', [repair]);
    const { person } = renderScreen(<RepairPanel vehicles={vehicles} part={null} />);
    await person.click(await screen.findByRole('button', { name: /^Delete Alternator/ }));
    expect(screen.getByRole('alertdialog')).toHaveTextContent(
      'Alternator, NZ000, 2015 Honda Civic, Mar 05, 2025.',
    );
  });
});
