import { useQuery } from '@tanstack/react-query';
import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { useRef, useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { VehicleList } from '@/features/garage/vehicles/components/vehicle-list';
import { vehicleQueries } from '@/features/garage/vehicles/queries';
import { civic, oilChange, truck, vinFacts } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, refuse, server, SIGNED_OUT } from '@/testing/server';
import { answerSuggestions } from '@/testing/vehicles';

beforeEach(answerSuggestions);

function List({ vehicles }: { vehicles: (typeof civic)[] }) {
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        My Vehicles
      </h1>
      <VehicleList vehicles={vehicles} heading={heading} />
    </>
  );
}

it('does not hold the VIN of a vehicle against itself', async () => {
  const own = { ...civic, vinNumber: '2HGFB2F59FH500123' };
  answer('get', '/api/vehicles/vin/2HGFB2F59FH500123', vinFacts);
  answer('get', '/api/vehicles', [own]);
  const { person } = renderScreen(<List vehicles={[own]} />);
  await person.click(screen.getByRole('button', { name: 'Edit 2015 Honda Civic' }));
  expect(await screen.findByText('2015 Honda Civic EX')).toBeVisible();
  expect(screen.queryByText(/has this VIN already|another vehicle/)).not.toBeInTheDocument();
});

it('keeps what was typed of a vehicle that was deleted meanwhile, and says so', async () => {
  function Garage() {
    return <List vehicles={useQuery(vehicleQueries.list()).data ?? []} />;
  }
  answer('get', '/api/vehicles', [civic]);
  const { person } = renderScreen(<Garage />);
  await person.click(await screen.findByRole('button', { name: 'Edit 2015 Honda Civic' }));
  await person.type(screen.getByLabelText('License plate'), '7XYZ899');
  answer('get', '/api/vehicles', []);
  const detail = 'This vehicle does not exist. Please choose another one.';
  refuse('put', '/api/vehicles/vehicle-1', { status: 404, detail });
  await person.click(screen.getByRole('button', { name: 'Save Changes' }));
  expect(await screen.findByText('2015 Honda Civic was deleted meanwhile.')).toBeVisible();
  expect(screen.getByRole('alert')).toHaveTextContent(detail);
  expect(screen.getByLabelText('License plate')).toHaveValue('7XYZ899');
  await person.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.getByRole('heading', { name: 'My Vehicles' })).toHaveFocus());
});

it('keeps the focus on the card that becomes the default', async () => {
  answer('put', '/api/vehicles/:id/default', truck);
  const { person } = renderScreen(<List vehicles={[civic, truck]} />);
  await person.click(screen.getByRole('button', { name: /^Make .* the default vehicle$/ }));
  expect(screen.getByRole('heading', { name: `${truck.make} ${truck.model}` })).toHaveFocus();
});

it('names what goes with a vehicle before it deletes it', async () => {
  answer('get', '/api/oil-changes', [oilChange, oilChange]);
  answer('get', '/api/repair-history', []);
  refuse('delete', '/api/vehicles/vehicle-1', { status: 500, detail: '' });
  const { person } = renderScreen(<List vehicles={[civic]} />);
  await person.click(screen.getByRole('button', { name: 'Delete 2015 Honda Civic' }));
  expect(await screen.findByText(/^With it go 2 oil changes, and any reminders/)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Delete Vehicle' }));
  expect(await screen.findByText('Failed to delete vehicle. Please try again.')).toBeVisible();
  expect(screen.getByRole('heading', { name: 'My Vehicles' })).toHaveFocus();
});

it('keeps its question over the card until the deletion is answered', async () => {
  answer('get', '/api/oil-changes', []);
  answer('get', '/api/repair-history', []);
  let refuseIt: (() => void) | undefined;
  const sent = vi.fn();
  server.use(
    http.delete('/api/vehicles/vehicle-1', async () => {
      sent();
      await new Promise<void>((resolve) => (refuseIt = resolve));
      return HttpResponse.json({ detail: '' }, { status: 500 });
    }),
  );
  const { person } = renderScreen(<List vehicles={[civic]} />);
  await person.click(screen.getByRole('button', { name: 'Delete 2015 Honda Civic' }));
  const question = screen.getByRole('alertdialog');
  await person.dblClick(screen.getByRole('button', { name: 'Delete Vehicle' }));
  await waitFor(() => expect(sent).toHaveBeenCalledOnce());
  await person.keyboard('{Escape}');
  expect(question).toBeVisible();
  expect(screen.getByRole('button', { name: 'Delete Vehicle' })).toBeDisabled();
  refuseIt?.();
  await waitFor(() => expect(question).not.toBeInTheDocument());
  expect(await screen.findByText('Failed to delete vehicle. Please try again.')).toBeVisible();
  expect(screen.getByRole('heading', { name: 'My Vehicles' })).toHaveFocus();
});

it('tells equal vehicles apart by their license plates', async () => {
  const byDefault = { ...civic, licensePlate: 'NZ000' };
  const other = { ...civic, id: 'vehicle-2', licensePlate: 'NZ001', isDefault: false };
  answer('get', '/api/oil-changes', []);
  answer('get', '/api/repair-history', []);
  answer('delete', '/api/vehicles/vehicle-1', {
    defaultVehicle: other,
    oilChanges: 0,
    repairs: 0,
    maintenanceItems: 0,
    odometerReadings: 0,
    ownOil: false,
  });
  const { person } = renderScreen(<List vehicles={[byDefault, other]} />);
  const buttons = screen.getAllByRole('button').map((button) => button.getAttribute('aria-label'));
  expect(buttons).toEqual([
    'Edit NZ000, 2015 Honda Civic',
    'Delete NZ000, 2015 Honda Civic',
    'Make NZ001, 2015 Honda Civic the default vehicle',
    'Edit NZ001, 2015 Honda Civic',
    'Delete NZ001, 2015 Honda Civic',
  ]);
  await person.click(screen.getByRole('button', { name: 'Delete NZ000, 2015 Honda Civic' }));
  expect(
    screen.getByRole('alertdialog', { name: 'Delete NZ000, 2015 Honda Civic?' }),
  ).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Delete Vehicle' }));
  expect(
    await screen.findByText(
      'NZ000, 2015 Honda Civic is gone. The default vehicle is NZ001, 2015 Honda Civic.',
    ),
  ).toBeVisible();
});

it('keeps the search in the address, where a reload and the way back find it', async () => {
  const fleet = [civic, truck, { ...truck, id: '3' }, { ...civic, id: '4', isDefault: false }];
  const { person, router, unmount } = renderScreen(<List vehicles={fleet} />);
  await person.type(screen.getByRole('searchbox', { name: 'Search vehicles' }), 'ford');
  await waitFor(() => expect(router.state.location.search).toBe('?q=ford'));
  expect(router.state.historyAction).toBe('REPLACE');
  unmount();
  renderScreen(<List vehicles={fleet} />, '/vehicle?q=ford');
  expect(screen.getByRole('searchbox', { name: 'Search vehicles' })).toHaveValue('ford');
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
});

it('forgets what was searched for with the search box', async () => {
  const fleet = [civic, truck, { ...truck, id: '3' }, { ...civic, id: '4', isDefault: false }];
  function Garage() {
    const [count, setCount] = useState(4);
    return (
      <>
        {[3, 4].map((next) => (
          <button key={next} type="button" onClick={() => setCount(next)}>
            {next}
          </button>
        ))}
        <List vehicles={fleet.slice(0, count)} />
      </>
    );
  }
  const { person } = renderScreen(<Garage />);
  await person.type(screen.getByRole('searchbox', { name: 'Search vehicles' }), 'ford');
  expect(screen.getByText('2 vehicles found')).toBeInTheDocument();
  await person.click(screen.getByRole('button', { name: '3' }));
  expect(screen.queryByText(/found/)).not.toBeInTheDocument();
  await person.click(screen.getByRole('button', { name: '4' }));
  expect(screen.getByRole('searchbox', { name: 'Search vehicles' })).toHaveValue('');
  expect(screen.getAllByRole('listitem')).toHaveLength(4);
});

it('leads to the sign-in where the session ended before the default was changed', async () => {
  refuse('put', '/api/vehicles/vehicle-2/default', SIGNED_OUT);
  const { person } = renderScreen(<List vehicles={[civic, truck]} />);
  await person.click(
    screen.getByRole('button', { name: 'Make 2019 Ford F-150 the default vehicle' }),
  );
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
});

it('draws hundreds of cards in steps', async () => {
  const fleet = Array.from({ length: 130 }, (_, n) => ({ ...truck, id: `v-${n}` }));
  const { person } = renderScreen(<List vehicles={fleet} />);
  expect(screen.getAllByRole('article')).toHaveLength(60);
  await person.click(screen.getByRole('button', { name: 'Show more of 130 vehicles' }));
  await person.click(screen.getByRole('button', { name: 'Show more of 130 vehicles' }));
  expect(screen.getAllByRole('article')).toHaveLength(130);
  expect(screen.queryByRole('button', { name: /^Show more/ })).not.toBeInTheDocument();
});
