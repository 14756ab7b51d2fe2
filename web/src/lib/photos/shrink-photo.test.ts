import { expect, it } from 'vitest';
import { readablePhoto, shrinkPhoto } from '@/lib/photos/shrink-photo';
import { withShrinkWorker } from '@/testing/shrink-worker';

const photo = (name: string, type: string) => ({ blob: new Blob(['x'], { type }), name });

it('makes a JPEG of what the server does not read, however small', async () => {
  const asked = withShrinkWorker();
  const sent = await shrinkPhoto(photo('rotor.avif', 'image/avif'));
  expect(sent).toMatchObject({ name: 'rotor.jpg', blob: { type: 'image/jpeg' } });
  expect(asked).toHaveBeenCalledWith(expect.objectContaining({ evenIfSmall: true }));
});

it.each(['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/gif', 'image/tiff', ''])(
  'leaves a small photo of type "%s" as it is',
  async (type) => {
    const asked = withShrinkWorker();
    const given = photo('rotor', type);
    expect(await shrinkPhoto(given)).toBe(given);
    expect(asked).not.toHaveBeenCalled();
  },
);

it('leaves what the server reads at its size where all its pixels count', async () => {
  const asked = withShrinkWorker();
  const large = { blob: new Blob([new Uint8Array(2_000_000)], { type: 'image/jpeg' }), name: 'a' };
  expect(await readablePhoto(large)).toBe(large);
  expect(asked).not.toHaveBeenCalled();
  expect(await readablePhoto(photo('vin.avif', 'image/avif'))).toMatchObject({ name: 'vin.jpg' });
});
