import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { NextOilChanges } from '@/features/garage/oil-changes/components/next-oil-changes';
import { OilChangePanel } from '@/features/garage/oil-changes/components/oil-change-panel';
import { vehicleNames } from '@/components/vehicle-names';
import {
  emptyOilChange,
  nameOfVehicle,
  nextChangeOf,
  oilChangeSchema,
} from '@/features/garage/oil-changes/model';
import { today } from '@/lib/dates';
import { checkForm } from '@/lib/form-schema';
import { civic, engineOil, oilChange } from '@/testing/fixtures';
import { confirm, renderLeavable, renderScreen } from '@/testing/render';
import { answer, loseFirst, note, refuseLater, server } from '@/testing/server';

const MISSING = {
  title: 'Missing information',
  message: 'Please select a vehicle and enter the mileage.',
};

describe('oilChangeSchema', () => {
  const typed = { ...emptyOilChange('vehicle-1', '2026-03-05'), mileage: '52,000' };

  it('takes what was typed, and nothing for what was not', () => {
    expect(checkForm(oilChangeSchema, { ...typed, cost: '$1,049.90', notes: ' ' })).toEqual({
      ok: true,
      body: {
        vehicleId: 'vehicle-1',
        mileage: 52_000,
        changeDate: '2026-03-05',
        oilType: null,
        oilBrand: null,
        filterBrand: null,
        cost: '1049.90',
        notes: null,
      },
    });
  });

  it.each([
    ['no vehicle', { vehicleId: '' }, { ...MISSING, fields: ['vehicleId'] }],
    ['no mileage', { mileage: ' ' }, { ...MISSING, fields: ['mileage'] }],
    [
      'no date',
      { changeDate: '' },
      {
        title: 'Missing information',
        message: 'Please choose the date.',
        fields: ['changeDate'],
      },
    ],
    [
      'too many miles',
      { mileage: '1000000' },
      {
        title: 'Invalid mileage',
        message: 'Please enter a mileage under 999,999 miles.',
        fields: ['mileage'],
      },
    ],
    [
      'more miles than any number here has',
      { mileage: '99999999999999999999' },
      {
        title: 'Invalid mileage',
        message: 'Please enter a mileage under 999,999 miles.',
        fields: ['mileage'],
      },
    ],
    [
      'a decimal comma, which is no thousand',
      { mileage: '12,5' },
      {
        title: 'Invalid mileage',
        message: 'Please enter the mileage as a whole number from 0 to 999,999.',
        fields: ['mileage'],
      },
    ],
  ])('refuses %s', (_, change, refusal) => {
    expect(checkForm(oilChangeSchema, { ...typed, ...change })).toEqual({ ok: false, refusal });
  });

  it('takes the highest mileage', () => {
    expect(checkForm(oilChangeSchema, { ...typed, mileage: '999999' }).ok).toBe(true);
  });
});

it.each([
  ['2026-06-06', 'Overdue'],
  ['2026-06-05', 'Due today'],
  ['2026-06-04', 'Due in 1 day'],
  ['2026-05-06', 'Due in 30 days'],
  ['2026-05-05', 'Jun 05, 2026'],
])('says on %s: %s', (today, badge) => {
  expect(nextChangeOf(engineOil, today, null)).toMatchObject({
    badge,
    distance: 'or in 5,000 miles',
    last: 'Last: 52,000 miles',
  });
});

it.each([
  [52_000, 'or in 5,000 miles', 'Jun 05, 2026'],
  [54_500, 'or in 2,500 miles', 'Jun 05, 2026'],
  [56_999, 'or in 1 mile', 'Jun 05, 2026'],
  // Miles that are past are said, and the day alone makes it overdue.
  [57_000, '57,000 miles reached', 'Jun 05, 2026'],
  [58_200, '57,000 miles reached', 'Jun 05, 2026'],
  // A reading from before the change counts nothing.
  [40_000, 'or in 5,000 miles', 'Jun 05, 2026'],
])('counts the miles down: at %i %s', (odometer, distance, badge) => {
  expect(nextChangeOf(engineOil, '2026-05-05', odometer)).toMatchObject({ distance, badge });
});

it('recommends the most urgent oil change first', async () => {
  const dueDate = { 'vehicle-1': '2027-03-05', van: '2026-01-05', truck: '2026-08-05' };
  const vehicles = Object.keys(dueDate).map((id) => ({ ...civic, id, model: id }));
  const plans = Object.entries(dueDate).map(([id, day]) => ({
    vehicleId: id,
    odometer: null,
    vehicleName: id,
    items: [{ ...engineOil, dueDate: day }],
  }));
  answer('get', '/api/maintenance', plans);
  renderScreen(<NextOilChanges vehicles={vehicles} />);
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(3));
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('van'),
    expect.stringContaining('truck'),
    expect.stringContaining('vehicle-1'),
  ]);
});

it('recommends what is past its miles before what is due soon by its day', async () => {
  const vehicles = ['soon', 'over'].map((id) => ({ ...civic, id, model: id }));
  const mileage = (engineOil.dueMileage ?? 0) + 1;
  const plan = { vehicleName: '2015 Honda Civic', odometer: null };
  answer('get', '/api/maintenance', [
    { ...plan, vehicleId: 'soon', items: [{ ...engineOil, dueDate: today() }] },
    {
      ...plan,
      vehicleId: 'over',
      odometer: { on: today(), mileage, milesPerDay: null },
      items: [{ ...engineOil, dueDate: '9000-01-01' }],
    },
  ]);
  renderScreen(<NextOilChanges vehicles={vehicles} />);
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(2));
  expect(screen.getAllByRole('listitem')[0]).toHaveTextContent('over');
});

it('recommends nothing before the first change', () => {
  expect(
    nextChangeOf({ ...engineOil, dueOn: null, dueMileage: null }, '2026-05-05', null),
  ).toBeNull();
});

it('goes by the day that the odometer leads to where that counts', () => {
  const own = { ...engineOil, ownInterval: true, dueDate: '2026-05-04' };
  expect(nextChangeOf(own, '2026-05-05', 57_200)).toMatchObject({ badge: 'Overdue' });
});

it('recommends nothing where the owner has switched it off', () => {
  expect(nextChangeOf({ ...engineOil, state: 'off' }, '2026-06-06', null)).toBeNull();
});

it('names a vehicle that is gone', () => {
  expect(nameOfVehicle(vehicleNames([civic]), 'other')).toBe('Unknown Vehicle');
});

describe('OilChangePanel', () => {
  beforeEach(() => {
    answer('get', '/api/oil-changes', [oilChange]);
    answer('get', '/api/maintenance', [
      {
        vehicleId: 'vehicle-1',
        vehicleName: '2015 Honda Civic',
        odometer: null,
        items: [engineOil],
      },
    ]);
  });

  it('logs an oil change, shows what is odd about it while it stands, and returns the focus', async () => {
    answer(
      'post',
      '/api/oil-changes',
      {
        ...oilChange,
        warnings: [
          {
            code: 'mileage-goes-back',
            message: 'The mileage is lower than the 52,000 miles of 2025-03-05. Please check it.',
          },
        ],
      },
      201,
    );
    const { person } = renderScreen(<OilChangePanel vehicles={[civic]} />);
    await person.click(screen.getByRole('button', { name: 'Add Oil Change' }));
    const form = screen.getByRole('form', { name: 'Add oil change' });
    expect(within(form).getByLabelText(/Vehicle/)).toHaveValue('vehicle-1');
    await person.click(within(form).getByRole('button', { name: 'Save Oil Change' }));
    expect(screen.getByRole('alert')).toHaveTextContent(MISSING.message);
    expect(within(form).getByLabelText(/Mileage/)).toHaveFocus();
    await person.type(within(form).getByLabelText(/Mileage/), '52000');
    await person.click(within(form).getByRole('button', { name: 'Save Oil Change' }));
    expect(await screen.findByText('Oil change recorded!')).toBeVisible();
    expect(screen.getByText('Your oil change has been successfully logged.')).toBeVisible();
    const warning = 'The mileage is lower than the 52,000 miles of Mar 05, 2025. Please check it.';
    expect(screen.getByText(warning)).toBeVisible();
    expect(screen.queryByRole('form')).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Add Oil Change' })).toHaveFocus();
    // With the record goes what was to be checked of it.
    note('delete', `/api/oil-changes/${oilChange.id}`);
    await person.click(await screen.findByRole('button', { name: /^Delete oil change/ }));
    await confirm(person, 'Delete');
    await waitFor(() => expect(screen.queryByText(warning)).not.toBeInTheDocument());
  });

  it('logs one oil change when it is sent again for want of an answer', async () => {
    const keys = loseFirst('/api/oil-changes', { ...oilChange, warnings: [] });
    const { person } = renderScreen(<OilChangePanel vehicles={[civic]} />);
    await person.click(screen.getByRole('button', { name: 'Add Oil Change' }));
    await person.type(screen.getByLabelText(/Mileage/), '52000');
    await person.click(screen.getByRole('button', { name: 'Save Oil Change' }));
    await screen.findByRole('alert');
    await person.click(screen.getByRole('button', { name: 'Save Oil Change' }));
    await screen.findByText('Oil change recorded!');
    expect(new Set(keys).size).toBe(1);
  });

  it('tells whoever has left meanwhile that the save failed', async () => {
    const end = refuseLater('post', '/api/oil-changes', { status: 503, detail: 'Busy.' });
    const { person, leave } = renderLeavable(<OilChangePanel vehicles={[civic]} />);
    await person.click(screen.getByRole('button', { name: 'Add Oil Change' }));
    await person.type(screen.getByLabelText(/Mileage/), '52000');
    await person.click(screen.getByRole('button', { name: 'Save Oil Change' }));
    await leave();
    end();
    expect(await screen.findByText('Busy.')).toBeVisible();
  });

  it('leaves the form open that took the place of one that was being saved', async () => {
    let end: () => void = () => undefined;
    server.use(
      http.post('/api/oil-changes', async () => {
        await new Promise<void>((resolve) => (end = resolve));
        return HttpResponse.json({ ...oilChange, warnings: [] }, { status: 201 });
      }),
    );
    const { person } = renderScreen(<OilChangePanel vehicles={[civic]} />);
    const add = screen.getByRole('button', { name: 'Add Oil Change' });
    await person.click(add);
    await person.type(screen.getByLabelText(/Mileage/), '52000');
    await person.click(screen.getByRole('button', { name: 'Save Oil Change' }));
    await person.click(screen.getByRole('button', { name: 'Cancel' }));
    await person.click(add);
    end();
    expect(await screen.findByText('Oil change recorded!')).toBeVisible();
    expect(screen.getByRole('form', { name: 'Add oil change' })).toBeVisible();
  });

  it('asks before another form takes the place of one with something typed', async () => {
    const { person } = renderScreen(<OilChangePanel vehicles={[civic]} />);
    const add = screen.getByRole('button', { name: 'Add Oil Change' });
    await person.click(add);
    await person.type(screen.getByLabelText('Notes'), 'Long story');
    for (const button of [add, await screen.findByRole('button', { name: /^Edit oil change/ })]) {
      await person.click(button);
      expect(screen.getByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible();
      await person.click(screen.getByRole('button', { name: 'Keep Editing' }));
      expect(screen.getByLabelText('Notes')).toHaveValue('Long story');
    }
    await person.click(screen.getByRole('button', { name: /^Edit oil change/ }));
    await person.click(screen.getByRole('button', { name: 'Leave' }));
    expect(screen.getByRole('form', { name: 'Edit oil change' })).toBeVisible();
    await waitFor(() => expect(screen.getByLabelText(/Mileage/)).toHaveFocus());
    // Nothing is typed here, so nothing is asked.
    await person.click(add);
    expect(screen.queryByRole('form')).not.toBeInTheDocument();
  });

  it('edits what another tab has changed since, and takes nothing of it back', async () => {
    const sent = note('put', '/api/oil-changes/oil-1', { ...oilChange, warnings: [] });
    const { person, queryClient } = renderScreen(<OilChangePanel vehicles={[civic]} />);
    await person.click(await screen.findByRole('button', { name: /^Edit oil change of Mar 05/ }));
    await person.type(screen.getByLabelText('Notes'), 'Long story');
    answer('get', '/api/oil-changes', [{ ...oilChange, oilBrand: 'Shell', notes: 'Short' }]);
    await queryClient.invalidateQueries();
    await waitFor(() => expect(screen.getByLabelText('Oil brand')).toHaveValue('Shell'));
    expect(screen.getByLabelText('Notes')).toHaveValue('Long story');
    await person.click(screen.getByRole('button', { name: 'Save Changes' }));
    expect(await screen.findByText('Oil change updated')).toBeVisible();
    expect(sent).toHaveBeenCalledWith(
      expect.objectContaining({ oilBrand: 'Shell', notes: 'Long story' }),
    );
  });

  /** As the real server: it names a next page where one follows. */
  const serveRecords = (count: number) => {
    const records = Array.from({ length: count }, (_, index) => ({
      ...oilChange,
      id: `oil-${index}`,
      mileage: 60_000 - index * 1000,
    }));
    server.use(
      http.get('/api/oil-changes', ({ request }) => {
        const query = new URL(request.url).searchParams;
        const from = records.findIndex(({ id }) => id === query.get('before')) + 1;
        const page = records.slice(from, from + Number(query.get('limit')));
        const last = page.at(-1);
        const hasMore = from + page.length < records.length;
        return HttpResponse.json(
          page,
          last !== undefined && hasMore ? { headers: { 'x-next-cursor': last.id } } : {},
        );
      }),
    );
  };

  it.each([
    [5, [5]],
    [6, [5, 6]],
    [10, [5, 10]],
    [11, [5, 10, 11]],
  ])('shows %i records in steps of %j, and no way on behind the last', async (count, steps) => {
    serveRecords(count);
    const { person } = renderScreen(<OilChangePanel vehicles={[civic]} />);
    const list = await screen.findByRole('list', { name: 'Oil changes' });
    for (const [index, shown] of steps.entries()) {
      if (index > 0) await person.click(screen.getByRole('button', { name: 'Load more' }));
      await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(shown));
    }
    await waitFor(() => {
      expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument();
    });
  });

  it('gives the focus to the first record of the last page, when the way on goes', async () => {
    serveRecords(7);
    const { person } = renderScreen(<OilChangePanel vehicles={[civic]} />);
    await person.click(await screen.findByRole('button', { name: 'Load more' }));
    const list = screen.getByRole('list', { name: 'Oil changes' });
    await waitFor(() => expect(within(list).getAllByRole('listitem')[5]).toHaveFocus());
  });
});
