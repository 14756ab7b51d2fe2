import { expect, it, vi } from 'vitest';
import { notingContext } from '@/testing/canvas';

it('makes a large photograph smaller, over white', async () => {
  const { context, drawn } = notingContext(200, 100);
  const smaller = new Blob(['smaller']);
  let hear: (event: { data: object }) => void = () => undefined;
  const answer = new Promise((resolve) =>
    vi.stubGlobal('self', {
      addEventListener: (_: string, listener: typeof hear) => (hear = listener),
      postMessage: resolve,
    }),
  );
  vi.stubGlobal('createImageBitmap', () =>
    Promise.resolve({ width: 400, height: 200, close: () => undefined }),
  );
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext = () => context;
      convertToBlob = () => Promise.resolve(smaller);
    },
  );
  await import('@/lib/photos/shrink-worker');
  hear({ data: { photo: new Blob(['transparent']), maxSide: 200, quality: 0.9 } });
  expect(await answer).toBe(smaller);
  expect(drawn).toEqual(['white 200 x 100', 'picture']);
});
