import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { BatchPanel } from '@/features/batches/components/batch-panel';
import { keyOf } from '@/features/batches/model';
import { isLeavingGuarded } from '@/lib/leave-guard';
import { batch, counts, item, serveItems } from '@/testing/batch';
import { ada } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, refuse, server, SIGNED_OUT } from '@/testing/server';
import { SHRUNK, withShrinkWorker } from '@/testing/shrink-worker';

/** Takes forms with one new photo, and notes them. */
function takeOnePhoto(report: { seenBefore?: number } = {}) {
  const sent = vi.fn<(text: string) => void>();
  server.use(
    http.post('/api/batches/batch-1/photos', async ({ request }) => {
      sent(await request.text());
      const taken = { photos: [], added: 1, known: 0, duplicates: 0, seenBefore: 0, leftOut: 0 };
      return HttpResponse.json({ ...taken, ...report });
    }),
  );
  return sent;
}

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
  expect(screen.getByText('0 of 1 file sent')).toBeVisible();
  const said = screen.getByText('1 photo was in the batch already.');
  expect(said).toBeVisible();
  expect(said.closest('[role="status"]')).not.toBeNull();
  // Another screen would forget which files wait.
  expect(isLeavingGuarded()).toBe(true);
  const sent = takeOnePhoto({ seenBefore: 1 });
  await person.click(screen.getByRole('button', { name: 'Resume' }));
  expect(await screen.findByText('1 of 1 file sent')).toBeVisible();
  expect(screen.getByText(/1 photo of these is in another batch/)).toBeVisible();
  // Resume has gone, and the focus is not left nowhere.
  expect(screen.getByRole('button', { name: 'Choose Photos' })).toHaveFocus();
  expect(sent).toHaveBeenCalledOnce();
  expect(sent.mock.lastCall?.[0]).toContain(keyOf(b));
  expect(sent.mock.lastCall?.[0]).not.toContain(keyOf(a));
});

it('sends a photo that the server does not read as JPEG, under the key of its file', async () => {
  withShrinkWorker();
  answer('get', '/api/batches/batch-1', { ...batch, state: 'open' });
  serveItems([]);
  const sent = takeOnePhoto();
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const photo = new File(['a'], 'rotor.avif', { type: 'image/avif', lastModified: 7 });
  await person.upload(await screen.findByLabelText('Photos or a zip'), photo);
  expect(await screen.findByText('1 of 1 file sent')).toBeVisible();
  expect(sent.mock.lastCall?.[0]).toContain(`Content-Type: image/jpeg\r\n\r\n${SHRUNK}`);
  expect(sent.mock.lastCall?.[0]).toContain(keyOf(photo));
});

it('says of a folder that is sent again that all of it was in the batch already', async () => {
  answer('get', '/api/batches/batch-1', { ...batch, state: 'open' });
  const [a, b] = ['a.jpg', 'b.jpg'].map((name) => new File([name], name, { type: 'image/jpeg' }));
  if (a === undefined || b === undefined) throw new Error('two files');
  serveItems([item(1, { key: keyOf(a) }), item(2, { key: keyOf(b) })]);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  await person.upload(await screen.findByLabelText('Photos or a zip'), [a, b]);
  expect(await screen.findByText('2 photos were in the batch already.')).toBeVisible();
  expect(screen.queryByText(/files? sent$/)).not.toBeInTheDocument();
});

it('counts a photo as sent whose answer was lost on the way back', async () => {
  answer('get', '/api/batches/batch-1', { ...batch, state: 'open' });
  serveItems([]);
  refuse('post', '/api/batches/batch-1/photos', { status: 503, detail: 'Lost.' });
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const photo = new File(['a'], 'a.jpg', { type: 'image/jpeg' });
  await person.upload(await screen.findByLabelText('Photos or a zip'), photo);
  serveItems([item(1, { key: keyOf(photo) })]);
  await person.click(await screen.findByRole('button', { name: 'Resume' }));
  expect(await screen.findByText('1 of 1 file sent')).toBeVisible();
  expect(screen.queryByText(/in the batch already/)).not.toBeInTheDocument();
});

it('goes on after a double click on Resume, whose second click hits Pause', async () => {
  answer('get', '/api/batches/batch-1', { ...batch, state: 'open' });
  serveItems([]);
  refuse('post', '/api/batches/batch-1/photos', { status: 503, detail: 'Too much is arriving.' });
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const photo = new File(['a'], 'a.jpg', { type: 'image/jpeg' });
  await person.upload(await screen.findByLabelText('Photos or a zip'), photo);
  const resume = await screen.findByRole('button', { name: 'Resume' });
  server.use(http.post('/api/batches/batch-1/photos', () => new Promise<never>(() => undefined)));
  fireEvent.click(resume, { detail: 1 });
  const pause = await screen.findByRole('button', { name: 'Pause' });
  fireEvent.click(pause, { detail: 2 });
  expect(pause).toBeVisible();
  await act(() => Promise.resolve());
  expect(screen.queryByRole('button', { name: 'Resume' })).not.toBeInTheDocument();
  fireEvent.click(pause, { detail: 1 });
  expect(await screen.findByRole('button', { name: 'Resume' })).toBeVisible();
});

it('says that the session ended, and goes on once the same tab is shown after a sign-in', async () => {
  answer('get', '/api/batches/batch-1', { ...batch, state: 'open' });
  serveItems([]);
  refuse('post', '/api/batches/batch-1/photos', SIGNED_OUT);
  refuse('get', '/api/auth/user', SIGNED_OUT);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const photo = new File(['a'], 'a.jpg', { type: 'image/jpeg' });
  await person.upload(await screen.findByLabelText('Photos or a zip'), photo);
  expect(await screen.findByText('Your session has ended')).toBeVisible();
  expect(screen.queryByText('Unauthorized')).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Sign In in Another Tab' })).toHaveAttribute(
    'target',
    '_blank',
  );
  const sent = vi.fn<() => void>();
  server.use(
    http.post('/api/batches/batch-1/photos', () => {
      sent();
      return HttpResponse.json({ known: 0, seenBefore: 0 });
    }),
  );
  const comeBack = () =>
    act(() => {
      window.dispatchEvent(new Event('visibilitychange'));
    });
  comeBack();
  await act(() => Promise.resolve());
  expect(screen.getByText('0 of 1 file sent')).toBeVisible();
  answer('get', '/api/auth/user', ada);
  comeBack();
  expect(await screen.findByText('1 of 1 file sent')).toBeVisible();
  expect(screen.queryByText('Your session has ended')).not.toBeInTheDocument();
  expect(sent).toHaveBeenCalledOnce();
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
  await waitFor(() => expect(names).toContain('b.jpg'));
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

it('says what of a zip was left out, and what is there twice', async () => {
  answer('get', '/api/batches/batch-1', { ...batch, state: 'open' });
  serveItems([]);
  const report = { photos: [], added: 3, known: 0, duplicates: 1, seenBefore: 0, leftOut: 2 };
  answer('post', '/api/batches/batch-1/photos', report);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const zip = new File(['z'], 'shelf.zip', { type: 'application/zip' });
  await person.upload(await screen.findByLabelText('Photos or a zip'), zip);
  expect(
    await screen.findByText('2 files left out: no photos of a kind that can be read.'),
  ).toBeVisible();
  expect(screen.getByText('1 photo is the same as another of the batch.')).toBeVisible();
});

it('takes what can be read of a folder that is dropped, and says what cannot', async () => {
  answer('get', '/api/batches/batch-1', { ...batch, state: 'open' });
  serveItems([]);
  answer('post', '/api/batches/batch-1/photos', {
    photos: [],
    added: 1,
    known: 0,
    duplicates: 0,
    seenBefore: 0,
    leftOut: 0,
  });
  const good = entryOf('good.jpg', (found) => found(new File(['a'], 'good.jpg')));
  const bad = ['bad.jpg', 'worse.jpg'].map((name) =>
    entryOf(name, (_, fail) => fail(new DOMException('Gone.', 'NotFoundError'))),
  );
  const listed = [[...bad, good], []];
  const folder = {
    isDirectory: true,
    createReader: () => ({
      readEntries: (found: (entries: object[]) => void) => found(listed.shift() ?? []),
    }),
  };
  renderScreen(<BatchPanel id="batch-1" />);
  fireEvent.drop(await screen.findByText(/^Drop photos/), {
    dataTransfer: { files: [], items: [{ webkitGetAsEntry: () => folder }] },
  });
  expect(await screen.findByText('bad.jpg and 1 more were not taken')).toBeVisible();
  expect(await screen.findByText('1 of 1 file sent')).toBeVisible();
});

it('leaves a photo out that was moved since it was chosen, and sends the rest', async () => {
  answer('get', '/api/batches/batch-1', { ...batch, state: 'open' });
  serveItems([]);
  server.use(
    http.post('/api/batches/batch-1/photos', async ({ request }) =>
      (await request.text()).includes('moved.jpg')
        ? HttpResponse.error()
        : HttpResponse.json({ known: 0, seenBefore: 0 }),
    ),
  );
  const photo = (name: string, arrayBuffer: () => Promise<ArrayBuffer>) =>
    Object.assign(new File([name], name, { type: 'image/jpeg' }), {
      slice: () => ({ arrayBuffer }),
    });
  const gone = () => Promise.reject(new DOMException('Moved.', 'NotReadableError'));
  const files = [
    photo('moved.jpg', gone),
    // Of an empty file nothing is read, and that is no failure.
    photo('empty.jpg', () => Promise.resolve(new ArrayBuffer())),
  ];
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  await person.upload(await screen.findByLabelText('Photos or a zip'), files);
  expect(await screen.findByText('moved.jpg was not taken')).toBeVisible();
  expect(await screen.findByText('1 of 1 file sent')).toBeVisible();
  expect(screen.queryByText('The upload stopped')).not.toBeInTheDocument();
});

type Read = (found: (file: File) => void, fail: (error: DOMException) => void) => void;

/** A file of a folder that is dropped, which jsdom lacks. */
const entryOf = (name: string, file: Read) => ({
  isFile: true,
  name,
  fullPath: `/pallet/${name}`,
  file,
});
