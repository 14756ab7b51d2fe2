import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { BatchList } from '@/features/batches/components/batch-list';
import { BatchPanel } from '@/features/batches/components/batch-panel';
import { HistoryItems } from '@/features/batches/components/history-items';
import { ReturnSheet } from '@/features/batches/components/return-sheet';
import {
  keyOf,
  nextForm,
  picked,
  placeAfter,
  progressText,
  scrolledTo,
  shownRows,
  sorted,
  sumsOf,
  NOTHING,
} from '@/features/batches/model';
import { SCANNER_PAUSE_MS } from '@/lib/key-reader';
import { isLeavingGuarded } from '@/lib/leave-guard';
import { partType } from '@/testing/fixtures';
import { confirm, hrefOf, renderScreen } from '@/testing/render';
import { answer, note, refuse, server } from '@/testing/server';

const counts: Schemas['BatchProgress'] = {
  total: 3,
  waiting: 0,
  running: 0,
  answered: 2,
  notAPart: 0,
  failed: 1,
  duplicate: 0,
  cancelled: 0,
};
const batch: Schemas['Batch'] = {
  id: 'batch-1',
  name: 'Returns',
  vehicleId: null,
  state: 'done',
  reason: null,
  createdAt: '2026-11-20T12:00:00Z',
  counts,
};
const item = (number: number, more: Partial<Schemas['BatchItem']> = {}): Schemas['BatchItem'] => ({
  id: `item-${number}`,
  key: `key-${number}`,
  file: `${number}.jpg`,
  state: 'answered',
  problem: null,
  duplicateOf: null,
  discarded: false,
  group: null,
  grade: null,
  scan: {
    id: `scan-${number}`,
    verdict: 'not-sure',
    partName: 'Brake Rotor',
    label: 'brake-rotor',
    confidence: 0.61,
    thumbnailUrl: null,
    feedback: null,
  },
  ...more,
});
/** A group of photos that was proposed. */
const groupOf = (...numbers: number[]): Schemas['BatchGroup'] => ({
  id: `item-${numbers[0]}`,
  proposed: true,
  photos: numbers.map((number) => {
    const { id, file, scan } = item(number);
    return { id, file, scan };
  }),
  answer: { verdict: 'not-sure', partName: 'Brake Rotor', label: 'brake-rotor', confidence: 0.7 },
});
/** An item of which somebody said something. */
function checked(number: number, said: Schemas['FeedbackAnswer']): Schemas['BatchItem'] {
  const { scan, ...rest } = item(number);
  const part = {
    right: { label: 'brake-rotor', name: 'Brake Rotor' },
    'other-part': { label: 'rim', name: 'Rim' },
    'not-a-part': { label: null, name: null },
  }[said];
  const changedAt = '2026-11-20T12:00:00Z';
  const feedback = { answer: said, ...part, referenceId: null, changedAt };
  return { ...rest, scan: scan && { ...scan, feedback } };
}
const items = [item(1), item(2), item(3, { state: 'failed', scan: null, problem: 'Not a photo.' })];

function serveItems(list: Schemas['BatchItem'][]) {
  const asked = vi.fn<(query: Record<string, string>) => void>();
  server.use(
    http.get('/api/batches/batch-1/items', ({ request }) => {
      asked(Object.fromEntries(new URL(request.url).searchParams));
      return HttpResponse.json({ items: list, next: null });
    }),
  );
  return asked;
}

it('lists batches, and makes one by its name', async () => {
  answer('get', '/api/batches', []);
  const created = note('post', '/api/batches', batch, 201);
  const { person, router } = renderScreen(<BatchList />);
  expect(await screen.findByText('No batches yet')).toBeVisible();
  expect(screen.getByRole('button', { name: 'New Batch' })).toBeDisabled();
  await person.type(screen.getByLabelText('Name of the batch'), 'Returns');
  await person.click(screen.getByRole('button', { name: 'New Batch' }));
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/batches/batch-1'));
  expect(created).toHaveBeenCalledWith({ name: 'Returns' });
});

it('asks again for a list that could not be loaded', async () => {
  refuse('get', '/api/batches', { status: 503, detail: 'Busy.' });
  const { person } = renderScreen(<BatchList />);
  await screen.findByText('Your batches could not be loaded');
  answer('get', '/api/batches', [batch]);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('link', { name: 'Returns' })).toBeVisible();
  expect(screen.getByText('3 photos, 3 finished')).toBeVisible();
});

/** Until what is pressed next is no part of what a scanner types. */
const afterScanner = () => new Promise((done) => setTimeout(done, 2 * SCANNER_PAUSE_MS));

it('corrects several photos at once, and takes it back', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems(items);
  const first = note('post', '/api/scans/scan-1/feedback', {});
  const second = note('post', '/api/scans/scan-2/feedback', {});
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  expect(within(grid).getByRole('option', { name: '3.jpg: Not a photo.' })).toBeVisible();
  await person.click(within(grid).getByRole('option', { name: /^1\.jpg/ }));
  await person.keyboard('{Shift>}');
  await person.click(within(grid).getByRole('option', { name: /^2\.jpg/ }));
  await person.keyboard('{/Shift}');
  expect(screen.getByRole('group', { name: 'Correct the chosen photos' })).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Not a Part' }));
  expect(await screen.findByText('2 photos corrected.')).toBeVisible();
  expect(first).toHaveBeenCalledWith({ answer: 'not-a-part' });
  expect(second).toHaveBeenCalledWith({ answer: 'not-a-part' });
  const [gone, goneToo] = [1, 2].map((n) => note('delete', `/api/scans/scan-${n}/feedback`));
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await vi.waitFor(() => expect(screen.queryByText('2 photos corrected.')).toBeNull());
  expect(gone).toHaveBeenCalledOnce();
  expect(goneToo).toHaveBeenCalledOnce();
});

it('says how many were changed where one fails, shows them, and takes only those back', async () => {
  answer('get', '/api/batches/batch-1', batch);
  const asked = serveItems(items);
  note('post', '/api/scans/scan-1/feedback', {});
  refuse('post', '/api/scans/scan-2/feedback', { status: 503, detail: 'Busy.' });
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  const before = asked.mock.calls.length;
  grid.focus();
  await person.keyboard('{Control>}a{/Control}r');
  expect(await screen.findByText('1 of 2 photos confirmed.')).toBeVisible();
  expect(within(grid).getByRole('option', { selected: true })).toHaveAccessibleName(/^2\.jpg/);
  await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(before));
  const [gone, untouched] = [1, 2].map((n) => note('delete', `/api/scans/scan-${n}/feedback`));
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce());
  expect(untouched).not.toHaveBeenCalled();
});

it('leaves chosen what failed, so that it can be tried again, with the grade that was typed', async () => {
  answer('get', '/api/batches/batch-1', batch);
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  serveItems([item(1), item(2)]);
  const first = note('put', '/api/scans/scan-1/grade', {});
  refuse('put', '/api/scans/scan-2/grade', { status: 503, detail: 'Busy.' });
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard('{Control>}a{/Control}g');
  await person.click(await screen.findByRole('radio', { name: 'Core' }));
  await person.type(screen.getByLabelText('Note'), 'One ear');
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  expect(await screen.findByRole('dialog', { name: 'Grade 1 Photo' })).toBeVisible();
  const second = note('put', '/api/scans/scan-2/grade', {});
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  await vi.waitFor(() =>
    expect(second).toHaveBeenCalledWith({ grade: 'Core', damage: [], note: 'One ear' }),
  );
  expect(first).toHaveBeenCalledOnce();
  expect(await screen.findByText('1 photo graded Core.')).toBeVisible();
  expect(within(grid).queryAllByRole('option', { selected: true })).toEqual([]);
});

it('is used by keyboard: arrows, Space and a key an answer', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems(items);
  const sent = note('post', '/api/scans/scan-2/feedback', {});
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard('{ArrowRight} r');
  await vi.waitFor(() => expect(sent).toHaveBeenCalledWith({ answer: 'right' }));
  expect(await screen.findByText('1 photo confirmed.')).toBeVisible();
});

it('confirms what the grid shows: a correction, no part, and the part of a group', async () => {
  answer('get', '/api/batches/batch-1', batch);
  const group = groupOf(3, 4);
  const [, other] = group.photos;
  if (other?.scan != null) other.scan = { ...other.scan, label: 'wheel-bearing' };
  const pair = { ...item(3), group };
  serveItems([checked(1, 'other-part'), checked(2, 'not-a-part'), pair]);
  const sent = [1, 2, 3, 4].map((n) => note('post', `/api/scans/scan-${n}/feedback`, {}));
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard('{Control>}a{/Control}r');
  expect(await screen.findByText('3 photos confirmed.')).toBeVisible();
  expect(sent.map((one) => one.mock.calls)).toEqual([
    [[{ answer: 'other-part', label: 'rim' }]],
    [[{ answer: 'not-a-part' }]],
    [[{ answer: 'right' }]],
    [[{ answer: 'other-part', label: 'brake-rotor' }]],
  ]);
});

it('tells what was confirmed from what was corrected', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems([item(1), checked(2, 'right'), checked(3, 'other-part')]);
  renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  const option = (name: RegExp) => within(grid).getByRole('option', { name });
  expect(option(/^1\.jpg/)).not.toHaveTextContent(/Confirmed|Corrected/);
  expect(option(/^2\.jpg/)).toHaveTextContent('Confirmed');
  expect(option(/^3\.jpg/)).toHaveTextContent('Corrected');
});

it('says to those who listen how sure each answer is, or that it was checked', async () => {
  answer('get', '/api/batches/batch-1', batch);
  const { scan } = item(2);
  const sure = scan && { ...scan, verdict: 'identified' as const, confidence: 0.98 };
  const pair = { ...item(5), group: groupOf(5, 6) };
  const list = [item(1), item(2, { scan: sure }), checked(3, 'right'), checked(4, 'other-part')];
  serveItems([...list, pair]);
  renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  const options = within(grid).getAllByRole('option');
  expect(options.map((option) => option.getAttribute('aria-label'))).toEqual([
    '1.jpg: Brake Rotor, not sure, 61% match',
    '2.jpg: Brake Rotor, identified, 98% match',
    '3.jpg: Brake Rotor, confirmed',
    '4.jpg: Rim, corrected',
    '5.jpg: Brake Rotor, not sure, 70% match, 2 photos of one item',
  ]);
});

it('says what to do where a key is pressed and no photo is chosen', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems(items);
  const sent = note('post', '/api/scans/scan-1/feedback', {});
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard('x');
  await afterScanner();
  expect(screen.queryByText('No photo is chosen')).not.toBeInTheDocument();
  await person.keyboard('r');
  expect(await screen.findByText('No photo is chosen')).toBeVisible();
  expect(sent).not.toHaveBeenCalled();
});

it('does nothing to the chosen photos where a barcode scanner types', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems(items);
  const sent = note('post', '/api/scans/scan-1/feedback', {});
  const discarded = note('post', '/api/batches/batch-1/discard', undefined, 204);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard(' ');
  await person.keyboard('NR1D-TG{Enter}');
  await afterScanner();
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(sent).not.toHaveBeenCalled();
  expect(discarded).not.toHaveBeenCalled();
  await person.keyboard('r');
  await vi.waitFor(() => expect(sent).toHaveBeenCalledExactlyOnceWith({ answer: 'right' }));
});

it('answers with one key, and discards, joins and splits', async () => {
  answer('get', '/api/batches/batch-1', batch);
  const pair = { ...item(1), group: groupOf(1, 2) };
  serveItems([pair, item(4)]);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  expect(within(grid).getByRole('option', { name: /^1\.jpg.*2 photos of one item/ })).toBeVisible();
  const said = [1, 2].map((n) => note('post', `/api/scans/scan-${n}/feedback`, {}));
  grid.focus();
  await person.keyboard(' 1');
  await vi.waitFor(() => {
    for (const one of said) {
      expect(one).toHaveBeenCalledWith({ answer: 'other-part', label: 'brake-rotor' });
    }
  });
  const discarded = note('post', '/api/batches/batch-1/discard', undefined, 204);
  await person.keyboard(' d');
  expect(await screen.findByText('1 photo discarded.')).toBeVisible();
  expect(discarded).toHaveBeenCalledWith({ items: ['item-1', 'item-2'], discarded: true });
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await vi.waitFor(() => expect(discarded).toHaveBeenCalledTimes(2));
  const split = note('post', '/api/batches/batch-1/groups/split', undefined, 204);
  await person.keyboard(' s');
  await vi.waitFor(() => expect(split).toHaveBeenCalledWith({ items: ['item-1', 'item-2'] }));
  const joined = note('post', '/api/batches/batch-1/groups', undefined, 204);
  await person.keyboard('{Control>}a{/Control}j');
  await vi.waitFor(() =>
    expect(joined).toHaveBeenCalledWith({ items: ['item-1', 'item-2', 'item-4'] }),
  );
});

it('teaches a new part with the chosen photos, and tells what could not teach', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems(items);
  const refused = [{ id: 'scan-2', reason: 'The photo is blank.' }];
  const taught = note('post', '/api/catalog/types/from-scans', {
    label: 'own',
    taught: ['scan-1'],
    refused,
  });
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard('{Control>}a{/Control}t');
  await person.type(await screen.findByLabelText('Or the name of a new one'), 'Turbo hose');
  await person.selectOptions(screen.getByLabelText('Category'), 'engine');
  await person.click(screen.getByRole('button', { name: 'Teach' }));
  await vi.waitFor(() =>
    expect(taught).toHaveBeenCalledWith({
      scans: ['scan-1', 'scan-2'],
      name: 'Turbo hose',
      category: 'engine',
    }),
  );
  expect(await screen.findByText('The photo is blank.')).toBeVisible();
  expect(screen.getByText('1 photo taught.')).toBeVisible();
});

it('asks before Escape throws the name of a new part away, and stays while it is taught', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems([item(1)]);
  let answered: () => void = () => undefined;
  server.use(
    http.post('/api/catalog/types/from-scans', async () => {
      await new Promise<void>((resolve) => (answered = resolve));
      return HttpResponse.json({ label: 'own', taught: ['scan-1'], refused: [] });
    }),
  );
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard(' t');
  await person.type(await screen.findByLabelText('Or the name of a new one'), 'Turbo hose');
  await person.keyboard('{Escape}');
  await confirm(person, 'Keep Editing');
  expect(screen.getByLabelText('Or the name of a new one')).toHaveValue('Turbo hose');
  await person.selectOptions(screen.getByLabelText('Category'), 'engine');
  await person.click(screen.getByRole('button', { name: 'Teach' }));
  expect(await screen.findByRole('button', { name: 'Checking the photos...' })).toBeDisabled();
  await person.keyboard('{Escape}');
  expect(screen.getByRole('dialog', { name: 'Teach 1 Photo' })).toBeVisible();
  answered();
  expect(await screen.findByText('1 photo taught.')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('takes back only what was taught, not what was refused', async () => {
  answer('get', '/api/batches/batch-1', batch);
  // Confirmed before, and it may teach its own part by that: what is said anew takes such a photo away first.
  serveItems([item(1), checked(2, 'right')]);
  answer('post', '/api/catalog/types/from-scans', {
    label: 'own',
    taught: ['scan-1'],
    refused: [{ id: 'scan-2', reason: 'The photo looks more like a brake rotor.' }],
  });
  const forgotten = note('delete', '/api/scans/scan-1/feedback', undefined, 204);
  const saidAgain = note('post', '/api/scans/scan-2/feedback', {});
  answer('get', '/api/catalog/types/own', partType({ id: 'own', references: [] }));
  const deleted = note('delete', '/api/catalog/types/own');
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard('{Control>}a{/Control}t');
  await person.type(await screen.findByLabelText('Or the name of a new one'), 'Turbo hose');
  await person.selectOptions(screen.getByLabelText('Category'), 'engine');
  await person.click(screen.getByRole('button', { name: 'Teach' }));
  expect(await screen.findByText('1 photo taught.')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await vi.waitFor(() =>
    expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument(),
  );
  expect(forgotten).toHaveBeenCalledOnce();
  expect(saidAgain).not.toHaveBeenCalled();
  // The part was made for it.
  expect(deleted).toHaveBeenCalledOnce();
});

it('grades with damage of the type, and takes it back', async () => {
  answer('get', '/api/batches/batch-1', batch);
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  serveItems([item(1)]);
  const graded = note('put', '/api/scans/scan-1/grade', {});
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard(' g');
  expect(await screen.findByRole('button', { name: 'Save Grade' })).toBeDisabled();
  await person.click(await screen.findByRole('radio', { name: 'Core' }));
  await person.click(screen.getByRole('checkbox', { name: 'Grooves that a nail catches in' }));
  await person.type(screen.getByLabelText('Note'), 'One ear');
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  await vi.waitFor(() =>
    expect(graded).toHaveBeenCalledWith({
      grade: 'Core',
      damage: ['Grooves that a nail catches in'],
      note: 'One ear',
    }),
  );
  const gone = note('delete', '/api/scans/scan-1/grade', undefined, 204);
  await person.click(await screen.findByRole('button', { name: 'Undo' }));
  await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce());
});

it('asks before Escape throws a note on a grade away', async () => {
  answer('get', '/api/batches/batch-1', batch);
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  serveItems([item(1)]);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard(' g');
  await person.type(await screen.findByLabelText('Note'), 'One ear');
  await person.keyboard('{Escape}');
  await confirm(person, 'Keep Editing');
  expect(screen.getByLabelText('Note')).toHaveValue('One ear');
  await person.clear(screen.getByLabelText('Note'));
  await person.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('gives the grade again that was there before, as a grade is sent', async () => {
  answer('get', '/api/batches/batch-1', batch);
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  const before = { grade: 'A', damage: [], note: 'As new' };
  serveItems([{ ...item(1), grade: { ...before, gradedAt: '2026-11-20T12:00:00Z' } }]);
  const graded = note('put', '/api/scans/scan-1/grade', {});
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard(' g');
  await person.click(await screen.findByRole('radio', { name: 'Core' }));
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  await person.click(await screen.findByRole('button', { name: 'Undo' }));
  await vi.waitFor(() => expect(graded).toHaveBeenLastCalledWith(before));
});

it('shows the scans of the past in the same grid', async () => {
  const { scan } = item(1);
  const past = {
    ...scan,
    identification: { partName: 'Brake Rotor', label: 'brake-rotor' },
    scannedAt: '2026-11-20T12:00:00Z',
  };
  server.use(
    http.get('/api/scans', () => HttpResponse.json({ scans: [past], next: null, hiddenByPlan: 3 })),
  );
  const right = note('post', '/api/scans/scan-1/feedback', {});
  const { person } = renderScreen(<HistoryItems />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  expect(screen.getByText(/3 are hidden/)).toBeVisible();
  grid.focus();
  await person.keyboard(' r');
  await vi.waitFor(() => expect(right).toHaveBeenCalledWith({ answer: 'right' }));
  expect(await screen.findByRole('button', { name: 'Undo' })).toBeVisible();
  // A grade that was there before is not known here: taking the new one back would delete both.
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  const graded = note('put', '/api/scans/scan-1/grade', {});
  await person.keyboard(' g');
  await person.click(await screen.findByRole('radio', { name: 'Core' }));
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  await vi.waitFor(() => expect(graded).toHaveBeenCalledOnce());
  expect(await screen.findByText('1 photo graded Core.')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
});

it('says what became of the photos of a batch, and nothing of what there is none of', () => {
  expect(progressText({ counts })).toBe('3 of 3 finished: 2 answered, 1 failed');
  const stopped = { ...counts, total: 9, waiting: 1, notAPart: 1, duplicate: 1, cancelled: 3 };
  expect(progressText({ counts: stopped })).toBe(
    '8 of 9 finished: 2 answered, 1 without a part, 1 failed, 1 the same as another, 3 cancelled',
  );
  expect(progressText({ counts: { ...counts, answered: 0, failed: 0, waiting: 3 } })).toBe(
    '0 of 3 finished',
  );
  expect(progressText({ counts: { ...counts, total: 0 } })).toBe('No photos yet.');
});

it('counts grades by day, person and part', () => {
  const total = (day: string, grade: string, count: number) => ({
    day,
    grade,
    count,
    person: 'Ann Smith',
    label: 'rim',
    partName: 'Rim',
  });
  const totals = [
    total('2026-11-20', 'A', 2),
    total('2026-11-20', 'C', 1),
    total('2026-11-19', 'A', 4),
  ];
  const byDay = sumsOf(totals, 'day');
  expect(byDay.grades).toEqual(['A', 'C']);
  expect(byDay.rows.map(({ name, sum }) => [name, sum])).toEqual([
    ['2026-11-20', 3],
    ['2026-11-19', 4],
  ]);
  expect(sumsOf(totals, 'person').rows.map(({ name, sum }) => [name, sum])).toEqual([
    ['Ann Smith', 7],
  ]);
});

it('filters by state, answer and part, the most doubtful first', async () => {
  answer('get', '/api/batches/batch-1', batch);
  const asked = serveItems(items);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  await person.selectOptions(await screen.findByLabelText('State'), 'Failed');
  await vi.waitFor(() => expect(asked.mock.lastCall?.[0]).toMatchObject({ state: 'failed' }));
  await person.selectOptions(screen.getByLabelText('Answer'), 'Not sure');
  await person.selectOptions(screen.getByLabelText('Part'), 'Brake Rotor');
  await vi.waitFor(() =>
    expect(asked.mock.lastCall?.[0]).toMatchObject({
      sort: 'doubt',
      state: 'failed',
      verdict: 'not-sure',
      type: 'brake-rotor',
    }),
  );
  expect(hrefOf('Results as CSV')).toBe('/api/batches/batch-1/results?format=csv');
});

it('says why a batch stopped, and lets it go on', async () => {
  const reason = 'Monthly scan limit exceeded.';
  answer('get', '/api/batches/batch-1', { ...batch, state: 'stopped', reason });
  serveItems(items);
  const started = note('post', '/api/batches/batch-1/start', batch);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  expect(await screen.findByText(reason)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Go On' }));
  await vi.waitFor(() => expect(started).toHaveBeenCalledOnce());
  // The button goes; whoever pressed it by keyboard is still at the batch.
  expect(screen.getByRole('heading', { name: 'Returns' })).toHaveFocus();
});

it('sends what is missing, stops when the server is away, and goes on', async () => {
  answer('get', '/api/batches/batch-1', {
    ...batch,
    state: 'open',
    counts: { ...counts, total: 0 },
  });
  const photo = (name: string) => new File([name], name, { type: 'image/jpeg', lastModified: 7 });
  const [a, b] = [photo('a.jpg'), photo('b.jpg')];
  serveItems([item(1, { key: keyOf(a) })]);
  refuse('post', '/api/batches/batch-1/photos', { status: 503, detail: 'Too much is arriving.' });
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  await person.upload(await screen.findByLabelText('Photos or a zip'), [a, b]);
  expect(await screen.findByText('Too much is arriving.')).toBeVisible();
  expect(screen.getByText('1 of 2 files sent')).toBeVisible();
  // Another screen would forget which files wait.
  expect(isLeavingGuarded()).toBe(true);
  const sent = vi.fn<(text: string) => void>();
  server.use(
    http.post('/api/batches/batch-1/photos', async ({ request }) => {
      sent(await request.text());
      return HttpResponse.json({
        photos: [],
        added: 1,
        known: 0,
        duplicates: 0,
        seenBefore: 1,
        leftOut: 0,
      });
    }),
  );
  await person.click(screen.getByRole('button', { name: 'Resume' }));
  expect(await screen.findByText('2 of 2 files sent')).toBeVisible();
  expect(screen.getByText(/1 photo of these is in another batch/)).toBeVisible();
  expect(sent).toHaveBeenCalledOnce();
  expect(sent.mock.lastCall?.[0]).toContain(keyOf(b));
  expect(sent.mock.lastCall?.[0]).not.toContain(keyOf(a));
});

it('draws only what is in view, and chooses alone, in addition and as a range', () => {
  expect(shownRows({ top: 0, height: 600 }, 200, 2500)).toEqual({ first: 0, end: 6 });
  expect(shownRows({ top: 100_000, height: 600 }, 200, 2500)).toEqual({ first: 497, end: 506 });
  expect(shownRows({ top: 499_400, height: 600 }, 200, 2500)).toEqual({ first: 2494, end: 2500 });
  const list = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
  const ids = (selection: typeof NOTHING) => [...selection.chosen];
  const one = picked(NOTHING, list, { at: 1 });
  expect(ids(one)).toEqual(['b']);
  expect(ids(picked(one, list, { at: 3, range: true }))).toEqual(['b', 'c', 'd']);
  const two = picked(one, list, { at: 3, toggle: true });
  expect(ids(two)).toEqual(['b', 'd']);
  expect(ids(picked(two, list, { at: 3, toggle: true }))).toEqual(['b']);
});

it('sorts files by their kind, and sends few at a time', () => {
  const file = (name: string, size = 1) => new File([new Uint8Array(size)], name);
  const files = [file('a.jpg'), file('b.HEIC'), file('c.zip'), file('notes.txt')];
  const { photos, zips, leftOut } = sorted(files);
  expect([photos.length, zips.length, leftOut]).toEqual([2, 1, 1]);
  const small = Array.from({ length: 20 }, (_, n) => file(`${n}.jpg`));
  expect(nextForm(small)).toHaveLength(8);
  const large = [file('a.jpg', 15_000_000), file('b.jpg', 15_000_000)];
  expect(nextForm(large)).toHaveLength(1);
  // A zip may be refused, and takes no photo with it.
  expect(nextForm([file('a.jpg'), file('c.zip')]).map(({ name }) => name)).toEqual(['a.jpg']);
  expect(nextForm([file('c.zip'), file('a.jpg')]).map(({ name }) => name)).toEqual(['c.zip']);
});

it('leaves a zip out that cannot be read, and sends the rest', async () => {
  answer('get', '/api/batches/batch-1', { ...batch, state: 'open' });
  serveItems([]);
  const names: string[] = [];
  server.use(
    http.post('/api/batches/batch-1/photos', async ({ request }) => {
      const text = await request.text();
      names.push(/([ab]\.jpg)\|/.exec(text)?.[1] ?? 'a zip');
      return text.includes('name="zip"')
        ? HttpResponse.json(
            { detail: 'This zip cannot be read.', code: 'invalid' },
            { status: 422 },
          )
        : HttpResponse.json({ known: 0, seenBefore: 0 });
    }),
  );
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const file = (name: string, type: string) => new File([name], name, { type });
  await person.upload(await screen.findByLabelText('Photos or a zip'), [
    file('a.jpg', 'image/jpeg'),
    file('pallet.zip', 'application/zip'),
  ]);
  expect(await screen.findByText('pallet.zip was not taken')).toBeVisible();
  expect(screen.getByText('This zip cannot be read.')).toBeVisible();
  expect(screen.getByText('1 of 1 file sent')).toBeVisible();
  expect(names).toEqual(['a.jpg', 'a zip']);
  expect(screen.queryByRole('button', { name: 'Resume' })).not.toBeInTheDocument();
  await person.upload(screen.getByLabelText('Photos or a zip'), file('b.jpg', 'image/jpeg'));
  await vi.waitFor(() => expect(names).toContain('b.jpg'));
});

it('says how many photos of a zip were in the batch already', async () => {
  answer('get', '/api/batches/batch-1', { ...batch, state: 'open' });
  serveItems([]);
  answer('post', '/api/batches/batch-1/photos', {
    photos: [],
    added: 0,
    known: 3,
    duplicates: 0,
    seenBefore: 0,
    leftOut: 0,
  });
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const zip = new File(['zip'], 'pallet.zip', { type: 'application/zip' });
  await person.upload(await screen.findByLabelText('Photos or a zip'), zip);
  expect(await screen.findByText('3 photos were in the batch already.')).toBeVisible();
});

it('chooses by touch one after the other, and says where there is no answer to correct', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems(items);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  const tap = (name: RegExp) =>
    person.pointer([{ keys: '[TouchA]', target: within(grid).getByRole('option', { name }) }]);
  await tap(/^3\.jpg/);
  expect(screen.getByText('This photo has no answer to correct.')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Right' })).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Discard' })).toBeVisible();
  await tap(/^1\.jpg/);
  expect(screen.getByRole('combobox', { name: 'What 1 photo shows' })).toBeVisible();
  await tap(/^2\.jpg/);
  expect(screen.getByRole('combobox', { name: 'What 2 photos show' })).toBeVisible();
  await tap(/^2\.jpg/);
  expect(within(grid).getAllByRole('option', { selected: true })).toHaveLength(2);
});

it('moves the keyboard through the grid, and keeps where it is in view', () => {
  const grid = { columns: 4, seen: 12, count: 50 };
  const places = ['ArrowDown', 'PageDown', 'End', 'Home', 'ArrowLeft'].map((key) =>
    placeAfter(key, 20, grid),
  );
  expect(places).toEqual([24, 32, 49, 0, 19]);
  expect(placeAfter('ArrowUp', 2, grid)).toBe(0);
  expect(placeAfter('r', 2, grid)).toBeNull();
  expect(scrolledTo({ top: 400, height: 600 }, 600, 200)).toBe(400);
  expect(scrolledTo({ top: 400, height: 600 }, 200, 200)).toBe(200);
  expect(scrolledTo({ top: 400, height: 600 }, 1000, 200)).toBe(600);
});

it('prints how sure an answer was only where nobody checked it', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems([item(1), checked(2, 'not-a-part'), checked(3, 'right')]);
  renderScreen(<ReturnSheet id="batch-1" />);
  const [first, second, third] = await screen.findAllByRole('listitem');
  expect(first).toHaveTextContent('1.jpg, 61%');
  expect(second).toHaveTextContent('Not a part');
  expect(second).toHaveTextContent('2.jpg, corrected');
  expect(third).toHaveTextContent('3.jpg, confirmed');
});
