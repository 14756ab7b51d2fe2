import { act, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { NEW_BATCH } from '@/config/paths';
import { BatchPanel } from '@/features/batches/components/batch-panel';
import { batch, items, serveItems } from '@/testing/batch';
import { renderScreen } from '@/testing/render';
import { answer, note, refuse } from '@/testing/server';

it('says that the numbers on the parts are read, where they are', async () => {
  answer('get', '/api/batches/batch-1', { ...batch, readText: true });
  serveItems(items);
  renderScreen(<BatchPanel id="batch-1" />);
  expect(await screen.findByText('The numbers on the parts are read too.')).toBeVisible();
});

it('has the focus on its heading where it was made just now, once', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems(items);
  const { router } = renderScreen(<BatchPanel id="batch-1" />);
  const heading = await screen.findByRole('heading', { name: 'Returns' });
  expect(heading).not.toHaveFocus();
  await act(() => router.navigate('/batches/batch-1', { state: NEW_BATCH }));
  expect(heading).toHaveFocus();
  // The page may be loaded anew.
  await waitFor(() => expect(router.state.location.state).toBeNull());
});

it('says that the server is away once two reads of a running batch failed, until it is back', async () => {
  vi.useFakeTimers({
    shouldAdvanceTime: true,
    toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date'],
  });
  answer('get', '/api/batches/batch-1', { ...batch, state: 'running' });
  serveItems(items);
  renderScreen(<BatchPanel id="batch-1" />);
  await screen.findByRole('heading', { name: 'Returns' });
  const poll = () => act(() => vi.advanceTimersByTimeAsync(1600));
  refuse('get', '/api/batches/batch-1', { status: 503, detail: 'Busy.' });
  await poll();
  expect(screen.queryByText(/cannot be reached/)).not.toBeInTheDocument();
  await poll();
  expect(await screen.findByText(/cannot be reached/)).toBeVisible();
  answer('get', '/api/batches/batch-1', { ...batch, state: 'running' });
  await poll();
  await waitFor(() => expect(screen.queryByText(/cannot be reached/)).not.toBeInTheDocument());
  vi.useRealTimers();
});

it('says how many photos cannot be tried again, as they are not kept, and offers it no more', async () => {
  const failed = { ...batch, counts: { ...batch.counts, failed: 3 } };
  answer('get', '/api/batches/batch-1', failed);
  serveItems(items);
  // Two of them are kept, and fail again.
  answer('post', '/api/batches/batch-1/retry', {
    ...failed,
    state: 'running',
    counts: { ...failed.counts, failed: 1, waiting: 2 },
  });
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  await person.click(await screen.findByRole('button', { name: 'Try 3 Again' }));
  expect(await screen.findByText('1 photo cannot be tried again')).toBeVisible();
  // The same file is in the batch already, and would not be sent.
  expect(
    screen.getByText('A photo refused on arrival is not kept. It says why: send a smaller copy.'),
  ).toBeVisible();
  answer('post', '/api/batches/batch-1/retry', failed);
  await person.click(await screen.findByRole('button', { name: 'Try 2 Again' }));
  expect(await screen.findByText('3 photos cannot be tried again')).toBeVisible();
  expect(screen.queryByRole('button', { name: /^Try/ })).not.toBeInTheDocument();
});

it('says why a running batch waits, and leads to no plans', async () => {
  const reason = "The server's disk is full. The batch goes on by itself once there is space.";
  answer('get', '/api/batches/batch-1', { ...batch, state: 'running', reason });
  serveItems(items);
  renderScreen(<BatchPanel id="batch-1" />);
  expect(await screen.findByText(reason)).toBeVisible();
  expect(screen.getByText('The batch waits')).toBeVisible();
  expect(screen.queryByRole('link', { name: 'See Plans' })).not.toBeInTheDocument();
});

it('says why a batch stopped, and lets it go on', async () => {
  const reason = 'Monthly scan limit exceeded.';
  answer('get', '/api/batches/batch-1', { ...batch, state: 'stopped', reason });
  serveItems(items);
  const started = note('post', '/api/batches/batch-1/start', batch);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  expect(await screen.findByText(reason)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Go On' }));
  await waitFor(() => expect(started).toHaveBeenCalledOnce());
  // The button goes; whoever pressed it by keyboard is still at the batch.
  const heading = screen.getByRole('heading', { name: 'Returns' });
  await waitFor(() => expect(heading).toHaveFocus());
});
