import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { AddVehicleDialog } from '@/features/vehicles/components/add-vehicle-dialog';
import { VehicleList } from '@/features/vehicles/components/vehicle-list';
import { VehicleSwitcher } from '@/features/vehicles/components/vehicle-switcher';
import { emptyVehicleForm, parseVehicleForm, typedVin } from '@/features/vehicles/model';
import { civic } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, refuse, server } from '@/testing/server';

const truck = {
  ...civic,
  id: 'vehicle-2',
  make: 'Ford',
  model: 'F-150',
  year: 2019,
  isDefault: false,
};

describe('parseVehicleForm', () => {
  const typed = { ...emptyVehicleForm(new Date('2026-05-01')), make: ' Honda ', model: 'Civic' };

  it('takes make, model and year, and leaves out what is not given', () => {
    expect(parseVehicleForm(typed)).toEqual({
      ok: true,
      vehicle: {
        make: 'Honda',
        model: 'Civic',
        year: 2026,
        engine: null,
        transmission: null,
        vinNumber: null,
        licensePlate: null,
      },
    });
  });

  it.each([{ make: ' ' }, { model: '' }, { year: '' }, { year: '20x5' }])(
    'refuses %o',
    (change) => {
      expect(parseVehicleForm({ ...typed, ...change })).toEqual({
        ok: false,
        message: 'Please fill in make, model, and year.',
      });
    },
  );
});

it('keeps a VIN in upper case and at most 17 long', () => {
  expect(typedVin('2hgfb2f59 fh500123xx')).toBe('2HGFB2F59FH500123');
});

it('adds a vehicle, then empties and closes the dialog', async () => {
  answer('post', '/api/vehicles', civic, 201);
  const onClose = vi.fn();
  const { person } = renderScreen(
    <AddVehicleDialog open onClose={onClose} onSignedOut={vi.fn()} />,
  );
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  expect(screen.getByRole('alert')).toHaveTextContent('Please fill in make, model, and year.');
  expect(screen.getByLabelText(/Make/)).toHaveFocus();
  expect(screen.getByLabelText(/Year/)).toBeValid();
  await person.type(screen.getByLabelText(/Make/), 'Honda');
  await person.type(screen.getByLabelText(/Model/), 'Civic');
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  await waitFor(() => {
    expect(onClose).toHaveBeenCalledOnce();
  });
  expect(screen.getByLabelText(/Make/)).toHaveValue('');
});

it('tells apart a failed save and an ended session', async () => {
  const onSignedOut = vi.fn();
  const { person } = renderScreen(
    <AddVehicleDialog open onClose={vi.fn()} onSignedOut={onSignedOut} />,
  );
  await person.type(screen.getByLabelText(/Make/), 'Honda');
  await person.type(screen.getByLabelText(/Model/), 'Civic');
  server.use(http.post('/api/vehicles', () => new HttpResponse(null, { status: 500 })));
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'Failed to add vehicle. Please try again.',
  );
  refuse('post', '/api/vehicles', {
    status: 401,
    code: 'not-signed-in',
    detail: 'Unauthorized',
    title: 'Unauthorized',
  });
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  await waitFor(() => {
    expect(onSignedOut).toHaveBeenCalledOnce();
  });
});

it('makes a vehicle the default by its card', async () => {
  answer('put', '/api/vehicles/vehicle-2/default', { ...truck, isDefault: true });
  const { person } = renderScreen(<VehicleList vehicles={[civic, truck]} />);
  expect(screen.getByText('Default')).toBeVisible();
  await person.click(
    screen.getByRole('button', { name: 'Make 2019 Ford F-150 the default vehicle' }),
  );
  expect(await screen.findByText('Default vehicle changed successfully')).toBeVisible();
});

describe('VehicleSwitcher', () => {
  it('asks a visitor to sign in', () => {
    renderScreen(<VehicleSwitcher signedIn={false} />);
    expect(screen.getByText('Sign in to manage vehicles')).toBeVisible();
  });

  it('says when nothing is saved', async () => {
    answer('get', '/api/vehicles', []);
    renderScreen(<VehicleSwitcher signedIn />);
    expect(await screen.findByText('No vehicles saved')).toBeVisible();
  });

  it('lists all vehicles with a check mark on the default, and changes it', async () => {
    answer('get', '/api/vehicles', [civic, truck]);
    refuse('put', '/api/vehicles/vehicle-2/default', { status: 500, code: 'internal', detail: '' });
    const { person } = renderScreen(<VehicleSwitcher signedIn />);
    await person.click(await screen.findByRole('button', { name: /2015 Honda Civic/ }));
    expect(screen.getByRole('menuitemradio', { name: '2015 Honda Civic' })).toBeChecked();
    await person.click(screen.getByRole('menuitemradio', { name: '2019 Ford F-150' }));
    expect(await screen.findByText('Failed to update default vehicle')).toBeVisible();
  });
});
