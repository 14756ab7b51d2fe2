import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { RunningCosts } from '@/app/routes/vehicle-running-costs';
import { addDays, today } from '@/lib/dates';
import { civic, oilChange, repair } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, server } from '@/testing/server';

const day = (daysAgo: number) => addDays(today(), -daysAgo);
const changed = (daysAgo: number, mileage: number, cost?: number): Schemas['OilChange'] => ({
  ...oilChange,
  id: `oil-${daysAgo}`,
  changeDate: day(daysAgo),
  mileage,
  ...(cost !== undefined && { cost }),
});

type Records = {
  oilChanges?: Schemas['OilChange'][];
  /** Where the list of oil changes goes on. */
  next?: string;
  repairs?: Schemas['Repair'][];
  /** What was noted between them. */
  noted?: Schemas['Reading'][];
};

const open = ({ oilChanges = [], next, repairs = [], noted = [] }: Records, vehicles = [civic]) => {
  server.use(
    http.get('/api/oil-changes', () =>
      HttpResponse.json(
        oilChanges,
        next === undefined ? undefined : { headers: { 'x-next-cursor': next } },
      ),
    ),
  );
  server.use(
    http.get('/api/repair-history', ({ request }) => {
      const { searchParams } = new URL(request.url);
      // The first page of all vehicles of a fleet has none of this one.
      const found = repairs.filter(({ vehicleId }) => vehicleId === searchParams.get('vehicleId'));
      return HttpResponse.json(found.slice(0, Number(searchParams.get('limit') ?? found.length)));
    }),
  );
  answer('get', `/api/vehicles/${civic.id}/odometer`, noted);
  return renderScreen(<RunningCosts vehicles={vehicles} />);
};

const rowsOf = (title: RegExp) =>
  within(screen.getByRole('region', { name: title, hidden: true }))
    .getAllByRole('row', { hidden: true })
    .slice(1)
    .map(({ textContent }) => textContent);

it('says what to do while there is nothing to draw', async () => {
  open({});
  expect(await screen.findByText(/^Enter what an oil change or a repair cost/)).toBeVisible();
  expect(screen.getByText(/^Readings of two days make a line/)).toBeVisible();
  expect(screen.queryByRole('img')).not.toBeInTheDocument();
});

it('adds up the oil changes and repairs of this vehicle alone', async () => {
  open({
    oilChanges: [changed(0, 61_000, 60), changed(0, 60_990)],
    repairs: [
      { ...repair, repairDate: day(0), mileage: 60_900, cost: 349.5 },
      { ...repair, id: 'other', vehicleId: 'van', repairDate: day(0), mileage: 9, cost: 1000 },
    ],
  });
  expect(await screen.findByRole('img', { name: /^\$409\.50 spent in / })).toBeVisible();
  expect(rowsOf(/Money spent each month/)).toEqual([
    expect.stringMatching(/^\w+ \d{4}\$60\.00\$349\.50\$409\.50$/),
  ]);
  // All readings are of one day, and a line has two ends.
  expect(screen.getByText(/^Readings of two days make a line/)).toBeVisible();
});

it('adds up those of another vehicle, told apart by its license plate and kept in the address', async () => {
  const vehicles = [
    { ...civic, licensePlate: 'NZ000' },
    { ...civic, id: 'other', licensePlate: 'NZ001', isDefault: false },
  ];
  const paid = { ...repair, repairDate: day(0) };
  answer('get', '/api/vehicles/other/odometer', []);
  const { person, router } = open(
    {
      repairs: [
        { ...paid, cost: 40 },
        { ...paid, id: '2', vehicleId: 'other', cost: 50 },
      ],
    },
    vehicles,
  );
  expect(await screen.findByRole('img', { name: /^\$40\.00 spent in / })).toBeVisible();
  const choice = screen.getByRole('combobox', { name: 'Costs and mileage of' });
  await person.selectOptions(choice, 'NZ001, 2015 Honda Civic');
  expect(choice).toHaveFocus();
  expect(await screen.findByRole('img', { name: /^\$50\.00 spent in / })).toBeVisible();
  expect(screen.getByText(/, from its oil changes/)).toHaveTextContent(/^NZ001, 2015 Honda Civic,/);
  expect(router.state.location.search).toBe('?costs=other');
  expect(router.state.preventScrollReset).toBe(true);
});

it('adds up all repairs of the vehicle, however many', async () => {
  open({
    repairs: Array.from({ length: 30 }, (_, index) => ({
      ...repair,
      id: `repair-${index}`,
      repairDate: day(0),
      cost: 10,
    })),
  });
  expect(await screen.findByRole('img', { name: /^\$300\.00 spent in / })).toBeVisible();
});

it('draws all that was noted between the records, also two of one day and what goes back', async () => {
  open({
    oilChanges: [changed(10, 61_000), changed(200, 56_000)],
    noted: [
      { date: day(5), mileage: 60_500 },
      { date: day(10), mileage: 61_050 },
      { date: day(100), mileage: 58_000 },
    ],
  });
  await screen.findByRole('img', { name: /^From 56,000 miles on .* to 60,500 miles on / });
  expect(rowsOf(/^Figures of Mileage/).map((text) => text.slice(-6))).toEqual([
    '60,500',
    '61,050',
    '61,000',
    '58,000',
    '56,000',
  ]);
});

it('never takes a part of a month for all of it', async () => {
  open({ oilChanges: [changed(0, 61_000, 60), changed(0, 60_000, 50)], next: 'more' });
  expect(await screen.findByText(/^Nothing is known to be paid since/)).toBeVisible();
  expect(screen.queryByText(/^Enter what an oil change/)).not.toBeInTheDocument();
});
