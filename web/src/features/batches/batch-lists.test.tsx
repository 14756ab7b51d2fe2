import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { BatchItems } from '@/features/batches/components/batch-items';
import { HistoryItems } from '@/features/batches/components/history-items';
import { ServerFolderButton } from '@/features/batches/components/server-folder';
import { searchedNumber } from '@/features/batches/model';
import { renderScreen } from '@/testing/render';
import { answer, note, refuse, server, settings } from '@/testing/server';

const batch: Schemas['Batch'] = {
  id: 'batch-1',
  name: 'Returns',
  vehicleId: null,
  state: 'done',
  reason: null,
  createdAt: '2026-11-20T12:00:00Z',
  counts: {
    total: 1,
    waiting: 0,
    running: 0,
    answered: 1,
    notAPart: 0,
    failed: 0,
    duplicate: 0,
    cancelled: 0,
  },
};

it('searches for a part number once there is enough of it', async () => {
  const asked = vi.fn<(number: string | null) => void>();
  server.use(
    http.get('/api/batches/batch-1/items', ({ request }) => {
      asked(new URL(request.url).searchParams.get('number'));
      return HttpResponse.json({ items: [], next: null });
    }),
  );
  const { person } = renderScreen(<BatchItems batch={batch} />);
  await person.type(await screen.findByLabelText('Number'), '06');
  await person.type(screen.getByLabelText('Number'), 'A 105');
  await vi.waitFor(() => expect(asked).toHaveBeenCalledWith('06A 105'));
  expect(asked).not.toHaveBeenCalledWith('06');
  expect([' 06 ', '-- 0', 'é7b', ' 06a-'].map(searchedNumber)).toEqual(['', '', 'é7b', '06a-']);
});

function serveHistory(scans: number) {
  const asked = vi.fn<(discarded: string | null) => void>();
  const scan = {
    id: 'scan-1',
    verdict: 'not-sure',
    confidence: 0.6,
    thumbnailUrl: null,
    feedback: null,
    scannedAt: '2026-11-20T12:00:00.000Z',
    identification: { partName: 'Rim', label: 'rim' },
  };
  server.use(
    http.get('/api/scans', ({ request }) => {
      asked(new URL(request.url).searchParams.get('discarded'));
      const page = { scans: Array(scans).fill(scan), next: null, hiddenByPlan: 0 };
      return HttpResponse.json(page);
    }),
  );
  return asked;
}

it('discards past scans by a key, takes it back, and shows the discarded ones', async () => {
  const asked = serveHistory(1);
  const discarded = note('post', '/api/scans/discard', {});
  const { person } = renderScreen(<HistoryItems />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  expect(asked).toHaveBeenLastCalledWith('false');
  grid.focus();
  await person.keyboard(' d');
  expect(await screen.findByText('1 photo discarded.')).toBeVisible();
  expect(discarded).toHaveBeenLastCalledWith({ scans: ['scan-1'], discarded: true });
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await vi.waitFor(() =>
    expect(discarded).toHaveBeenLastCalledWith({ scans: ['scan-1'], discarded: false }),
  );
  await person.selectOptions(screen.getByLabelText('Show'), 'Discarded');
  await vi.waitFor(() => expect(asked).toHaveBeenLastCalledWith('true'));
  const again = await screen.findByRole('listbox', { name: /Photos/ });
  await person.click(within(again).getByRole('option'));
  await person.click(screen.getByRole('button', { name: /Put Back/ }));
  expect(await screen.findByText('1 photo put back.')).toBeVisible();
});

it('opens no folders of a server without any', async () => {
  const { container } = renderScreen(<ServerFolderButton batchId="batch-1" />);
  await vi.waitFor(() => expect(container.querySelector('button')).toBeNull());
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
  await vi.waitFor(() => expect(started).toHaveBeenCalledOnce());
  expect(added).toHaveBeenCalledWith({ path: 'monday' });
  expect(await screen.findByText('3 photos added')).toBeVisible();
  expect(screen.queryByRole('dialog')).toBeNull();
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
  await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Add' })).toBeEnabled());
  await person.click(screen.getByRole('button', { name: 'Add' }));
  expect(await screen.findByText('The batch is full.')).toBeVisible();
  expect(screen.getByRole('dialog')).toBeVisible();
});
