import { expect, it } from 'vitest';
import { switchTorch } from '@/features/scanning/capture/torch';

const streamOf = (...tracks: object[]) =>
  ({ getVideoTracks: () => tracks }) as unknown as MediaStream;

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
