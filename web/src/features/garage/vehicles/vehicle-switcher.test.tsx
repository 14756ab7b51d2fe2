import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { VehicleSwitcher } from '@/features/garage/vehicles/components/vehicle-switcher';
import { civic, truck } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, refuse, server } from '@/testing/server';

it('asks a visitor to sign in', () => {
  renderScreen(<VehicleSwitcher signedIn={false} />);
  expect(screen.getByText('Sign in to manage vehicles')).toBeVisible();
});

it('asks somebody whose session has ended to sign in', async () => {
  refuse('get', '/api/vehicles', { status: 401, detail: 'Unauthorized' });
  renderScreen(<VehicleSwitcher signedIn />);
  expect(await screen.findByText('Sign in to manage vehicles')).toBeVisible();
});

it('says when nothing is saved', async () => {
  answer('get', '/api/vehicles', []);
  renderScreen(<VehicleSwitcher signedIn />);
  expect(await screen.findByText('No vehicles saved')).toBeVisible();
});

it('lists all vehicles with a check mark on the default, and changes it', async () => {
  answer('get', '/api/vehicles', [civic, truck]);
  refuse('put', '/api/vehicles/vehicle-2/default', { status: 500, detail: '' });
  const { person } = renderScreen(<VehicleSwitcher signedIn />);
  await person.click(await screen.findByRole('button', { name: /2015 Honda Civic/ }));
  expect(await screen.findByRole('menuitemradio', { name: '2015 Honda Civic' })).toBeChecked();
  await person.click(screen.getByRole('menuitemradio', { name: '2019 Ford F-150' }));
  expect(await screen.findByText('Failed to update default vehicle')).toBeVisible();
  expect(screen.getByRole('button', { name: /2015 Honda Civic/ })).toBeVisible();
});

it('has the focus in its first entry where a key opened it', async () => {
  answer('get', '/api/vehicles', [civic, truck]);
  const { person } = renderScreen(<VehicleSwitcher signedIn />);
  (await screen.findByRole('button', { name: /2015 Honda Civic/ })).focus();
  await person.keyboard('{Enter}');
  const first = await screen.findByRole('menuitemradio', { name: '2015 Honda Civic' });
  await waitFor(() => expect(first).toHaveFocus());
});

it('tells vehicles of one name apart', async () => {
  const other = { ...civic, id: 'vehicle-3', isDefault: false, licensePlate: '7XYZ899' };
  answer('get', '/api/vehicles', [civic, other]);
  const { person } = renderScreen(<VehicleSwitcher signedIn />);
  await person.click(await screen.findByRole('button', { name: /2015 Honda Civic/ }));
  expect(
    await screen.findByRole('menuitemradio', { name: '7XYZ899, 2015 Honda Civic' }),
  ).not.toBeChecked();
});

it('shows another default before the server has it', async () => {
  answer('get', '/api/vehicles', [civic, truck]);
  server.use(
    http.put('/api/vehicles/vehicle-2/default', () => new Promise<never>(() => undefined)),
  );
  const { person } = renderScreen(<VehicleSwitcher signedIn />);
  await person.click(await screen.findByRole('button', { name: /2015 Honda Civic/ }));
  await person.click(await screen.findByRole('menuitemradio', { name: '2019 Ford F-150' }));
  expect(await screen.findByRole('button', { name: /2019 Ford F-150/ })).toBeVisible();
});
