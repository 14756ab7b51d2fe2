import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { BatchList } from '@/features/batches/components/batch-list';
import { batch } from '@/testing/batch';
import { renderScreen } from '@/testing/render';
import { answer, loseFirst, note, refuse } from '@/testing/server';

it('lists batches, and makes one by its name', async () => {
  answer('get', '/api/batches', []);
  const created = note('post', '/api/batches', batch, 201);
  const { person, router } = renderScreen(<BatchList />);
  expect(await screen.findByText('No batches yet')).toBeVisible();
  expect(screen.getByRole('button', { name: 'New Batch' })).toBeDisabled();
  await person.type(screen.getByLabelText('Name of the batch'), 'Returns');
  await person.click(screen.getByRole('button', { name: 'New Batch' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/batches/batch-1'));
  expect(created).toHaveBeenCalledWith({ name: 'Returns', readText: false });
});

it('makes one batch of a double click', async () => {
  answer('get', '/api/batches', []);
  const created = note('post', '/api/batches', batch, 201);
  const { person, router } = renderScreen(<BatchList />);
  await person.type(screen.getByLabelText('Name of the batch'), 'Returns');
  const make = screen.getByRole('button', { name: 'New Batch' });
  fireEvent.click(make);
  fireEvent.click(make);
  await waitFor(() => expect(router.state.location.pathname).toBe('/batches/batch-1'));
  // Until the screen of the batch stands.
  expect(make).toBeDisabled();
  fireEvent.submit(screen.getByRole('form', { name: 'New batch' }));
  await new Promise((done) => setTimeout(done, 50));
  expect(created).toHaveBeenCalledOnce();
});

it('makes a batch at the second attempt where the first one failed', async () => {
  answer('get', '/api/batches', []);
  refuse('post', '/api/batches', { status: 503, detail: 'Busy.' });
  const { person, router } = renderScreen(<BatchList />);
  await person.type(screen.getByLabelText('Name of the batch'), 'Returns{Enter}');
  expect(await screen.findByText('Busy.')).toBeVisible();
  note('post', '/api/batches', batch, 201);
  await person.click(screen.getByRole('button', { name: 'New Batch' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/batches/batch-1'));
});

it('makes one batch when it is sent again for want of an answer', async () => {
  answer('get', '/api/batches', []);
  const keys = loseFirst('/api/batches', batch);
  const { person, router } = renderScreen(<BatchList />);
  await person.type(screen.getByLabelText('Name of the batch'), 'Returns{Enter}');
  await screen.findByText(/cannot be reached/);
  await person.click(screen.getByRole('button', { name: 'New Batch' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/batches/batch-1'));
  expect(new Set(keys).size).toBe(1);
});

it('makes a batch on which numbers are read where that is chosen', async () => {
  answer('get', '/api/batches', []);
  const created = note('post', '/api/batches', batch, 201);
  const { person } = renderScreen(<BatchList />);
  await person.click(screen.getByLabelText(/^Read the numbers on the parts too/));
  await person.type(screen.getByLabelText('Name of the batch'), 'Returns{Enter}');
  await waitFor(() => expect(created).toHaveBeenCalledWith({ name: 'Returns', readText: true }));
});

it('asks again for a list that could not be loaded', async () => {
  refuse('get', '/api/batches', { status: 503, detail: 'Busy.' });
  const { person } = renderScreen(<BatchList />);
  await screen.findByText('Your batches could not be loaded');
  const counts = { ...batch.counts, answered: 0, waiting: 2 };
  answer('get', '/api/batches', [batch, { ...batch, id: 'batch-2', state: 'open', counts }]);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findAllByRole('link', { name: 'Returns' })).toHaveLength(2);
  expect(screen.getByText('3 photos, 3 finished')).toBeVisible();
  expect(screen.getByText('3 photos')).toBeVisible();
});
