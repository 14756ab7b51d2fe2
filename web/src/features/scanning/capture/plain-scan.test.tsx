import { fireEvent, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { Scanner } from '@/features/scanning/capture/components/scanner';
import { useScanFlow } from '@/features/scanning/capture/use-scan-flow';
import { civic } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { server } from '@/testing/server';

/** A scan on a network so slow that the code of its dialogs is not there yet. */

vi.mock('@/features/scanning/capture/components/scan-dialogs', () => new Promise(() => undefined));

function Bench() {
  const scan = useScanFlow({
    userId: 'user-1',
    vehicle: civic,
    onSignInNeeded: vi.fn(),
  });
  return <Scanner hasVehicle scan={scan} />;
}

async function choosePhoto() {
  const upload = screen.getByRole('button', { name: 'Upload from Gallery' });
  upload.focus();
  const files = [new File(['pixels'], 'rotor.png', { type: 'image/png' })];
  fireEvent.change(screen.getByLabelText('Photo of the part'), { target: { files } });
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
  server.use(
    http.post('/api/identify', () => HttpResponse.json({ detail: 'Unclear.' }, { status: 422 })),
  );
  const { person } = renderScreen(<Bench />);
  const { upload } = await choosePhoto();
  const failure = await screen.findByRole('dialog', { name: 'Analysis Failed' });
  expect(failure).toHaveAccessibleDescription('Unclear.');
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(upload).toHaveFocus();
  expect(screen.getByRole('button', { name: 'Scan This Photo Again' })).toBeEnabled();
});
