import { screen } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { Route, Routes } from 'react-router';
import { expect, it, vi } from 'vitest';
import { VehicleRoute } from '@/app/routes/vehicle';
import { VehicleRequiredNotice } from '@/components/vehicle-required-notice';
import { hasUnsavedWork } from '@/hooks/unsaved-work';
import { ada } from '@/testing/fixtures';
import { confirm, hrefOf, renderScreen } from '@/testing/render';
import { answer, refuse, server, SIGNED_OUT } from '@/testing/server';

it('asks a visitor to sign in, and the server for no vehicles', async () => {
  refuse('get', '/api/auth/user', SIGNED_OUT);
  const asked = vi.fn();
  server.use(
    http.get('/api/vehicles', () => {
      asked();
      return HttpResponse.json([]);
    }),
  );
  renderScreen(<VehicleRoute />);
  expect(await screen.findByText('Sign In Required')).toBeVisible();
  expect(document.title).toBe('Partsight - My Vehicles');
  expect(asked).not.toHaveBeenCalled();
});

it('opens the form for whoever was led here to add a vehicle, once', async () => {
  answer('get', '/api/auth/user', ada);
  answer('get', '/api/vehicles', []);
  answer('get', '/api/vehicles/makes', []);
  const { person, router } = renderScreen(
    <Routes>
      <Route path="/" element={<VehicleRequiredNotice>Add one.</VehicleRequiredNotice>} />
      <Route path="/vehicle" element={<VehicleRoute />} />
    </Routes>,
  );
  expect(hrefOf('Add Vehicle')).toBe('/vehicle');
  await person.click(screen.getByRole('link', { name: 'Add Vehicle' }));
  expect(await screen.findByRole('dialog', { name: 'Add Vehicle' })).toBeVisible();
  expect(router.state.location).toMatchObject({ pathname: '/vehicle', state: null });
  await person.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(screen.getByRole('heading', { name: 'My Vehicles' })).toHaveFocus();
});

it('leaves a form with all that is in it when a read finds the session ended', async () => {
  answer('get', '/api/auth/user', ada);
  answer('get', '/api/vehicles', []);
  answer('get', '/api/vehicles/makes', []);
  const { person, queryClient } = renderScreen(<VehicleRoute />);
  await person.click(
    (await screen.findAllByRole('button', { name: 'Add Vehicle' }))[0] ?? document.body,
  );
  await person.type(await screen.findByLabelText(/License plate/), 'ABC 123');
  refuse('get', '/api/auth/user', SIGNED_OUT);
  refuse('get', '/api/vehicles', SIGNED_OUT);
  await queryClient.refetchQueries();
  expect(screen.getByLabelText(/License plate/)).toHaveValue('ABC 123');
  expect(screen.queryByText('Sign In Required')).not.toBeInTheDocument();
});

it('leaves nothing on screen for a form that was closed when a read finds the session ended', async () => {
  answer('get', '/api/auth/user', ada);
  answer('get', '/api/vehicles', []);
  answer('get', '/api/vehicles/makes', []);
  const { person, queryClient } = renderScreen(<VehicleRoute />);
  await person.click(
    (await screen.findAllByRole('button', { name: 'Add Vehicle' }))[0] ?? document.body,
  );
  await person.type(await screen.findByLabelText(/License plate/), 'ABC 123');
  await person.keyboard('{Escape}');
  await confirm(person, 'Leave');
  expect(hasUnsavedWork()).toBe(false);
  refuse('get', '/api/auth/user', SIGNED_OUT);
  refuse('get', '/api/vehicles', SIGNED_OUT);
  await queryClient.refetchQueries();
  expect(await screen.findByText('Sign In Required')).toBeVisible();
});

it('opens the form that a session that ended left, once it is known whose', async () => {
  sessionStorage.setItem('draft.vehicle.new@user-1', '{"licensePlate":"ABC 123"}');
  answer('get', '/api/auth/user', { ...ada, id: 'user-2' });
  answer('get', '/api/vehicles', []);
  const other = renderScreen(<VehicleRoute />);
  expect(await screen.findByText('No vehicles saved')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  other.unmount();
  answer('get', '/api/auth/user', ada);
  renderScreen(<VehicleRoute />);
  expect(await screen.findByLabelText(/License plate/)).toHaveValue('ABC 123');
});
