import { act, fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { DISCONNECTED_REASON } from '@/features/scanning/capture/camera-machine';
import { provideCamera, renderCamera } from '@/testing/camera';

it('takes one photo on a double tap', async () => {
  const stream = { getTracks: () => [], getVideoTracks: () => [] };
  provideCamera(() => Promise.resolve(stream));
  vi.spyOn(HTMLVideoElement.prototype, 'play').mockResolvedValue();
  vi.spyOn(HTMLVideoElement.prototype, 'videoWidth', 'get').mockReturnValue(64);
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
  const encoded = vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockReturnValue();
  const { onPhotos } = renderCamera();
  fireEvent.click(screen.getByRole('button', { name: 'Start Camera' }));
  expect(await screen.findByText('Video Ready')).toBeVisible();

  const button = screen.getByRole('button', { name: 'Capture' });
  fireEvent.click(button);
  fireEvent.click(button);
  expect(button).toHaveTextContent('Processing...');
  expect(encoded).toHaveBeenCalledOnce();
  await act(async () => {
    encoded.mock.calls[0]?.[0](new Blob(['pixels']));
    await Promise.resolve();
  });
  expect(onPhotos).toHaveBeenCalledOnce();
});

it('has a flashlight where the camera has one, and says when it fails', async () => {
  const applyConstraints = vi
    .fn<(constraints: object) => Promise<void>>()
    .mockResolvedValueOnce()
    .mockRejectedValue(new Error('too hot'));
  const track = {
    getCapabilities: () => ({ torch: true }),
    applyConstraints,
    addEventListener: vi.fn(),
    stop: vi.fn(),
  };
  provideCamera(() => Promise.resolve({ getTracks: () => [track], getVideoTracks: () => [track] }));
  vi.spyOn(HTMLVideoElement.prototype, 'play').mockResolvedValue();
  const { person } = renderCamera();
  expect(screen.queryByRole('button', { name: 'Flashlight' })).not.toBeInTheDocument();
  await person.click(screen.getByRole('button', { name: 'Start Camera' }));
  const light = await screen.findByRole('button', { name: 'Flashlight' });
  await person.click(light);
  expect(light).toHaveAttribute('aria-pressed', 'true');
  expect(applyConstraints).toHaveBeenLastCalledWith({ advanced: [{ torch: true }] });
  await person.click(light);
  expect(await screen.findByRole('alert')).toHaveTextContent('Flashlight error: too hot');
  expect(applyConstraints).toHaveBeenLastCalledWith({ advanced: [{ torch: false }] });
});

it('says that the camera was turned off, lets go of it, and starts it again', async () => {
  const track = Object.assign(new EventTarget(), { stop: vi.fn() });
  const stream = { getTracks: () => [track], getVideoTracks: () => [track] };
  const getUserMedia = vi.fn(() => Promise.resolve(stream));
  provideCamera(getUserMedia);
  vi.spyOn(HTMLVideoElement.prototype, 'play').mockResolvedValue();
  const { person } = renderCamera();
  await person.click(screen.getByRole('button', { name: 'Start Camera' }));
  expect(await screen.findByText('Video Ready')).toBeVisible();
  act(() => {
    track.dispatchEvent(new Event('ended'));
  });
  expect(screen.getByRole('alert')).toHaveTextContent(`Camera error: ${DISCONNECTED_REASON}`);
  expect(screen.getByRole('button', { name: 'Capture' })).toBeDisabled();
  // A picture that is held on would keep the page from a new version.
  expect(document.querySelector('video')?.srcObject).toBeNull();
  await person.click(screen.getByRole('button', { name: 'Start Camera' }));
  expect(await screen.findByText('Video Ready')).toBeVisible();
  expect(getUserMedia).toHaveBeenCalledTimes(2);
});
