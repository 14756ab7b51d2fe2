import { expect, it, vi } from 'vitest';
import { shrinkPhoto } from '@/lib/photos/shrink-photo';

/** A worker that makes a JPEG of more bytes of whatever it gets, and notes what that was. */
function withWorker() {
  const asked = vi.fn<(request: object) => void>();
  class FakeWorker extends EventTarget {
    postMessage(request: object) {
      asked(request);
      const data = new Blob(['x'.repeat(100)], { type: 'image/jpeg' });
      this.dispatchEvent(new MessageEvent('message', { data }));
    }
    terminate = () => undefined;
  }
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('OffscreenCanvas', Object);
  return asked;
}

const photo = (name: string, type: string) => ({ blob: new Blob(['x'], { type }), name });

it('makes a JPEG of what the server does not read, however small', async () => {
  const asked = withWorker();
  const sent = await shrinkPhoto(photo('rotor.avif', 'image/avif'));
  expect(sent).toMatchObject({ name: 'rotor.jpg', blob: { type: 'image/jpeg' } });
  expect(asked).toHaveBeenCalledWith(expect.objectContaining({ evenIfSmall: true }));
});

it.each(['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/gif', 'image/tiff', ''])(
  'leaves a small photo of type "%s" as it is',
  async (type) => {
    const asked = withWorker();
    const given = photo('rotor', type);
    expect(await shrinkPhoto(given)).toBe(given);
    expect(asked).not.toHaveBeenCalled();
  },
);
