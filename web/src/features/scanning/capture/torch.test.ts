import { expect, it, vi } from 'vitest';
import { hasTorch, switchTorch } from '@/features/scanning/capture/torch';

const applyConstraints = vi.fn(() => Promise.resolve());
const streamOf = (...tracks: object[]) =>
  ({ getVideoTracks: () => tracks }) as unknown as MediaStream;
const withTorch = streamOf({ getCapabilities: () => ({ torch: true }), applyConstraints });

it('switches the light on and off', async () => {
  expect(hasTorch(withTorch)).toBe(true);
  expect(await switchTorch(withTorch, true)).toBeNull();
  expect(applyConstraints).toHaveBeenLastCalledWith({ advanced: [{ torch: true }] });
  expect(await switchTorch(withTorch, false)).toBeNull();
  expect(applyConstraints).toHaveBeenLastCalledWith({ advanced: [{ torch: false }] });
});

it.each([
  ['the camera is off', null, 'Camera must be active to use flashlight'],
  ['there is no picture', streamOf(), 'No video track available'],
  [
    'there is no light',
    streamOf({ getCapabilities: () => ({}) }),
    'Flashlight not supported on this device',
  ],
  ['the browser knows of no lights', streamOf({}), 'Flashlight not supported on this device'],
  [
    'it fails',
    streamOf({
      getCapabilities: () => ({ torch: true }),
      applyConstraints: () => Promise.reject(new Error('too hot')),
    }),
    'Flashlight error: too hot',
  ],
])('says so when %s', async (_, stream, sentence) => {
  expect(await switchTorch(stream, true)).toBe(sentence);
});
