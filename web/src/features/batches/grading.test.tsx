import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { groupOf, item, openBatch, SAID_AT, serveItems } from '@/testing/batch';
import { confirm } from '@/testing/render';
import { answer, note, refuse, refuseLater, server } from '@/testing/server';

it('leaves chosen what failed, so that it can be tried again, with the grade that was typed', async () => {
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  const first = note('put', '/api/scans/scan-1/grade', { gradedAt: SAID_AT });
  refuse('put', '/api/scans/scan-2/grade', { status: 503, detail: 'Busy.' });
  const { person, grid } = await openBatch([item(1), item(2)]);
  grid.focus();
  await person.keyboard('{Control>}a{/Control}g');
  await person.click(await screen.findByRole('radio', { name: 'Core' }));
  await person.type(screen.getByLabelText('Note'), 'One ear');
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  expect(await screen.findByRole('dialog', { name: 'Grade 1 Photo' })).toBeVisible();
  const second = note('put', '/api/scans/scan-2/grade', { gradedAt: SAID_AT });
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  await waitFor(() =>
    expect(second).toHaveBeenCalledWith({ grade: 'Core', damage: [], note: 'One ear' }),
  );
  expect(first).toHaveBeenCalledOnce();
  expect(await screen.findByText('1 photo graded Core.')).toBeVisible();
  expect(within(grid).queryAllByRole('option', { selected: true })).toEqual([]);
});

it('begins with the grades, also where they come after the dialog', async () => {
  let come: (() => void) | undefined;
  const later = new Promise<void>((resolve) => (come = resolve));
  server.use(
    http.get('/api/grades/scale', async () => {
      await later;
      return HttpResponse.json({ grades: ['A', 'Core'] });
    }),
  );
  const { person, grid } = await openBatch([item(1)]);
  grid.focus();
  await person.keyboard(' g');
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByRole('button', { name: 'Close' })).toHaveFocus();
  come?.();
  await waitFor(() => expect(dialog.getByRole('radio', { name: 'A' })).toHaveFocus());
  await person.keyboard('{Escape}');
  expect(grid).toHaveFocus();
  await person.keyboard('g');
  expect(await screen.findByRole('radio', { name: 'A' })).toHaveFocus();
});

it('asks before Escape throws a note on a grade away', async () => {
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  const { person, grid } = await openBatch([item(1)]);
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

it('stays while a grade is saved', async () => {
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  const end = refuseLater('put', '/api/scans/scan-1/grade', { status: 503, detail: 'Busy.' });
  const { person, grid } = await openBatch([item(1)]);
  grid.focus();
  await person.keyboard(' g');
  await person.click(await screen.findByRole('radio', { name: 'Core' }));
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  const cancel = screen.getByRole('button', { name: 'Cancel' });
  expect(cancel).toBeDisabled();
  await person.keyboard('{Escape}');
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  end();
  await waitFor(() => expect(cancel).toBeEnabled());
});

it('gives the grade again that was there before, as a grade is sent', async () => {
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  const before = { grade: 'A', damage: [], note: 'As new' };
  const graded = note('put', '/api/scans/scan-1/grade', { gradedAt: SAID_AT });
  const { person, grid } = await openBatch([
    { ...item(1), grade: { ...before, gradedAt: '2026-11-20T12:00:00Z' } },
  ]);
  grid.focus();
  await person.keyboard(' g');
  await person.click(await screen.findByRole('radio', { name: 'Core' }));
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  serveItems([item(1, { grade: core })]);
  await person.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(graded).toHaveBeenLastCalledWith(before));
});

it('offers a grade that has left the scale to the part that has it', async () => {
  answer('get', '/api/grades/scale', { grades: ['A', 'B'] });
  const graded = note('put', '/api/scans/scan-1/grade', { gradedAt: SAID_AT });
  const { person, grid } = await openBatch([item(1, { grade: core })]);
  grid.focus();
  await person.keyboard(' g');
  expect(await screen.findByRole('radio', { name: 'Core' })).toBeChecked();
  expect(screen.getAllByRole('radio')).toHaveLength(3);
  await person.type(screen.getByRole('textbox', { name: 'Note' }), '!');
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  const { grade, damage, note: text } = core;
  await waitFor(() => expect(graded).toHaveBeenCalledWith({ grade, damage, note: `${text}!` }));
});

it('gives each photo of a group the grade again that it had itself', async () => {
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  const before = { grade: 'A', damage: ['Bent'], note: 'One ear' };
  const group = groupOf(1, 2);
  // The grade of a group is that of its first photo, which has none.
  const joined = item(1, { group });
  const each = (...grades: Schemas['BatchItem']['grade'][]) =>
    server.use(
      http.get('/api/batches/batch-1/items', ({ request }) => {
        const isGrouped = new URL(request.url).searchParams.has('grouped');
        const photos = grades.map((grade, at) => item(at + 1, { grade }));
        return HttpResponse.json({ items: isGrouped ? [joined] : photos, next: null });
      }),
    );
  note('put', '/api/scans/scan-1/grade', { gradedAt: SAID_AT });
  const second = note('put', '/api/scans/scan-2/grade', { gradedAt: SAID_AT });
  const { person, grid } = await openBatch([joined]);
  each(null, { ...before, gradedAt: '2026-11-20T12:00:00Z' });
  grid.focus();
  await person.keyboard(' g');
  await person.click(await screen.findByRole('radio', { name: 'Core' }));
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  const undo = await screen.findByRole('button', { name: 'Undo' });
  each(core, core);
  const gone = note('delete', '/api/scans/scan-1/grade', undefined, 204);
  await person.click(undo);
  await waitFor(() => expect(second).toHaveBeenLastCalledWith(before));
  expect(gone).toHaveBeenCalledOnce();
});

it('leaves a grade that somebody else has given since', async () => {
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  note('put', '/api/scans/scan-1/grade', { gradedAt: SAID_AT });
  const gone = note('delete', '/api/scans/scan-1/grade', undefined, 204);
  const { person, grid } = await openBatch([item(1)]);
  grid.focus();
  await person.keyboard(' g');
  await person.click(await screen.findByRole('radio', { name: 'Core' }));
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  serveItems([item(1, { grade: { ...core, gradedAt: '2026-11-20T12:31:00.000Z' } })]);
  await person.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('1 photo not undone')).toBeVisible();
  expect(gone).not.toHaveBeenCalled();
});

/** The grade that the tests give. */
const core = { grade: 'Core', damage: [], note: '', gradedAt: SAID_AT };

it('leads from one chosen photo to the whole one, where that is kept', async () => {
  const { scan, ...rest } = item(1);
  const whole = { ...rest, scan: scan && { ...scan, photoUrl: '/api/scans/scan-1/photo' } };
  const { person, grid } = await openBatch([whole, item(2)]);
  grid.focus();
  await person.keyboard(' ');
  const link = screen.getByRole('link', { name: 'Whole Photo of 1.jpg' });
  expect(link).toHaveAttribute('href', '/api/scans/scan-1/photo');
  await person.keyboard('{ArrowRight} ');
  expect(screen.queryByRole('link', { name: /Whole Photo/ })).not.toBeInTheDocument();
});
