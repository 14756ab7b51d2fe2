import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import { checked, groupOf, item, items, noteFeedback, openBatch, SAID_AT } from '@/testing/batch';
import { partType } from '@/testing/fixtures';
import { confirm } from '@/testing/render';
import { answer, note, server } from '@/testing/server';

it('teaches a new part with the chosen photos, and tells what could not teach', async () => {
  const refused = [{ id: 'scan-2', reason: 'The photo is blank.' }];
  const taught = note('post', '/api/catalog/types/from-scans', {
    label: 'own',
    taught: ['scan-1'],
    refused,
  });
  const { person, grid } = await openBatch(items);
  grid.focus();
  await person.keyboard('{Control>}a{/Control}t');
  await person.type(await screen.findByLabelText('Or the name of a new one'), 'Turbo hose');
  await person.selectOptions(screen.getByLabelText('Category'), 'engine');
  await person.click(screen.getByRole('button', { name: 'Teach' }));
  await waitFor(() =>
    expect(taught).toHaveBeenCalledWith({
      scans: ['scan-1', 'scan-2'],
      name: 'Turbo hose',
      category: 'engine',
    }),
  );
  expect(await screen.findByText('The photo is blank.')).toBeVisible();
  expect(screen.getByText('1 photo taught.')).toBeVisible();
});

it('says before it asks for the part that at most 100 photos teach at once', async () => {
  const pairs = Array.from({ length: 51 }, (_, at) => {
    const [first, second] = [2 * at + 1, 2 * at + 2];
    return item(first, { group: groupOf(first, second) });
  });
  const { person, grid } = await openBatch(pairs);
  grid.focus();
  await person.keyboard('{Control>}a{/Control}t');
  expect(await screen.findByText('At most 100 photos can teach at once')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  await person.keyboard(' t');
  expect(await screen.findByRole('dialog', { name: 'Teach 100 Photos' })).toBeVisible();
});

it('counts the photos of a group that is taught, graded or named', async () => {
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  const { person, grid } = await openBatch([item(1, { group: groupOf(1, 2, 3) })]);
  grid.focus();
  await person.keyboard(' ');
  expect(screen.getByRole('combobox', { name: 'What 3 photos show' })).toBeVisible();
  await person.keyboard('t');
  expect(await screen.findByRole('dialog', { name: 'Teach 3 Photos' })).toBeVisible();
  await person.keyboard('{Escape}g');
  expect(await screen.findByRole('dialog', { name: 'Grade 3 Photos' })).toBeVisible();
});

it('asks before Escape throws the name of a new part away, and stays while it is taught', async () => {
  let answered: () => void = () => undefined;
  server.use(
    http.post('/api/catalog/types/from-scans', async () => {
      await new Promise<void>((resolve) => (answered = resolve));
      return HttpResponse.json({ label: 'own', taught: ['scan-1'], refused: [] });
    }),
  );
  const { person, grid } = await openBatch([item(1)]);
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
  answer('post', '/api/catalog/types/from-scans', {
    label: 'own',
    taught: ['scan-1'],
    refused: [{ id: 'scan-2', reason: 'The photo looks more like a brake rotor.' }],
  });
  server.use(
    http.get('/api/scans/scan-1', () =>
      HttpResponse.json({ feedback: { answer: 'other-part', label: 'own', changedAt: SAID_AT } }),
    ),
  );
  const forgotten = note('delete', '/api/scans/scan-1/feedback', undefined, 204);
  const saidAgain = noteFeedback(2);
  answer('get', '/api/catalog/types/own', partType({ id: 'own', references: [] }));
  const deleted = note('delete', '/api/catalog/types/own');
  // The second was confirmed before, and may teach its own part by that: what is said anew takes such a photo away first.
  const { person, grid } = await openBatch([item(1), checked(2, 'right')]);
  grid.focus();
  await person.keyboard('{Control>}a{/Control}t');
  await person.type(await screen.findByLabelText('Or the name of a new one'), 'Turbo hose');
  await person.selectOptions(screen.getByLabelText('Category'), 'engine');
  await person.click(screen.getByRole('button', { name: 'Teach' }));
  expect(await screen.findByText('1 photo taught.')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument(),
  );
  expect(forgotten).toHaveBeenCalledOnce();
  expect(saidAgain).not.toHaveBeenCalled();
  // The part was made for it.
  expect(deleted).toHaveBeenCalledOnce();
});
