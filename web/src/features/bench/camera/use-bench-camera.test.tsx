import { act, fireEvent, screen } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { useBenchCamera } from '@/features/bench/camera/use-bench-camera';
import { renderScreen } from '@/testing/render';

function Camera() {
  const { camera, videoRef, start } = useBenchCamera(null);
  return (
    <>
      <button onClick={() => void start(null)}>Start</button>
      <video ref={videoRef} />
      <output>{camera.state}</output>
    </>
  );
}

/** A camera that opens `slowMs` after it is asked for the second time; `unplug` ends its first stream. */
function slowCamera(slowMs: number) {
  const tracks: EventTarget[] = [];
  const getUserMedia = async () => {
    const track = Object.assign(new EventTarget(), { stop: vi.fn() });
    tracks.push(track);
    if (tracks.length > 1) await new Promise((resolve) => setTimeout(resolve, slowMs));
    return { getTracks: () => [track], getVideoTracks: () => [track] };
  };
  const enumerateDevices = () => Promise.resolve([]);
  const mediaDevices = Object.assign(new EventTarget(), { getUserMedia, enumerateDevices });
  Object.defineProperty(navigator, 'mediaDevices', { configurable: true, value: mediaDevices });
  onTestFinished(() => {
    Reflect.deleteProperty(navigator, 'mediaDevices');
  });
  return { unplug: () => tracks[0]?.dispatchEvent(new Event('ended')) };
}

it('waits for a camera that takes a while to come back', async () => {
  vi.useFakeTimers();
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
  const { unplug } = slowCamera(2500);
  renderScreen(<Camera />);
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  fireEvent.click(screen.getByRole('button', { name: 'Start' }));
  await pass(10);
  expect(screen.getByText('ready')).toBeVisible();
  act(() => void unplug());
  expect(screen.getByText('lost')).toBeVisible();
  await pass(5000);
  expect(screen.getByText('ready')).toBeVisible();
});
