import { act, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { AlertsBell } from '@/features/garage/alerts/components/alerts-bell';
import { badgeText, dotOf } from '@/features/garage/alerts/model';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, refuse, server } from '@/testing/server';

const overdue: Schemas['Alert'] = {
  id: 'alert-1',
  item: 'engine-oil',
  type: 'overdue',
  title: 'Oil change overdue',
  message: 'Oil change for your 2015 Honda Civic is overdue by 3 days.',
  vehicleId: 'vehicle-1',
  vehicleName: '2015 Honda Civic',
  dueDate: '2026-03-05',
  daysOverdue: 3,
};
const soon: Schemas['Alert'] = {
  ...overdue,
  id: 'alert-2',
  type: 'due_soon',
  title: 'Tire rotation due soon',
  message: 'Tire rotation for your 2015 Honda Civic is due in 12 days.',
  daysOverdue: null,
  daysDue: 12,
};

it.each([
  [1, '1'],
  [9, '9'],
  [10, '9+'],
])('writes %i on the badge as %s', (count, text) => {
  expect(badgeText(count)).toBe(text);
});

it('has a red, an orange and a grey dot', () => {
  const types = ['overdue', 'due_today', 'due_soon'];
  expect(types.map((type) => dotOf({ ...overdue, type }).colour)).toEqual([
    'bg-alert',
    'bg-due-today',
    'bg-muted',
  ]);
});

it('lists alerts, dismisses one, then all, for the session', async () => {
  answer('get', '/api/alerts', [overdue, soon]);
  const { person, unmount } = renderScreen(<AlertsBell />);
  await person.click(
    await screen.findByRole('button', { name: 'Maintenance alerts, 2', expanded: false }),
  );
  expect(await screen.findByText(overdue.message)).toBeVisible();
  expect(hrefOf('Due soon: Tire rotation due soon')).toBe('/vehicle?maintenance=vehicle-1');
  await person.click(
    screen.getByRole('button', { name: 'Dismiss Oil change overdue, 2015 Honda Civic' }),
  );
  expect(screen.queryByText('Oil change overdue')).not.toBeInTheDocument();
  expect(screen.getByRole('heading', { name: 'Maintenance Alerts' })).toHaveFocus();
  await person.click(screen.getByRole('button', { name: 'Clear All' }));
  // One of them is overdue all the same.
  expect(screen.getByText('No other alerts.')).toBeVisible();
  expect(screen.getByText('2 alerts dismissed until the browser is closed.')).toBeVisible();
  await person.keyboard('{Escape}');
  expect(screen.getByRole('button', { name: 'Maintenance alerts' })).toHaveFocus();
  unmount();
  renderScreen(<AlertsBell />);
  expect(await screen.findByRole('button', { name: 'Maintenance alerts' })).toBeVisible();
});

it('stay dismissed in another tab, and until the browser is closed', async () => {
  answer('get', '/api/alerts', [overdue, soon]);
  const first = renderScreen(<AlertsBell />);
  const second = renderScreen(<AlertsBell />);
  const bells = () => screen.getAllByRole('button', { name: /^Maintenance alerts/ });
  await waitFor(() => expect(bells().map((bell) => bell.textContent)).toEqual(['2', '2']));
  await first.person.click(bells()[0] ?? document.body);
  await first.person.click(
    await screen.findByRole('button', { name: 'Dismiss Oil change overdue, 2015 Honda Civic' }),
  );
  // A browser tells the other tabs what one has written, and not that one.
  act(() => {
    window.dispatchEvent(new StorageEvent('storage', { key: 'alerts.dismissed' }));
  });
  expect(bells().map((bell) => bell.textContent)).toEqual(['1', '1']);
  first.unmount();
  second.unmount();
  // The browser was closed: its session cookie is gone, and what it kept is of another session.
  document.cookie = 'partsight-session=; max-age=0; path=/';
  renderScreen(<AlertsBell />);
  expect(await screen.findByRole('button', { name: 'Maintenance alerts, 2' })).toBeVisible();
});

it('asks for the alerts of the day on which a tab that was left open is looked at again', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 2, 5, 18) });
  const asked: (string | null)[] = [];
  server.use(
    http.get('/api/alerts', ({ request }) => {
      asked.push(new URL(request.url).searchParams.get('today'));
      return HttpResponse.json([overdue]);
    }),
  );
  renderScreen(<AlertsBell />);
  expect(await screen.findByRole('button', { name: 'Maintenance alerts, 1' })).toBeVisible();
  vi.setSystemTime(new Date(2026, 2, 6, 8));
  window.dispatchEvent(new Event('visibilitychange'));
  await waitFor(() => expect(asked).toEqual(['2026-03-05', '2026-03-06']));
});

it('counts at midnight what is due on the new day', async () => {
  vi.useFakeTimers({
    toFake: ['Date', 'setInterval', 'clearInterval'],
    now: new Date(2026, 2, 5, 23, 59, 30),
  });
  server.use(
    http.get('/api/alerts', ({ request }) => {
      const isOver = new URL(request.url).searchParams.get('today') === '2026-03-06';
      return HttpResponse.json(isOver ? [overdue, soon] : [soon]);
    }),
  );
  renderScreen(<AlertsBell />);
  expect(await screen.findByRole('button', { name: 'Maintenance alerts, 1' })).toBeVisible();
  act(() => void vi.advanceTimersByTime(30_000));
  expect(await screen.findByRole('button', { name: 'Maintenance alerts, 2' })).toBeVisible();
});

it('says when the alerts cannot be had', async () => {
  refuse('get', '/api/alerts', { status: 503, detail: 'Busy.' });
  const { person } = renderScreen(<AlertsBell />);
  await person.click(
    await screen.findByRole('button', { name: 'Maintenance alerts', expanded: false }),
  );
  expect(await screen.findByText('The alerts could not be loaded.')).toBeVisible();
});

it('shows dismissed alerts again on request', async () => {
  answer('get', '/api/alerts', [overdue, soon]);
  const { person } = renderScreen(<AlertsBell />);
  await person.click(
    await screen.findByRole('button', { name: 'Maintenance alerts, 2', expanded: false }),
  );
  await person.click(await screen.findByRole('button', { name: 'Clear All' }));
  await person.click(screen.getByRole('button', { name: 'Show Again' }));
  expect(screen.getByText(overdue.message)).toBeVisible();
  expect(screen.getByRole('heading', { name: 'Maintenance Alerts' })).toHaveFocus();
  expect(screen.queryByText(/dismissed/)).not.toBeInTheDocument();
});

it('says that nothing is due only where no alert is hidden', async () => {
  answer('get', '/api/alerts', []);
  const { person } = renderScreen(<AlertsBell />);
  await person.click(
    await screen.findByRole('button', { name: 'Maintenance alerts', expanded: false }),
  );
  expect(
    await screen.findByText(
      'No reminder is due within 30 days. Snoozed ones stay quiet until their day.',
    ),
  ).toBeVisible();
});
