import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { CalendarLink } from '@/features/garage/maintenance/components/calendar-link';
import { MaintenancePanel } from '@/features/garage/maintenance/components/maintenance-panel';
import {
  byUrgency,
  doneSchema,
  dueText,
  formOfItem,
  intervalText,
  itemIdOf,
  itemSchema,
  readingSchema,
  snoozeSchema,
} from '@/features/garage/maintenance/model';
import { today } from '@/lib/dates';
import { checkForm } from '@/lib/form-schema';
import { civic, engineOil } from '@/testing/fixtures';
import { confirm, renderScreen } from '@/testing/render';
import { answer, loseFirst, note, server } from '@/testing/server';

const tires: Schemas['MaintenanceItem'] = {
  ...engineOil,
  item: 'tire-rotation',
  name: 'Tire rotation',
  state: 'overdue',
  daysLeft: -3,
};
const coolant: Schemas['MaintenanceItem'] = {
  ...engineOil,
  item: 'coolant',
  name: 'Coolant',
  lastDoneOn: null,
  lastDoneMileage: null,
  dueOn: null,
  dueMileage: null,
  dueDate: null,
  daysLeft: null,
  state: 'unknown',
};
/** Done once, and due by its miles alone: the day is not known while nobody knows how far the car drives. */
const plugs: Schemas['MaintenanceItem'] = {
  ...coolant,
  item: 'spark-plugs',
  name: 'Spark plugs',
  intervalMonths: null,
  intervalMiles: 60_000,
  lastDoneOn: '2026-03-05',
  lastDoneMileage: 52_000,
  dueMileage: 112_000,
};
const plan: Schemas['MaintenancePlan'] = {
  vehicleId: 'vehicle-1',
  vehicleName: '2015 Honda Civic',
  odometer: { mileage: 52_000, on: '2026-03-05', milesPerDay: 31.4 },
  items: [coolant, engineOil, tires],
};

it('lists the most urgent first', () => {
  expect(byUrgency(plan.items).map(({ item }) => item)).toEqual([
    'tire-rotation',
    'engine-oil',
    'coolant',
  ]);
});

it('writes when something is due and how often', () => {
  expect(dueText(engineOil)).toBe('Due Jun 05, 2026 or at 57,000 miles');
  expect(dueText(coolant)).toBeNull();
  expect(intervalText(engineOil)).toBe('Every 3 months or 5,000 miles');
  expect(intervalText({ ...engineOil, intervalMonths: 1, intervalMiles: null })).toBe(
    'Every 1 month',
  );
});

it.each([
  ['Wheel alignment', [], 'wheel-alignment'],
  ['Wheel alignment', ['wheel-alignment'], 'wheel-alignment-2'],
  ['  Öl & Filter! ', [], 'o-l-filter'],
  ['???', [], 'item'],
])('makes of %s an id', (name, taken, id) => {
  expect(itemIdOf(name, taken)).toBe(id);
});

describe('itemSchema', () => {
  it('leaves the last oil change to the log', () => {
    const parsed = checkForm(itemSchema(engineOil), {
      ...formOfItem(engineOil),
      intervalMonths: '6',
    });
    expect(parsed).toMatchObject({ body: { name: null, intervalMonths: 6, lastDoneOn: null } });
  });

  it.each([
    ['off', false],
    ['later', true],
  ])('leaves an item that is %s as it is', (state, enabled) => {
    const item = { ...tires, state };
    expect(checkForm(itemSchema(item), formOfItem(item))).toMatchObject({ body: { enabled } });
  });

  it('wants a name and an interval for an item of one’s own', () => {
    const empty = formOfItem(null);
    expect(checkForm(itemSchema(null), empty)).toMatchObject({ refusal: { fields: ['name'] } });
    expect(checkForm(itemSchema(null), { ...empty, name: 'Wax' })).toMatchObject({
      refusal: { fields: ['intervalMonths'] },
    });
    expect(
      checkForm(itemSchema(null), { ...empty, name: 'Wax', intervalMiles: '5,000' }),
    ).toMatchObject({
      body: { name: 'Wax', intervalMonths: null, intervalMiles: 5000, enabled: true },
    });
  });
});

it('snoozes until a day after today', () => {
  expect(checkForm(snoozeSchema('2026-03-05'), { until: '2026-03-06' })).toEqual({
    ok: true,
    body: { until: '2026-03-06' },
  });
  expect(checkForm(snoozeSchema('2026-03-05'), { until: '2026-03-05' }).ok).toBe(false);
});

it.each([
  ['what was done', doneSchema],
  ['a reading', readingSchema],
])('takes no day for today of %s', (_, schema) => {
  const typed = { mileage: '52,000', date: '', cost: '', notes: '' };
  expect(checkForm<object>(schema, typed)).toEqual({
    ok: false,
    refusal: { message: 'Please choose the date.', fields: ['date'] },
  });
});

describe('MaintenancePanel', () => {
  it('says at midnight what is due on the new day, and keeps what is typed', async () => {
    vi.useFakeTimers({
      toFake: ['Date', 'setInterval', 'clearInterval'],
      now: new Date(2026, 2, 5, 23, 59, 30),
    });
    server.use(
      http.get('/api/maintenance', ({ request }) => {
        const isOver = new URL(request.url).searchParams.get('today') === '2026-03-06';
        return HttpResponse.json([
          { ...plan, items: [{ ...tires, state: isOver ? 'overdue' : 'due_today' }] },
        ]);
      }),
    );
    const { person } = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    expect(await screen.findByText('Due today')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Update Mileage' }));
    await person.type(screen.getByRole('textbox', { name: /Mileage/ }), '53000');
    act(() => void vi.advanceTimersByTime(30_000));
    expect(await screen.findByText('Overdue')).toBeInTheDocument();
    expect(screen.getByRole('textbox', { name: /Mileage/ })).toHaveValue('53000');
  });

  it('goes back to the usual interval and keeps when it was last done', async () => {
    answer('get', '/api/maintenance', [{ ...plan, items: [{ ...tires, ownInterval: true }] }]);
    const sent = note('put', '/api/vehicles/vehicle-1/maintenance/tire-rotation', tires);
    const { person } = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    await person.click(await screen.findByRole('button', { name: 'More for Tire rotation' }));
    await person.click(screen.getByRole('menuitem', { name: 'Back to the usual interval' }));
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith({
        name: null,
        intervalMonths: null,
        intervalMiles: null,
        lastDoneOn: '2026-03-05',
        lastDoneMileage: 52_000,
        enabled: true,
      }),
    );
  });

  it('never removes the oil change, also where the schedule has none', async () => {
    const oil = { ...engineOil, scheduled: false, ownInterval: true };
    answer('get', '/api/maintenance', [{ ...plan, items: [oil] }]);
    const sent = note('put', '/api/vehicles/vehicle-1/maintenance/engine-oil', engineOil);
    const { person } = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    await person.click(await screen.findByRole('button', { name: 'More for Oil change' }));
    expect(screen.queryByRole('menuitem', { name: 'Remove reminder' })).not.toBeInTheDocument();
    await person.click(screen.getByRole('menuitem', { name: 'Back to the usual interval' }));
    await waitFor(() =>
      expect(sent).toHaveBeenCalledWith(
        expect.objectContaining({ intervalMonths: null, intervalMiles: null }),
      ),
    );
  });

  it('asks before it removes a reminder of one’s own', async () => {
    const wax = { ...tires, item: 'wax', name: 'Wax', scheduled: false, ownInterval: true };
    answer('get', '/api/maintenance', [{ ...plan, items: [wax] }]);
    const removed = vi.fn();
    server.use(
      http.delete('/api/vehicles/vehicle-1/maintenance/wax', () => {
        removed();
        answer('get', '/api/maintenance', [plan]);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { person } = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    const menu = await screen.findByRole('button', { name: 'More for Wax' });
    await person.click(menu);
    await person.click(screen.getByRole('menuitem', { name: 'Remove reminder' }));
    await confirm(person, 'Cancel');
    await waitFor(() => expect(menu).toHaveFocus());
    expect(removed).not.toHaveBeenCalled();
    await person.click(menu);
    await person.click(screen.getByRole('menuitem', { name: 'Remove reminder' }));
    await confirm(person, 'Remove Reminder');
    expect(await screen.findByText('Reminder removed')).toBeVisible();
    await waitFor(() => expect(menu).not.toBeInTheDocument());
    expect(removed).toHaveBeenCalled();
    expect(screen.getByRole('heading', { name: 'Maintenance' })).toHaveFocus();
  });

  it('says that a reminder is off, and keeps the focus when its row moves to the others', async () => {
    answer('get', '/api/maintenance', [plan]);
    const off = { ...tires, state: 'off', dueDate: null };
    server.use(
      http.put('/api/vehicles/vehicle-1/maintenance/tire-rotation', () => {
        answer('get', '/api/maintenance', [{ ...plan, items: [engineOil, off] }]);
        return HttpResponse.json(off);
      }),
    );
    const { person } = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    await person.click(await screen.findByRole('button', { name: 'More for Tire rotation' }));
    await person.click(screen.getByRole('menuitem', { name: 'Turn off' }));
    expect(await screen.findByText('Reminder turned off')).toBeVisible();
    await waitFor(() => expect(screen.getByRole('heading', { name: 'Maintenance' })).toHaveFocus());
  });

  it('says that a snooze has ended', async () => {
    const quiet = { ...tires, snoozedUntil: '2026-04-05' };
    answer('get', '/api/maintenance', [{ ...plan, items: [quiet] }]);
    answer('delete', '/api/vehicles/vehicle-1/maintenance/tire-rotation/snooze', tires);
    const { person } = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    const menu = await screen.findByRole('button', { name: 'More for Tire rotation' });
    await person.click(menu);
    await person.click(screen.getByRole('menuitem', { name: 'End snooze' }));
    expect(await screen.findByText('Snooze ended')).toBeVisible();
    expect(menu).toHaveFocus();
  });

  it('lists what is due by mileage alone with the rest that is due', async () => {
    answer('get', '/api/maintenance', [{ ...plan, items: [coolant, plugs] }]);
    renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    const due = await screen.findByRole('list', { name: 'Due' });
    expect(within(due).getByRole('listitem')).toHaveTextContent(
      'Spark plugsBy mileageDue at 112,000 miles',
    );
    expect(screen.getByText('Never logged or off (1)')).toBeVisible();
  });

  it.each(['later', 'due_soon'])('says that the mileage is past of what is %s', async (state) => {
    answer('get', '/api/maintenance', [
      {
        ...plan,
        items: [
          { ...engineOil, state, dueMileage: 52_000 },
          { ...plugs, state, dueMileage: 52_001 },
          { ...tires, dueMileage: 50_000 },
        ],
      },
    ]);
    renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    await screen.findByRole('list', { name: 'Due' });
    expect(screen.getAllByText(/ reached$/).map(({ textContent }) => textContent)).toEqual([
      '52,000 miles reached',
    ]);
  });

  it('puts a refused field to the fore, and keeps what was typed', async () => {
    answer('get', '/api/maintenance', [plan]);
    server.use(
      http.post('/api/vehicles/vehicle-1/odometer', () =>
        HttpResponse.json(
          { detail: 'Please enter the date as year, month and day.', field: 'date' },
          { status: 422 },
        ),
      ),
    );
    const { person } = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    await person.click(await screen.findByRole('button', { name: 'Update Mileage' }));
    await person.type(screen.getByRole('textbox', { name: /Mileage/ }), '53000');
    await person.click(screen.getByRole('button', { name: 'Save Mileage' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('year, month and day');
    expect(screen.getByLabelText(/Date/)).toHaveFocus();
    expect(screen.getByRole('textbox', { name: /Mileage/ })).toHaveValue('53000');
  });

  describe('what is odd about a mileage', () => {
    const message = 'The mileage is lower than the 53,000 miles of 2026-03-05. Please check it.';
    const reading = { date: '2026-03-06', mileage: 5_300 };

    async function tell() {
      answer('get', '/api/maintenance', [plan]);
      answer('get', '/api/vehicles/vehicle-1/odometer', [reading] as Schemas['Reading'][]);
      const warnings = [{ code: 'mileage-goes-back', message }];
      note('post', '/api/vehicles/vehicle-1/odometer', { ...reading, warnings }, 201);
      const view = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
      await view.person.click(await screen.findByRole('button', { name: 'Update Mileage' }));
      await view.person.type(screen.getByRole('textbox', { name: /Mileage/ }), '5300');
      await view.person.click(screen.getByRole('button', { name: 'Save Mileage' }));
      expect(await screen.findByText('Saved, but please check it')).toBeVisible();
      return view;
    }
    const expectNoWarning = () =>
      waitFor(() => expect(screen.queryByText('Saved, but please check it')).toBeNull());

    it('is said no longer once the mileage is deleted', async () => {
      const { person } = await tell();
      note('delete', '/api/vehicles/vehicle-1/odometer');
      await person.click(screen.getByText('Noted mileages'));
      await person.click(await screen.findByRole('button', { name: /^Delete 5,300 miles/ }));
      await confirm(person, 'Delete');
      await expectNoWarning();
    });

    it('is said no longer once something was logged', async () => {
      const { person } = await tell();
      const path = '/api/vehicles/vehicle-1/maintenance/tire-rotation/done';
      note('post', path, { ...tires, warnings: [] });
      await person.click(screen.getByRole('button', { name: 'Done: Tire rotation' }));
      await person.type(screen.getByRole('textbox', { name: /Mileage/ }), '53100');
      await person.click(screen.getByRole('button', { name: 'Save' }));
      await expectNoWarning();
    });

    it('is said of what was logged as well', async () => {
      answer('get', '/api/maintenance', [plan]);
      const message = 'This mileage is lower than an earlier one.';
      note('post', '/api/vehicles/vehicle-1/maintenance/tire-rotation/done', {
        ...tires,
        warnings: [{ code: 'mileage-goes-back', message }],
      });
      const { person } = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
      await person.click(await screen.findByRole('button', { name: 'Done: Tire rotation' }));
      await person.type(screen.getByRole('textbox', { name: /Mileage/ }), '531');
      await person.click(screen.getByRole('button', { name: 'Save' }));
      expect(await screen.findByText(message)).toBeVisible();
    });
  });

  it('lists what was noted between records, and deletes a mistyped mileage after a question', async () => {
    let readings = [
      { date: '2026-03-05', mileage: 520_000 },
      { date: '2026-02-01', mileage: 51_000 },
    ];
    const removed = vi.fn();
    answer('get', '/api/maintenance', [plan]);
    server.use(
      http.get('/api/vehicles/vehicle-1/odometer', () => HttpResponse.json(readings)),
      http.delete('/api/vehicles/vehicle-1/odometer', ({ request }) => {
        removed(new URL(request.url).search);
        readings = readings.slice(1);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { person } = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    await person.click(await screen.findByText('Noted mileages'));
    await person.click(
      await screen.findByRole('button', { name: 'Delete 520,000 miles on Mar 05, 2026' }),
    );
    await confirm(person, 'Delete');
    await waitFor(() =>
      expect(removed).toHaveBeenCalledExactlyOnceWith('?date=2026-03-05&mileage=520000'),
    );
    await waitFor(() => expect(screen.queryByText('520,000 miles')).not.toBeInTheDocument());
    expect(screen.getByText('51,000 miles')).toBeVisible();
    expect(
      screen.getByRole('button', { name: 'Delete 51,000 miles on Feb 01, 2026' }),
    ).toHaveFocus();
  });

  it.each([
    ['Update Mileage', 'odometer', { date: today(), mileage: 53_000 }],
    ['Done: Tire rotation', 'maintenance/tire-rotation/done', tires],
  ])('saves once what %s sends again for want of an answer', async (button, path, saved) => {
    answer('get', '/api/maintenance', [plan]);
    const keys = loseFirst(`/api/vehicles/vehicle-1/${path}`, { ...saved, warnings: [] });
    const { person } = renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    await person.click(await screen.findByRole('button', { name: button }));
    await person.type(screen.getByRole('textbox', { name: /Mileage/ }), '53000');
    await person.click(screen.getByRole('button', { name: /^Save/ }));
    await screen.findByRole('alert');
    await person.click(screen.getByRole('button', { name: /^Save/ }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(new Set(keys).size).toBe(1);
  });

  it('opens with the mileage that a session that ended left', async () => {
    answer('get', '/api/maintenance', [plan]);
    sessionStorage.setItem('draft.odometer.vehicle-1@', '{"mileage":"53000"}');
    renderScreen(<MaintenancePanel vehicles={[civic]} asked={null} />);
    expect(await screen.findByRole('dialog', { name: 'Update Mileage' })).toBeVisible();
    expect(screen.getByRole('textbox', { name: /Mileage/ })).toHaveValue('53000');
  });
});

describe('CalendarLink', () => {
  it('makes a link, shows it once, and revokes it after a question', async () => {
    let createdAt: string | null = null;
    const made = vi.fn();
    server.use(
      http.get('/api/calendar', () => HttpResponse.json({ createdAt })),
      http.post('/api/calendar', () => {
        made();
        createdAt = '2026-03-05T10:00:00Z';
        return HttpResponse.json({ path: '/api/calendar/secret.ics', url: null }, { status: 201 });
      }),
      http.delete('/api/calendar', () => {
        createdAt = null;
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { person } = renderScreen(<CalendarLink />);
    const make = await screen.findByRole('button', { name: 'Make Calendar Link' });
    fireEvent.click(make);
    fireEvent.click(make);
    expect(screen.getByRole('heading', { name: 'Calendar' })).toHaveFocus();
    expect(await screen.findByLabelText('Calendar link')).toHaveValue(
      'http://partsight.test/api/calendar/secret.ics',
    );
    expect(made).toHaveBeenCalledOnce();
    await person.click(await screen.findByRole('button', { name: 'Revoke' }));
    await person.click(screen.getByRole('button', { name: 'Revoke Link' }));
    expect(await screen.findByText('Calendar link ended')).toBeVisible();
    await waitFor(() => {
      expect(screen.queryByLabelText('Calendar link')).not.toBeInTheDocument();
    });
  });
});
