import { fireEvent, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import { ServerFolderButton } from '@/features/batches/components/server-folder';
import { batch } from '@/testing/batch';
import { renderScreen } from '@/testing/render';
import { answer, note, refuse, server, settings } from '@/testing/server';

it('opens no folders of a server without any', async () => {
  const { container } = renderScreen(<ServerFolderButton batchId="batch-1" />);
  await waitFor(() => expect(container.querySelector('button')).toBeNull());
});

it('chooses a folder of the server, adds it, and starts the batch', async () => {
  answer('get', '/api/settings', { ...settings, batchFolders: true });
  server.use(
    http.get('/api/batches/folders', ({ request }) => {
      const path = new URL(request.url).searchParams.get('path') ?? '';
      const inside = { '': ['monday'], monday: ['shelf 7'], 'monday/shelf 7': [] }[path];
      const photos = path === 'monday/shelf 7' ? 0 : 3;
      return HttpResponse.json({ path, folders: inside, photos, morePhotos: false });
    }),
  );
  const report = { photos: [], added: 3, known: 0, duplicates: 0, seenBefore: 0, leftOut: 1 };
  const added = note('post', '/api/batches/batch-1/folder', report);
  const started = note('post', '/api/batches/batch-1/start', batch);
  const { person } = renderScreen(<ServerFolderButton batchId="batch-1" />);
  await person.click(await screen.findByRole('button', { name: 'Folder of the Server' }));
  await person.click(await screen.findByRole('button', { name: 'monday' }));
  await person.click(await screen.findByRole('button', { name: 'shelf 7' }));
  expect(await screen.findByText('There are no photos in this folder.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Add and Start' })).toBeDisabled();
  await person.click(screen.getByRole('button', { name: 'One folder up' }));
  expect(await screen.findByText(/3 photos/)).toHaveTextContent('monday: 3 photos');
  await person.click(screen.getByRole('button', { name: 'Add and Start' }));
  await waitFor(() => expect(started).toHaveBeenCalledOnce());
  expect(added).toHaveBeenCalledWith({ path: 'monday' });
  expect(await screen.findByText('3 photos added')).toBeVisible();
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('adds a folder once by a double click', async () => {
  answer('get', '/api/settings', { ...settings, batchFolders: true });
  answer('get', '/api/batches/folders', { path: '', folders: [], photos: 3, morePhotos: false });
  const report = { photos: [], added: 3, known: 0, duplicates: 0, seenBefore: 0, leftOut: 0 };
  const added = note('post', '/api/batches/batch-1/folder', report);
  const started = note('post', '/api/batches/batch-1/start', batch);
  const { person } = renderScreen(<ServerFolderButton batchId="batch-1" />);
  await person.click(await screen.findByRole('button', { name: 'Folder of the Server' }));
  const start = screen.getByRole('button', { name: 'Add and Start' });
  await waitFor(() => expect(start).toBeEnabled());
  fireEvent.click(start);
  fireEvent.click(start);
  expect(await screen.findByText('3 photos added')).toBeVisible();
  expect(added).toHaveBeenCalledOnce();
  expect(started).toHaveBeenCalledOnce();
});

it('says where the photos of a large folder are counted no further', async () => {
  answer('get', '/api/settings', { ...settings, batchFolders: true });
  answer('get', '/api/batches/folders', {
    path: '',
    folders: [],
    photos: 50_000,
    morePhotos: true,
  });
  const { person } = renderScreen(<ServerFolderButton batchId="batch-1" />);
  await person.click(await screen.findByRole('button', { name: 'Folder of the Server' }));
  expect(await screen.findByText(/more than 50,000 photos/)).toBeVisible();
  expect(screen.getByText(/^Counting stops at 50,000 photos/)).toBeVisible();
  expect(screen.getByRole('button', { name: 'Add' })).toBeEnabled();
});

it('says why a folder cannot be added, and stays open', async () => {
  answer('get', '/api/settings', { ...settings, batchFolders: true });
  answer('get', '/api/batches/folders', { path: '', folders: [], photos: 2, morePhotos: false });
  refuse('post', '/api/batches/batch-1/folder', { status: 409, detail: 'The batch is full.' });
  const { person } = renderScreen(<ServerFolderButton batchId="batch-1" />);
  await person.click(await screen.findByRole('button', { name: 'Folder of the Server' }));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Add' })).toBeEnabled());
  await person.click(screen.getByRole('button', { name: 'Add' }));
  expect(await screen.findByText('The batch is full.')).toBeVisible();
  expect(screen.getByRole('dialog')).toBeVisible();
});
