import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { hasUnsavedWork } from '@/hooks/unsaved-work';
import type { Photo } from '@/lib/photos/photo';
import { renderCamera } from '@/testing/camera';
import { renderScreen } from '@/testing/render';
import { Bench, choose, identified, photo } from '@/testing/scanning';

/** A large photo takes seconds to be made smaller, and a person does not wait for that. */

const shrinking = vi.hoisted((): { end: (() => void) | null } => ({ end: null }));
vi.mock('@/lib/photos/shrink-photo', () => ({
  shrinkPhoto: (large: Photo) =>
    new Promise<Photo>((resolve) => {
      shrinking.end = () => resolve(large);
    }),
}));

let sent: ReturnType<typeof identified>;
beforeEach(() => {
  shrinking.end = null;
  sent = identified();
});

async function chooseLarge() {
  choose(photo);
  await waitFor(() => expect(shrinking.end).not.toBeNull());
  return screen.getByRole('button', { name: 'Preparing...' });
}

const endPreparing = () =>
  act(async () => {
    shrinking.end?.();
    // A turn of the event loop, for what follows from it.
    await new Promise((turn) => setTimeout(turn));
  });

it('joins the photos of one part where that is asked for before it is ready', async () => {
  const { person } = renderScreen(<Bench />);
  await chooseLarge();
  await person.click(screen.getByRole('checkbox', { name: 'Several photos of one part' }));
  await endPreparing();
  expect(await screen.findByRole('button', { name: 'Scan 1 Photo' })).toBeEnabled();
  expect(sent).not.toHaveBeenCalled();
});

it('says that a photo which is dropped meanwhile was not taken', async () => {
  renderScreen(<Bench />);
  await chooseLarge();
  fireEvent.drop(screen.getByRole('region', { name: 'Scan a part' }), {
    dataTransfer: { files: [photo] },
  });
  expect(screen.getByRole('alert')).toHaveTextContent('this one was not taken');
  await endPreparing();
  expect(await screen.findByText('flow: result')).toBeVisible();
  expect(screen.getByRole('alert')).toHaveTextContent('Please add it again.');
  expect(sent).toHaveBeenCalledOnce();
});

it('leaves the focus on the button that it was chosen by', async () => {
  renderScreen(<Bench />);
  screen.getByRole('button', { name: 'Upload from Gallery' }).focus();
  const upload = await chooseLarge();
  expect(upload).toHaveFocus();
  expect(upload).toBeEnabled();
  expect(upload).toHaveAttribute('aria-disabled', 'true');
});

it('is not taken away by a session that has ended, also while it is cropped and after', async () => {
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('checkbox', { name: 'Crop before sending' }));
  expect(hasUnsavedWork()).toBe(false);
  await chooseLarge();
  expect(hasUnsavedWork()).toBe(true);
  await endPreparing();
  const dialog = await screen.findByRole('dialog');
  expect(hasUnsavedWork()).toBe(true);
  await person.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  expect(hasUnsavedWork()).toBe(true);
});

it('goes nowhere once its screen was left', async () => {
  const { unmount, onPhotos } = renderCamera();
  await chooseLarge();
  unmount();
  await endPreparing();
  expect(onPhotos).not.toHaveBeenCalled();
});
