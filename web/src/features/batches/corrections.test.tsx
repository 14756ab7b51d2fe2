import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import {
  checked,
  groupOf,
  item,
  items,
  noteFeedback,
  openBatch,
  SAID_AT,
  serveItems,
} from '@/testing/batch';
import { isLeavingGuarded } from '@/lib/leave-guard';
import { afterScanner } from '@/testing/scanner';
import { note, refuse, server } from '@/testing/server';

it('says how many were changed where one fails, shows them, and takes only those back', async () => {
  noteFeedback(1);
  refuse('post', '/api/scans/scan-2/feedback', { status: 503, detail: 'Busy.' });
  const { person, grid, asked } = await openBatch(items);
  const before = asked.mock.calls.length;
  grid.focus();
  await person.keyboard('{Control>}a{/Control}r');
  expect(await screen.findByText('1 of 2 photos confirmed.')).toBeVisible();
  expect(within(grid).getByRole('option', { selected: true })).toHaveAccessibleName(/\b2\.jpg/);
  await waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(before));
  const [gone, untouched] = [1, 2].map((n) => note('delete', `/api/scans/scan-${n}/feedback`));
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(gone).toHaveBeenCalledOnce());
  expect(untouched).not.toHaveBeenCalled();
});

it('confirms what the grid shows: a correction, no part, and the part of a group', async () => {
  const group = groupOf(3, 4);
  const [, other] = group.photos;
  if (other?.scan != null) other.scan = { ...other.scan, label: 'wheel-bearing' };
  const pair = { ...item(3), group };
  const sent = [1, 2, 3, 4].map(noteFeedback);
  const { person, grid } = await openBatch([
    checked(1, 'other-part'),
    checked(2, 'not-a-part'),
    pair,
  ]);
  grid.focus();
  await person.keyboard('{Control>}a{/Control}r');
  expect(await screen.findByText('4 photos confirmed.')).toBeVisible();
  expect(sent.map((one) => one.mock.calls)).toEqual([
    [[{ answer: 'other-part', label: 'rim' }]],
    [[{ answer: 'not-a-part' }]],
    [[{ answer: 'right' }]],
    [[{ answer: 'other-part', label: 'brake-rotor' }]],
  ]);
});

it('answers with one key, and discards, joins and splits', async () => {
  const pair = { ...item(1), group: groupOf(1, 2) };
  const { person, grid } = await openBatch([pair, item(4)]);
  expect(
    within(grid).getByRole('option', { name: /\b1\.jpg.*2 photos of one item/ }),
  ).toBeVisible();
  const said = [1, 2].map(noteFeedback);
  grid.focus();
  await person.keyboard(' 1');
  await waitFor(() => {
    for (const one of said) {
      expect(one).toHaveBeenCalledWith({ answer: 'other-part', label: 'brake-rotor' });
    }
  });
  expect(await screen.findByText('2 photos corrected.')).toBeVisible();
  const discarded = note('post', '/api/batches/batch-1/discard', undefined, 204);
  await person.keyboard(' d');
  expect(await screen.findByText('2 photos discarded.')).toBeVisible();
  expect(discarded).toHaveBeenCalledWith({ items: ['item-1', 'item-2'], discarded: true });
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  // The pressed button has the keys until it goes.
  await waitFor(() => expect(screen.queryByText('2 photos discarded.')).not.toBeInTheDocument());
  expect(discarded).toHaveBeenCalledTimes(2);
  const split = note('post', '/api/batches/batch-1/groups/split', undefined, 204);
  await person.keyboard(' s');
  expect(await screen.findByText('1 item split.')).toBeVisible();
  expect(split).toHaveBeenCalledWith({ items: ['item-1', 'item-2'] });
  const joined = note('post', '/api/batches/batch-1/groups', undefined, 204);
  await person.keyboard('{Control>}a{/Control}j');
  await waitFor(() =>
    expect(joined).toHaveBeenCalledWith({ items: ['item-1', 'item-2', 'item-4'] }),
  );
});

it('puts photos together again as they were before they were joined or split', async () => {
  const pair = { ...item(1), group: groupOf(1, 2) };
  const own = { ...groupOf(5, 6), proposed: false };
  const list = [pair, item(4, { groupedBy: 'person' }), { ...item(5), group: own }, item(7)];
  const { person, grid } = await openBatch(list);
  const arranged = note('put', '/api/batches/batch-1/groups');
  note('post', '/api/batches/batch-1/groups', undefined, 204);
  note('post', '/api/batches/batch-1/groups/split', undefined, 204);
  grid.focus();
  // The pair, the one that somebody set apart, and the last.
  await person.keyboard(' {ArrowRight} {ArrowRight}{ArrowRight} j');
  expect(await screen.findByText('Joined as one item.')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(arranged).toHaveBeenCalledOnce());
  expect(arranged).toHaveBeenCalledWith({
    items: [
      { photos: ['item-1', 'item-2'], groupedBy: 'proposal' },
      { photos: ['item-4'], groupedBy: 'person' },
      { photos: ['item-7'], groupedBy: null },
    ],
  });
  await waitFor(() => expect(screen.queryByText('Joined as one item.')).not.toBeInTheDocument());
  await person.keyboard('{Control>}a{/Control}s');
  expect(await screen.findByText('4 items split.')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(arranged).toHaveBeenCalledTimes(2));
  expect(arranged).toHaveBeenLastCalledWith({
    items: [
      { photos: ['item-1', 'item-2'], groupedBy: 'proposal' },
      { photos: ['item-5', 'item-6'], groupedBy: 'person' },
    ],
  });
});

it('keeps the number of a type while the corrections make others more frequent', async () => {
  const { scan } = item(4);
  const rim = item(4, { scan: scan && { ...scan, label: 'rim', partName: 'Rim' } });
  const { person, grid } = await openBatch([item(1), item(2), rim]);
  noteFeedback(1);
  const second = noteFeedback(2);
  serveItems([checked(1, 'other-part'), item(2), rim, belt(5)]);
  grid.focus();
  await person.keyboard(' 2');
  expect(await within(grid).findByRole('option', { name: /\b5\.jpg/ })).toBeVisible();
  expect(await screen.findByText('1 photo corrected.')).toBeVisible();
  await person.keyboard('{ArrowRight} ');
  // A type that comes gets a key that is free.
  expect(screen.getByRole('button', { name: 'Timing Belt' })).toHaveAttribute(
    'aria-keyshortcuts',
    '3',
  );
  await person.keyboard('2');
  await waitFor(() => expect(second).toHaveBeenCalledWith({ answer: 'other-part', label: 'rim' }));
});

it('saves each answer that is keyed while the last one is being saved, of what was chosen then', async () => {
  const { person, grid } = await openBatch([item(1), item(2), item(3), item(4)]);
  const saved: string[] = [];
  const kept: boolean[] = [];
  const answers: (() => void)[] = [];
  server.use(
    http.post('/api/scans/:id/feedback', async ({ request, params }) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      kept.push(request.keepalive);
      const { answer } = (await request.json()) as { answer: string };
      saved.push(`${String(params.id)} ${answer}`);
      return HttpResponse.json({ feedback: { changedAt: SAID_AT } });
    }),
  );
  const next = async (count: number) => {
    await waitFor(() => expect(answers).toHaveLength(count));
    answers[count - 1]?.();
  };
  grid.focus();
  expect(asksBeforeClosing()).toBe(false);
  await person.keyboard(' r');
  await waitFor(() => expect(answers).toHaveLength(1));
  await person.keyboard('{ArrowRight} n');
  await afterScanner();
  expect(asksBeforeClosing()).toBe(true);
  expect(isLeavingGuarded()).toBe(false);
  await person.keyboard('{ArrowRight} {ArrowRight} ');
  await next(1);
  expect(await screen.findByText('1 photo confirmed.')).toBeVisible();
  // The second is still on its way.
  expect(asksBeforeClosing()).toBe(true);
  await next(2);
  expect(await screen.findByText('1 photo corrected.')).toBeVisible();
  expect(asksBeforeClosing()).toBe(false);
  expect(saved).toEqual(['scan-1 right', 'scan-2 not-a-part']);
  // What is on its way arrives also where the page is closed.
  expect(kept).toEqual([true, true]);
  const chosen = within(grid).getAllByRole('option', { selected: true });
  expect(chosen.map((option) => option.getAttribute('aria-label'))).toEqual([
    expect.stringContaining(' 3.jpg'),
    expect.stringContaining(' 4.jpg'),
  ]);
});

it('takes only the last of two answers back that were given to a photo at once', async () => {
  const { person, grid } = await openBatch([item(1)]);
  const said = noteFeedback(1);
  // The photos that are shown know of no answer yet, as they were read before it.
  grid.focus();
  await person.keyboard(' n');
  await afterScanner();
  await person.keyboard(' 1');
  await waitFor(() => expect(said).toHaveBeenCalledTimes(2));
  const gone = note('delete', '/api/scans/scan-1/feedback');
  const undo = await screen.findByRole('button', { name: 'Undo' });
  await waitFor(() => expect(undo).toBeEnabled());
  await person.click(undo);
  await waitFor(() => expect(undo).not.toBeInTheDocument());
  expect(gone).not.toHaveBeenCalled();
  expect(said.mock.lastCall).toEqual([{ answer: 'not-a-part' }]);
});

it('takes nothing back that somebody else has said since', async () => {
  noteFeedback(1);
  noteFeedback(2);
  const { person, grid } = await openBatch([item(1), item(2)]);
  grid.focus();
  await person.keyboard('{Control>}a{/Control}1');
  expect(await screen.findByText('2 photos corrected.')).toBeVisible();
  // Confirmed by somebody else: the same part, said anew.
  const confirmed = {
    answer: 'other-part',
    label: 'brake-rotor',
    changedAt: '2026-11-20T12:31:00Z',
  };
  server.use(http.get('/api/scans/scan-2', () => HttpResponse.json({ feedback: confirmed })));
  const [gone, untouched] = [1, 2].map((n) => note('delete', `/api/scans/scan-${n}/feedback`));
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('1 photo not undone')).toBeVisible();
  expect(gone).toHaveBeenCalledOnce();
  expect(untouched).not.toHaveBeenCalled();
});

/** Whether the browser asks before the page is closed. */
const asksBeforeClosing = () =>
  !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));

/** A photo of another type. */
function belt(number: number) {
  const { scan } = item(number);
  const shown = { label: 'timing-belt', partName: 'Timing Belt' };
  return item(number, { scan: scan && { ...scan, ...shown } });
}
