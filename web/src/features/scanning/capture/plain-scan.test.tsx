import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { renderScreen } from '@/testing/render';
import { Bench, choose, photo } from '@/testing/scanning';
import { refuse, server } from '@/testing/server';

/** A scan on a network so slow that the code of its dialogs is not there yet. */

vi.mock('@/features/scanning/capture/components/scan-dialogs', () => new Promise(() => undefined));

async function choosePhoto() {
  const upload = screen.getByRole('button', { name: 'Upload from Gallery' });
  upload.focus();
  choose(photo);
  return { upload, dialog: await screen.findByRole('dialog') };
}

it('can be cancelled', async () => {
  const aborted = vi.fn();
  server.use(
    http.post('/api/identify', ({ request }) => {
      request.signal.addEventListener('abort', aborted);
      return new Promise<never>(() => undefined);
    }),
  );
  const { person } = renderScreen(<Bench />);
  const { upload, dialog } = await choosePhoto();
  expect(dialog).toHaveAccessibleName('Analyzing Part...');
  expect(dialog).toHaveAccessibleDescription('Using AI to identify your car part');
  expect(dialog).toHaveFocus();
  await person.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(upload).toHaveFocus();
  await waitFor(() => expect(aborted).toHaveBeenCalled());
});

it('says that it failed, and can be tried again', async () => {
  refuse('post', '/api/identify', { status: 422, detail: 'Unclear.' });
  const { person } = renderScreen(<Bench />);
  const { upload } = await choosePhoto();
  const failure = await screen.findByRole('dialog', { name: 'Analysis Failed' });
  expect(failure).toHaveAccessibleDescription('Unclear.');
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(upload).toHaveFocus();
  expect(screen.getByRole('button', { name: 'Scan This Photo Again' })).toBeEnabled();
});
