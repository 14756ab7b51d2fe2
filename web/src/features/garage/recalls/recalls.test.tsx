import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { RecallsPanel } from '@/features/garage/recalls/components/recalls-panel';
import { componentText } from '@/lib/recalls';
import { civic } from '@/testing/fixtures';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, settings } from '@/testing/server';

const PATH = '/api/vehicles/vehicle-1/recalls';
const listed: Schemas['VehicleRecalls'] = {
  state: 'current',
  askedFor: { year: 2015, make: 'Honda', model: 'Civic' },
  fetchedAt: '2026-11-20T08:00:00.000Z',
  recalls: [
    {
      campaign: '20V314000',
      reportedOn: '2020-05-28',
      component: 'FUEL SYSTEM, GASOLINE:DELIVERY:FUEL PUMP',
      summary: 'The fuel pump may fail.',
      consequence: 'An engine stall raises the risk of a crash.',
      remedy: 'Dealers will replace the fuel pump, free of charge.',
      doNotDrive: false,
      parkOutside: true,
    },
  ],
  complaintCount: 204,
  complaintsByComponent: [{ component: 'AIR BAGS', count: 120 }],
  complaints: [
    {
      number: 11184030,
      filedOn: '2019-02-28',
      components: 'AIR BAGS',
      summary: 'The lamp is on.',
      crash: true,
      fire: false,
    },
  ],
};
const nothing: Schemas['VehicleRecalls'] = {
  ...listed,
  recalls: [],
  complaintCount: 0,
  complaintsByComponent: [],
  complaints: [],
};

function open(found: Schemas['VehicleRecalls']) {
  answer('get', '/api/settings', { ...settings, recalls: true });
  answer('get', PATH, found);
  return renderScreen(<RecallsPanel vehicles={[civic]} />);
}

it('shows number, date, component and remedy of each recall, and what owners complain of', async () => {
  const { person } = open(listed);
  const list = await screen.findByRole('list', { name: 'Recalls of the 2015 Honda Civic' });
  expect(within(list).getByText('Fuel system, gasoline, delivery, fuel pump')).toBeVisible();
  expect(within(list).getByText('Campaign 20V314000, May 28, 2020')).toBeVisible();
  expect(within(list).getByText('Park outside')).toBeVisible();
  expect(within(list).getByText(/Dealers will replace the fuel pump/)).toBeVisible();
  expect(screen.getByText('Listed on Nov 20, 2026.')).toBeVisible();
  expect(hrefOf(/look it up at NHTSA/)).toBe('https://www.nhtsa.gov/recalls');
  await person.click(screen.getByText('204 complaints by owners'));
  expect(screen.getByText('Feb 28, 2019 · Air bags · with a crash')).toBeVisible();
});

it('says that there are none, and that the model may have another name', async () => {
  open(nothing);
  expect(await screen.findByText(/NHTSA lists no recalls of the 2015 Honda Civic/)).toBeVisible();
  expect(screen.getByText(/may know the model by another name/)).toBeVisible();
});

it('shows what was listed before while the service is away', async () => {
  open({ ...listed, state: 'old' });
  expect(await screen.findByText('NHTSA does not answer now')).toBeVisible();
  expect(screen.getByText('This is what it listed on Nov 20, 2026.')).toBeVisible();
  expect(screen.getByText(/The fuel pump may fail/)).toBeVisible();
});

it('asks again where nothing is known and the service is away', async () => {
  const away = { ...nothing, state: 'away' as const, fetchedAt: null, complaintCount: null };
  const { person } = open(away);
  expect(
    await screen.findByText('Nothing is known of the recalls of this vehicle yet.'),
  ).toBeVisible();
  answer('get', PATH, listed);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText(/The fuel pump may fail/)).toBeVisible();
});

it('says that nobody is asked where the server may not', async () => {
  renderScreen(<RecallsPanel vehicles={[civic]} />);
  expect(
    await screen.findByText('This server asks nobody for recalls, so none are shown here.'),
  ).toBeVisible();
});

it('writes components as people read them', () => {
  expect(componentText('AIR BAGS:FRONTAL; SEATS')).toBe('Air bags, frontal; Seats');
  expect(componentText('AIR BAGS,FUEL SYSTEM, GASOLINE')).toBe('Air bags; Fuel system, gasoline');
});
