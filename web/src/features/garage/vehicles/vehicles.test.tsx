import { useQuery } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { useRef, useState } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { AddVehicleDialog } from '@/features/garage/vehicles/components/add-vehicle-dialog';
import { VehicleList } from '@/features/garage/vehicles/components/vehicle-list';
import { vehicleQueries } from '@/features/garage/vehicles/queries';
import { civic, oilChange, truck, vinFacts } from '@/testing/fixtures';
import { confirm, renderScreen } from '@/testing/render';
import { answer, loseFirst, note, refuse, server, settings, SIGNED_OUT } from '@/testing/server';

beforeEach(() => {
  answer('get', '/api/vehicles/makes', [
    { id: 'honda', name: 'Honda' },
    { id: 'hyundai', name: 'Hyundai' },
  ]);
  answer('get', '/api/vehicles/models/Honda', [{ id: 'civic', name: 'Civic' }]);
  answer('get', '/api/vehicles/years', [
    { id: '2026', name: '2026' },
    { id: '2025', name: '2025' },
  ]);
  answer('get', '/api/vehicles/engines/Honda/Civic/:year', [
    { id: '2-0l', name: '2.0L 4-cyl', transmissions: [] },
  ]);
});

it('adds a vehicle, then empties and closes the dialog', async () => {
  answer('post', '/api/vehicles', civic, 201);
  const onClose = vi.fn();
  const { person } = renderScreen(<AddVehicleDialog open onClose={onClose} />);
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  expect(screen.getByRole('alert')).toHaveTextContent('Please fill in make, model, and year.');
  expect(screen.getByLabelText(/Make/)).toHaveFocus();
  expect(screen.getByLabelText(/Year/)).toBeValid();
  await person.type(screen.getByLabelText(/Make/), 'Honda');
  await person.type(screen.getByLabelText(/Model/), 'Civic');
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(screen.getByLabelText(/Make/)).toHaveValue('');
});

it('adds one vehicle when it is sent again for want of an answer', async () => {
  const keys = loseFirst('/api/vehicles', civic);
  const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  await person.type(screen.getByLabelText(/Make/), 'Honda');
  await person.type(screen.getByLabelText(/Model/), 'Civic');
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  await screen.findByRole('alert');
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  await screen.findByText('Vehicle Added');
  expect(new Set(keys).size).toBe(1);
});

it('tells apart a failed save and an ended session', async () => {
  const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  await person.type(screen.getByLabelText(/Make/), 'Honda');
  await person.type(screen.getByLabelText(/Model/), 'Civic');
  server.use(http.post('/api/vehicles', () => new HttpResponse(null, { status: 500 })));
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'Failed to add vehicle. Please try again.',
  );
  refuse('post', '/api/vehicles', { status: 401, detail: 'Unauthorized', title: 'Unauthorized' });
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  // What was typed is there again after signing in.
  cleanup();
  renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  expect(screen.getByLabelText(/Make/)).toHaveValue('Honda');
  expect(screen.getByLabelText(/Model/)).toHaveValue('Civic');
});

it('suggests makes and the models of the make, by keyboard', async () => {
  const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  const make = screen.getByRole('combobox', { name: /Make/ });
  const model = screen.getByRole('combobox', { name: /Model/ });
  expect(model).toBeDisabled();
  await person.type(make, 'ho');
  expect(await screen.findByRole('option', { name: 'Honda' })).toBeVisible();
  expect(screen.queryByRole('option', { name: 'Hyundai' })).not.toBeInTheDocument();
  await person.keyboard('{ArrowDown}{Enter}');
  expect(make).toHaveValue('Honda');
  expect(make).toHaveAttribute('aria-expanded', 'false');
  await person.click(model);
  await person.keyboard('{ArrowDown}');
  await person.click(await screen.findByRole('option', { name: 'Civic' }));
  expect(model).toHaveValue('Civic');
  await person.type(make, '!');
  expect(model).toHaveValue('');
});

it('closes a list of suggestions at the first Enter, which sends the form only at the next', async () => {
  const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  const isLeftToTheForm = (field: HTMLElement) => fireEvent.keyDown(field, { key: 'Enter' });
  const make = screen.getByRole('combobox', { name: /Make/ });
  await person.type(make, 'honda');
  await screen.findByRole('option', { name: 'Honda' });
  expect(isLeftToTheForm(make)).toBe(false);
  expect(make).toHaveValue('Honda');
  expect(make).toHaveAttribute('aria-expanded', 'false');
  const model = screen.getByRole('combobox', { name: /Model/ });
  await person.type(model, 'Civ');
  await screen.findByRole('option', { name: 'Civic' });
  expect(isLeftToTheForm(model)).toBe(false);
  expect(model).toHaveValue('Civ');
  expect(model).toHaveAttribute('aria-expanded', 'false');
  expect(isLeftToTheForm(model)).toBe(true);
});

it('leaves the focus to the next field when it closes a list of suggestions', async () => {
  const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  const make = screen.getByRole('combobox', { name: /Make/ });
  await person.type(make, 'ho');
  await screen.findByRole('option', { name: 'Honda' });
  // A browser lets go of one field, lets watchers of the document see what that changed, and then goes to the next.
  act(() => make.blur());
  await Promise.resolve();
  expect(screen.getByRole('dialog')).not.toHaveFocus();
  act(() => screen.getByRole('combobox', { name: /Model/ }).focus());
  await waitFor(() =>
    expect(screen.queryByRole('option', { name: 'Honda' })).not.toBeInTheDocument(),
  );
  expect(screen.getByRole('combobox', { name: /Model/ })).toHaveFocus();
});

it('closes an open list of suggestions before the dialog', async () => {
  const onClose = vi.fn();
  const { person } = renderScreen(<AddVehicleDialog open onClose={onClose} />);
  await person.type(screen.getByRole('combobox', { name: /Make/ }), 'ho');
  await screen.findByRole('option', { name: 'Honda' });
  await person.keyboard('{Escape}');
  expect(screen.queryByRole('option', { name: 'Honda' })).not.toBeInTheDocument();
  expect(onClose).not.toHaveBeenCalled();
  await person.keyboard('{Escape}');
  expect(screen.getByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible();
});

it('asks before Escape, the cross or a tap beside it closes it on what was typed', async () => {
  const onClose = vi.fn();
  const { person } = renderScreen(<AddVehicleDialog open onClose={onClose} />);
  const plate = screen.getByLabelText('License plate');
  await person.type(plate, '7XYZ899');
  await person.keyboard('{Escape}');
  await confirm(person, 'Keep Editing');
  await waitFor(() => expect(plate).toHaveFocus());
  await person.click(screen.getByRole('button', { name: 'Close' }));
  await person.keyboard('{Escape}');
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  expect(plate).toHaveValue('7XYZ899');
  expect(onClose).not.toHaveBeenCalled();
  fireEvent.pointerDown(document.body);
  await confirm(person, 'Leave');
  expect(onClose).toHaveBeenCalledOnce();
});

it.each(['{Escape}', 'Cancel'])('asks nothing before %s closes it, where it may', async (way) => {
  const onClose = vi.fn();
  const { person } = renderScreen(<AddVehicleDialog open onClose={onClose} />);
  if (way === 'Cancel') {
    await person.type(screen.getByLabelText('License plate'), '7XYZ899');
    await person.click(screen.getByRole('button', { name: way }));
  } else await person.keyboard(way);
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  expect(onClose).toHaveBeenCalledOnce();
});

it('fills in the car from its VIN, and says when the check digit is wrong', async () => {
  answer('get', '/api/vehicles/vin/2HGFB2F59FH500123', vinFacts);
  const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  await person.type(screen.getByLabelText('VIN'), '2hgfb2f59fh500123');
  expect(await screen.findByText(/check digit \(position 9\)/)).toBeVisible();
  expect(screen.getByText('2015 Honda Civic EX')).toBeVisible();
  expect(screen.getByText('Made in Alliston, Ontario, Canada')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Fill in from VIN' }));
  expect(screen.getByLabelText(/Make/)).toHaveValue('Honda');
  expect(screen.getByLabelText(/Model/)).toHaveValue('Civic');
  expect(screen.getByLabelText(/Year/)).toHaveValue('2015');
  expect(screen.getByLabelText(/Engine/)).toHaveValue('1.8L 4-cyl');
});

it('says of a VIN that it contradicts what is typed, and whose it is already, and saves it', async () => {
  answer('get', '/api/vehicles/vin/2HGFB2F59FH500123', vinFacts);
  answer('get', '/api/vehicles', [{ ...civic, vinNumber: '2hgfb2f59fh500123' }]);
  const sent = note('post', '/api/vehicles', truck, 201);
  const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  await person.type(screen.getByLabelText('VIN'), '2HGFB2F59FH500123');
  expect(await screen.findByText('2015 Honda Civic EX')).toBeVisible();
  expect(screen.queryByText(/another vehicle/)).not.toBeInTheDocument();
  await person.type(screen.getByLabelText(/Make/), 'Ford');
  await person.type(screen.getByLabelText(/Model/), 'F-150');
  const said = () =>
    screen
      .getAllByRole('status')
      .map(({ textContent }) => textContent)
      .join(' ');
  await waitFor(() => expect(said()).toContain('Your 2015 Honda Civic has this VIN already.'));
  expect(said()).toContain('The VIN is of another vehicle: 2015 Honda Civic. Please check it.');
  await person.click(screen.getByRole('button', { name: 'Add Vehicle' }));
  await waitFor(() => expect(sent).toHaveBeenCalledOnce());
});

it('does not hold the VIN of a vehicle against itself', async () => {
  const own = { ...civic, vinNumber: '2HGFB2F59FH500123' };
  answer('get', '/api/vehicles/vin/2HGFB2F59FH500123', vinFacts);
  answer('get', '/api/vehicles', [own]);
  const { person } = renderScreen(<List vehicles={[own]} />);
  await person.click(screen.getByRole('button', { name: 'Edit 2015 Honda Civic' }));
  expect(await screen.findByText('2015 Honda Civic EX')).toBeVisible();
  expect(screen.queryByText(/has this VIN already|another vehicle/)).not.toBeInTheDocument();
});

it.each(['1HGCM 82633 A004352', '1HGCM-82633-A004352', 'VIN: 1HGCM82633A004352'])(
  'keeps the whole VIN of what is pasted as %s',
  async (pasted) => {
    refuse('get', '/api/vehicles/vin/1HGCM82633A004352', { status: 503, detail: '' });
    const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
    await person.click(screen.getByLabelText('VIN'));
    await person.paste(pasted);
    expect(screen.getByLabelText('VIN')).toHaveValue('1HGCM82633A004352');
  },
);

it('says in the words of the server why 17 characters are no VIN', async () => {
  answer('get', '/api/settings', { ...settings, vinDecoder: true });
  const detail = 'A VIN has no letter O (position 12): it is the digit 0.';
  refuse('get', '/api/vehicles/vin/2HGFB2F59FHO00123', { status: 422, detail });
  const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  await person.type(screen.getByLabelText('VIN'), '2hgfb2f59fho0012');
  expect(screen.getByText('16 of 17 characters')).toBeVisible();
  await person.type(screen.getByLabelText('VIN'), '3');
  expect(await screen.findByText(detail)).toBeVisible();
  expect(screen.queryByText('17 of 17 characters')).not.toBeInTheDocument();
  // What cannot be a VIN does not leave the house.
  expect(screen.queryByRole('button', { name: 'Ask the VIN Decoder' })).not.toBeInTheDocument();
});

describe('a VIN decoder elsewhere', () => {
  const VIN = '1HGCM82633A004352';
  const asked: Schemas['AskedVinFacts'] = {
    make: 'HONDA',
    model: 'Accord',
    modelYear: 2003,
    trim: 'EX-V6',
    body: 'Coupe',
    displacement: '2.998832712',
    cylinders: 6,
    fuelType: 'Gasoline',
    drivetrain: null,
    transmission: 'Manual/Standard',
    remark: 'Check digit does not calculate.',
  };

  async function typeVin() {
    refuse('get', `/api/vehicles/vin/${VIN}`, { status: 422, detail: 'No.' });
    const view = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
    await view.person.type(screen.getByLabelText('VIN'), VIN);
    expect(await screen.findByText('No.')).toBeVisible();
    return view;
  }

  it('is not offered where the server names none', async () => {
    await typeVin();
    expect(screen.queryByRole('button', { name: 'Ask the VIN Decoder' })).not.toBeInTheDocument();
  });

  it('is asked on request, after it is said that the VIN leaves, and fills in the car', async () => {
    answer('get', '/api/settings', { ...settings, vinDecoder: true });
    const { person } = await typeVin();
    expect(await screen.findByText(/The VIN is then sent to another machine/)).toBeVisible();
    answer('get', `/api/vehicles/vin/${VIN}/decoder`, asked);
    await person.click(screen.getByRole('button', { name: 'Ask the VIN Decoder' }));
    expect(await screen.findByText('2003 HONDA Accord EX-V6')).toBeVisible();
    expect(screen.getByText('Check digit does not calculate.')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Fill in This Answer' }));
    expect(screen.getByLabelText(/Make/)).toHaveValue('Honda');
    expect(screen.getByLabelText(/Model/)).toHaveValue('Accord');
    expect(screen.getByLabelText(/Engine/)).toHaveValue('3.0L 6-cyl');
    expect(screen.getByLabelText('Transmission')).toHaveValue('Manual');
  });

  it('says when it does not answer', async () => {
    answer('get', '/api/settings', { ...settings, vinDecoder: true });
    const { person } = await typeVin();
    refuse('get', `/api/vehicles/vin/${VIN}/decoder`, {
      status: 503,
      code: 'unavailable',
      detail: 'The VIN decoder does not answer at the moment.',
    });
    await person.click(await screen.findByRole('button', { name: 'Ask the VIN Decoder' }));
    expect(await screen.findByText('The VIN decoder does not answer at the moment.')).toBeVisible();
  });
});

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

it('edits a vehicle with the text of the specification for what is missing', async () => {
  answer('put', '/api/vehicles/vehicle-1', civic);
  const { person } = renderScreen(<List vehicles={[civic]} />);
  await person.click(screen.getByRole('button', { name: 'Edit 2015 Honda Civic' }));
  expect(screen.getByLabelText(/Model/)).toHaveValue('Civic');
  await person.clear(screen.getByLabelText(/Model/));
  await person.click(screen.getByRole('button', { name: 'Save Changes' }));
  expect(screen.getByRole('alert')).toHaveTextContent('Please fill in all required fields.');
  await person.type(screen.getByLabelText(/Model/), 'Civic');
  await person.click(screen.getByRole('button', { name: 'Save Changes' }));
  await waitFor(() => {
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });
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

it('throws away what was typed once that is said to be meant, and gives the focus back', async () => {
  const { person } = renderScreen(<List vehicles={[civic]} />);
  const edit = screen.getByRole('button', { name: 'Edit 2015 Honda Civic' });
  await person.click(edit);
  await person.type(screen.getByLabelText(/Model/), ' Si');
  await person.keyboard('{Escape}');
  await confirm(person, 'Leave');
  await waitFor(() => expect(edit).toHaveFocus());
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  // Nothing lies over the screen any more.
  await person.click(edit);
  expect(screen.getByLabelText(/Model/)).toHaveValue('Civic');
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

it('names no records where a vehicle has none', async () => {
  answer('get', '/api/oil-changes', []);
  answer('get', '/api/repair-history', []);
  answer('delete', '/api/vehicles/vehicle-1', {
    defaultVehicle: null,
    oilChanges: 0,
    repairs: 0,
    maintenanceItems: 0,
    odometerReadings: 0,
    ownOil: false,
  });
  const { person } = renderScreen(<List vehicles={[civic]} />);
  await person.click(screen.getByRole('button', { name: 'Delete 2015 Honda Civic' }));
  expect(await screen.findByText(/^It has no oil changes and no repairs\./)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Delete Vehicle' }));
  expect(await screen.findByText('2015 Honda Civic is gone.')).toBeVisible();
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

it('has a search box only above three vehicles', async () => {
  const fleet = [civic, truck, { ...truck, id: '3' }, { ...civic, id: '4', isDefault: false }];
  const { person, unmount } = renderScreen(<List vehicles={fleet.slice(0, 3)} />);
  expect(screen.queryByRole('searchbox')).not.toBeInTheDocument();
  unmount();
  renderScreen(<List vehicles={fleet} />);
  await person.type(screen.getByRole('searchbox', { name: 'Search vehicles' }), 'ford');
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
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

it.each([
  ['/api/vehicles/makes', 'Failed to fetch makes'],
  ['/api/vehicles/models/Honda', 'Failed to fetch models'],
  ['/api/vehicles/engines/Honda/Civic/:year', 'Failed to fetch engines'],
])('says which list could not be had when %s fails: %s', async (path, sentence) => {
  refuse('get', path, { status: 500, detail: '' });
  const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  await person.type(screen.getByLabelText(/Make/), 'Honda');
  await person.type(screen.getByLabelText(/Model/), 'Civic');
  expect(await screen.findByText(sentence)).toBeVisible();
});

it('says when the default could not be set on the vehicles page', async () => {
  refuse('put', '/api/vehicles/vehicle-2/default', { status: 500, detail: '' });
  const { person } = renderScreen(<List vehicles={[civic, truck]} />);
  await person.click(
    screen.getByRole('button', { name: 'Make 2019 Ford F-150 the default vehicle' }),
  );
  expect(await screen.findByText('Failed to set default vehicle. Please try again.')).toBeVisible();
});

it('leads to the sign-in where the session ended before the default was changed', async () => {
  refuse('put', '/api/vehicles/vehicle-2/default', SIGNED_OUT);
  const { person } = renderScreen(<List vehicles={[civic, truck]} />);
  await person.click(
    screen.getByRole('button', { name: 'Make 2019 Ford F-150 the default vehicle' }),
  );
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
});

it('makes a vehicle the default by its card', async () => {
  answer('put', '/api/vehicles/vehicle-2/default', { ...truck, isDefault: true });
  const { person } = renderScreen(<List vehicles={[civic, truck]} />);
  expect(screen.getByText('Default')).toBeVisible();
  await person.click(
    screen.getByRole('button', { name: 'Make 2019 Ford F-150 the default vehicle' }),
  );
  expect(await screen.findByText('Default vehicle changed successfully')).toBeVisible();
  expect(screen.getByText('Vehicle Updated')).toBeVisible();
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
