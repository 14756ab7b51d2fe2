import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { Route, Routes } from 'react-router';
import { describe, expect, it, vi } from 'vitest';
import { VehicleRoute } from '@/app/routes/vehicle';
import { VehicleRequiredNotice } from '@/components/vehicle-required-notice';
import { hasUnsavedWork } from '@/hooks/unsaved-work';
import { ada, civic, engineOil, truck } from '@/testing/fixtures';
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

/** Opens the form of a new vehicle with something typed in it. */
async function fillInForm() {
  answer('get', '/api/auth/user', ada);
  answer('get', '/api/vehicles', []);
  answer('get', '/api/vehicles/makes', []);
  const { person, queryClient } = renderScreen(<VehicleRoute />);
  const [add] = await screen.findAllByRole('button', { name: 'Add Vehicle' });
  await person.click(add ?? document.body);
  await person.type(await screen.findByLabelText(/License plate/), 'ABC 123');
  const endSession = () => {
    refuse('get', '/api/auth/user', SIGNED_OUT);
    refuse('get', '/api/vehicles', SIGNED_OUT);
    return queryClient.refetchQueries();
  };
  return { person, endSession };
}

it('leaves a form with all that is in it when a read finds the session ended', async () => {
  const { endSession } = await fillInForm();
  await endSession();
  expect(screen.getByLabelText(/License plate/)).toHaveValue('ABC 123');
  expect(screen.queryByText('Sign In Required')).not.toBeInTheDocument();
});

it('leaves nothing on screen for a form that was closed when a read finds the session ended', async () => {
  const { person, endSession } = await fillInForm();
  await person.keyboard('{Escape}');
  await confirm(person, 'Leave');
  expect(hasUnsavedWork()).toBe(false);
  await endSession();
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

describe('what is filled in about a vehicle that is deleted in another tab', () => {
  const left = { none: [], another: [{ ...truck, isDefault: true }] };

  async function open(others: keyof typeof left, button: string) {
    let vehicles = [civic, ...left[others]];
    const savedFor = vi.fn();
    server.use(
      http.get('/api/vehicles', () => HttpResponse.json(vehicles)),
      http.get('/api/maintenance', () =>
        HttpResponse.json(
          vehicles.map(({ id }) => ({
            vehicleId: id,
            vehicleName: id,
            odometer: null,
            items: [engineOil],
          })),
        ),
      ),
      http.all('/api/vehicles/:id/*', ({ request, params }) => {
        if (request.method !== 'GET') savedFor(params.id);
        return HttpResponse.json(
          { code: 'not-found', detail: 'This vehicle does not exist.' },
          { status: 404 },
        );
      }),
    );
    answer('get', '/api/auth/user', ada);
    answer('get', '/api/oil-changes', []);
    answer('get', '/api/repair-history', []);
    answer('get', '/api/calendar', { createdAt: null });
    const { person } = renderScreen(<VehicleRoute />, `/vehicle?maintenance=${civic.id}`);
    // Its maintenance is loaded.
    await screen.findByRole('list', { name: 'Due' });
    await person.click(screen.getByRole('button', { name: button }));
    const dialog = screen.getByRole('dialog', { name: button });
    vehicles = left[others];
    return { person, dialog, savedFor };
  }
  const expectRefusal = async (dialog: HTMLElement) => {
    expect(await within(dialog).findByRole('alert')).toHaveTextContent(
      'This vehicle does not exist.',
    );
    await waitFor(() => expect(screen.queryByText('Honda Civic')).not.toBeInTheDocument());
  };

  it.each(['none', 'another'] as const)(
    'is a reminder that is kept, with %s left',
    async (others) => {
      const { person, dialog, savedFor } = await open(others, 'Add Reminder');
      await person.type(within(dialog).getByLabelText(/What is to be done/), 'Wax');
      await person.type(within(dialog).getByLabelText('Every months'), '6');
      await person.click(within(dialog).getByRole('button', { name: 'Add Reminder' }));
      await expectRefusal(dialog);
      await person.click(within(dialog).getByRole('button', { name: 'Add Reminder' }));
      await expectRefusal(dialog);
      expect(within(dialog).getByLabelText(/What is to be done/)).toHaveValue('Wax');
      await person.click(within(dialog).getByRole('button', { name: 'Cancel' }));
      expect(dialog).not.toBeInTheDocument();
      expect(savedFor.mock.calls).toEqual([[civic.id], [civic.id]]);
    },
  );

  it.each(['Update Mileage', 'Done: Oil change'])('is said to be refused by %s', async (button) => {
    const { person, dialog } = await open('another', button);
    const mileage = within(dialog).getByRole('textbox', { name: /Mileage/ });
    await person.type(mileage, '53000');
    await person.click(within(dialog).getByRole('button', { name: /^Save/ }));
    await expectRefusal(dialog);
    expect(mileage).toBeVisible();
    expect(mileage).toHaveValue('53000');
  });
});
