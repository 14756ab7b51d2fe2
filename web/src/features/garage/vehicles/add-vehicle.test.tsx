import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { AddVehicleDialog } from '@/features/garage/vehicles/components/add-vehicle-dialog';
import { civic, truck, vinFacts } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, loseFirst, note, refuse, settings } from '@/testing/server';
import { answerSuggestions } from '@/testing/vehicles';

beforeEach(answerSuggestions);

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

it('keeps the engine that a VIN told before the model was typed', async () => {
  const several = { ...vinFacts, models: ['Civic', 'Accord'] };
  answer('get', '/api/vehicles/vin/2HGFB2F59FH500123', several);
  const { person } = renderScreen(<AddVehicleDialog open onClose={vi.fn()} />);
  await person.type(screen.getByLabelText('VIN'), '2HGFB2F59FH500123');
  await person.click(await screen.findByRole('button', { name: 'Fill in from VIN' }));
  const model = screen.getByRole('combobox', { name: /Model/ });
  const engine = screen.getByRole('combobox', { name: /Engine/ });
  await person.type(model, 'Civic');
  expect(engine).toHaveValue('1.8L 4-cyl');
  // What is entered for a model goes with it.
  await person.type(engine, ' Turbo');
  await person.type(model, ' Coupe');
  expect(engine).toHaveValue('');
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
