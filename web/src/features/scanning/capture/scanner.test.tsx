import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { listWaiting } from '@/features/scanning/offline-queue/store';
import { notingContext } from '@/testing/canvas';
import { rotorResult } from '@/testing/fixtures';
import { escape, renderScreen } from '@/testing/render';
import { hasUnsavedWork } from '@/hooks/unsaved-work';
import { isLeavingGuarded } from '@/lib/leave-guard';
import { Bench, choose, identified, photo, png, thumbnails } from '@/testing/scanning';
import { answer, noteForm, refuse, server, settings } from '@/testing/server';

it('shows how to photograph a part to those who ask', async () => {
  const { person } = renderScreen(<Bench />);
  const ask = screen.getByRole('button', { name: 'How to photograph a part' });
  expect(ask).toHaveAttribute('aria-expanded', 'false');
  await person.click(ask);
  const hints = within(await screen.findByRole('list', { name: 'How to photograph a part' }));
  expect(hints.getAllByRole('img')).toHaveLength(6);
  expect(ask).toHaveAttribute('aria-expanded', 'true');
});

it('sends the photo with the vehicle', async () => {
  const sent = noteForm('/api/identify', rotorResult);
  renderScreen(<Bench />);
  choose(photo);
  await waitFor(() => {
    expect(screen.getByText('flow: result')).toBeVisible();
  });
  expect(screen.getByText('Identified: Brake Rotor, 94% match.')).toHaveAttribute(
    'aria-live',
    'polite',
  );
  const form = sent.mock.calls[0]?.[0];
  expect(form?.get('image')).toMatchObject({ size: photo.size, type: 'image/png' });
  expect(form?.get('vehicleId')).toBe('vehicle-1');
  expect(form?.get('vehicleInfo')).toBe('{"make":"Honda","model":"Civic","year":2015}');
});

it.each([
  [
    'dropped',
    () =>
      fireEvent.drop(screen.getByRole('region', { name: 'Scan a part' }), {
        dataTransfer: { files: [photo] },
      }),
  ],
  ['pasted', () => fireEvent.paste(document.body, { clipboardData: { files: [photo] } })],
])('takes a photo that is %s', async (_, bring) => {
  answer('post', '/api/identify', rotorResult);
  renderScreen(<Bench />);
  bring();
  expect(await screen.findByText('flow: result')).toBeVisible();
});

it.each(['Cancel', 'Escape'])(
  'aborts the request on %s, without an error, and keeps the photo at hand',
  async (by) => {
    const [arrived, aborted] = [vi.fn(), vi.fn()];
    server.use(
      http.post('/api/identify', ({ request }) => {
        arrived();
        request.signal.addEventListener('abort', aborted);
        return new Promise<never>(() => undefined);
      }),
    );
    const { person, container } = renderScreen(<Bench />);
    choose(photo);
    // What stands in for the dialog, in the screen itself, until its code is there hears no keys.
    const dialog = await waitFor(() => {
      const shown = screen.getByRole('dialog', { name: 'Analyzing Part...' });
      expect(container).not.toContainElement(shown);
      return shown;
    });
    expect(dialog).toHaveTextContent('Using AI to identify your car part');
    // One that is aborted before it arrives tells nobody.
    await waitFor(() => expect(arrived).toHaveBeenCalled());
    await (by === 'Escape'
      ? escape(dialog)
      : person.click(screen.getByRole('button', { name: 'Cancel' })));
    await waitFor(() => expect(aborted).toHaveBeenCalled());
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Scan This Photo Again' })).toBeEnabled();
  },
);

it('explains a failure, offers the same photo again and gives the focus back', async () => {
  refuse('post', '/api/identify', {
    status: 422,
    code: 'not-identified',
    detail: "We couldn't identify this part. Try adjusting the lighting or angle.",
  });
  const { person } = renderScreen(<Bench />);
  expect(hasUnsavedWork()).toBe(false);
  const upload = screen.getByRole('button', { name: 'Upload from Gallery' });
  upload.focus();
  choose(photo);
  expect(await screen.findByRole('dialog', { name: 'Analysis Failed' })).toHaveTextContent(
    "We couldn't identify this part. Try adjusting the lighting or angle.",
  );
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(screen.getByRole('button', { name: 'Scan This Photo Again' })).toBeEnabled();
  expect(hasUnsavedWork()).toBe(true);
  await waitFor(() => expect(upload).toHaveFocus());
});

it('asks before gathered photos are left', async () => {
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByLabelText('Several photos of one part'));
  expect(isLeavingGuarded()).toBe(false);
  choose(photo);
  await waitFor(() => expect(isLeavingGuarded()).toBe(true));
});

it('gives no advice for photographing where the file is damaged', async () => {
  refuse('post', '/api/identify', { status: 422, code: 'invalid', detail: 'It is damaged.' });
  renderScreen(<Bench />);
  choose(photo);
  const dialog = await screen.findByRole('dialog', { name: 'Analysis Failed' });
  expect(dialog).toHaveTextContent('It is damaged.');
  // The dialog proper, which gives advice, has taken the place of the plain one.
  await waitFor(() => expect(screen.getByRole('dialog')).toHaveAttribute('data-state', 'open'));
  expect(screen.getByRole('dialog')).not.toHaveTextContent(/Photograph one part|Teach it/);
  const several = screen.queryByRole('button', { name: 'Look for Several Parts' });
  expect(several).not.toBeInTheDocument();
});

it('asks to sign in when the session has ended, and keeps the photo for after it', async () => {
  const sent = identified(() =>
    HttpResponse.json({ code: 'not-signed-in', detail: 'Unauthorized' }, { status: 401 }),
  );
  const onSignInNeeded = vi.fn();
  renderScreen(<Bench onSignInNeeded={onSignInNeeded} />);
  choose(photo);
  await waitFor(() => expect(onSignInNeeded).toHaveBeenCalledWith('Please sign in to scan parts'));
  // The photo is sent after the sign-in, which takes the page away, and as the same scan.
  expect(await listWaiting('user-1')).toMatchObject([
    { id: sent.mock.calls[0]?.[1], photos: [{ name: 'rotor.png' }], refusal: null },
  ]);
});

it('leads nobody away from a photo that this browser cannot keep', async () => {
  vi.stubGlobal('indexedDB', {
    open: () => {
      throw new DOMException('Storage is blocked.', 'SecurityError');
    },
  });
  identified(() => HttpResponse.json({ detail: 'Unauthorized' }, { status: 401 }));
  const onSignInNeeded = vi.fn();
  const { person } = renderScreen(<Bench onSignInNeeded={onSignInNeeded} />);
  choose(photo);
  expect(await screen.findByRole('dialog', { name: 'Analysis Failed' })).toHaveTextContent(
    /Please sign in to scan parts.*would lose what you photographed/,
  );
  expect(await screen.findByRole('link', { name: 'Sign in in another tab' })).toHaveAttribute(
    'target',
    '_blank',
  );
  expect(onSignInNeeded).not.toHaveBeenCalled();
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  await person.click(screen.getByRole('button', { name: 'Scan This Photo Again' }));
  expect(await screen.findByText('flow: result')).toBeVisible();
  vi.unstubAllGlobals();
});

it('needs a vehicle first', async () => {
  const { person } = renderScreen(<Bench vehicle={null} />);
  expect(screen.getByRole('button', { name: 'Vehicle Required' })).toBeDisabled();
  await person.click(screen.getByRole('button', { name: 'Upload from Gallery' }));
  expect(screen.getByRole('alert')).toHaveTextContent('Please select a vehicle first');
});

it('refuses a photo over the limit of the server before it is sent', async () => {
  answer('get', '/api/settings', { ...settings, maxPhotoBytes: 2048 });
  const { queryClient } = renderScreen(<Bench />);
  await waitFor(() => expect(queryClient.getQueryData(['settings'])).toBeDefined());
  choose(new File(['x'.repeat(2049)], 'big.png', { type: 'image/png' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('larger than 2 KB');
});

it('says why the camera is not there on an insecure page', async () => {
  const { person } = renderScreen(<Bench />);
  expect(screen.getByRole('status')).toHaveTextContent('Ready');
  await person.click(screen.getByRole('button', { name: 'Start Camera' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(/^Camera error: .*HTTPS/);
  expect(screen.getByRole('status')).toHaveTextContent('Error');
  choose(new File(['text'], 'notes.txt', { type: 'text/plain' }));
  expect(screen.getByRole('alert')).toHaveTextContent('This is not a photo:');
  await person.click(screen.getByRole('button', { name: 'Start Camera' }));
  expect(await screen.findByText(/^Camera error: /)).toBeVisible();
});

it('crops a photo by keys before it is sent, once that is asked for', async () => {
  const sent = noteForm('/api/identify', rotorResult);
  const drawImage = vi.fn();
  vi.stubGlobal('createImageBitmap', () =>
    Promise.resolve({ width: 100, height: 200, close: vi.fn() }),
  );
  const { context } = notingContext(90, 176);
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({
    ...context,
    drawImage,
  } as never);
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation((done) =>
    done(new Blob(['part'], { type: 'image/jpeg' })),
  );
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('checkbox', { name: 'Crop before sending' }));
  choose(photo);
  const dialog = await screen.findByRole('dialog', { name: 'Crop the Photo' });
  expect(screen.getByRole('button', { name: 'Crop and Scan' })).toBeDisabled();
  screen.getByRole('button', { name: 'Top left corner' }).focus();
  await person.keyboard('{Shift>}{ArrowRight}{ArrowDown}{/Shift}{ArrowDown}');
  expect(dialog).toHaveTextContent('90% of the width, 88% of the height');
  screen.getByRole('button', { name: 'Move the frame' }).focus();
  await person.keyboard('{ArrowLeft}');
  expect(dialog).toHaveTextContent('8% from the left, 12% from the top');
  await person.keyboard('{ArrowRight}');
  await person.click(screen.getByRole('button', { name: 'Crop and Scan' }));
  await waitFor(() => expect(sent).toHaveBeenCalled());
  expect(drawImage.mock.calls[0]?.slice(1)).toEqual([10, 24, 90, 176, 0, 0, 90, 176]);
  expect(sent.mock.calls[0]?.[0].get('image')).toMatchObject({ type: 'image/jpeg', size: 4 });
  vi.unstubAllGlobals();
  localStorage.clear();
});

it('has a photo at hand that was to be cropped, and then was not', async () => {
  const sent = identified();
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('checkbox', { name: 'Crop before sending' }));
  choose(photo);
  const cancel = async () => {
    const dialog = await screen.findByRole('dialog', { name: 'Crop the Photo' });
    await person.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  };
  await cancel();
  await person.click(screen.getByRole('checkbox', { name: 'Several photos of one part' }));
  expect(thumbnails()).toHaveLength(1);
  choose(png('back.png'));
  await cancel();
  expect(thumbnails()).toHaveLength(2);
  await person.click(screen.getByRole('button', { name: 'Crop photo 2' }));
  await cancel();
  expect(thumbnails()).toHaveLength(2);
  expect(sent).not.toHaveBeenCalled();
});
