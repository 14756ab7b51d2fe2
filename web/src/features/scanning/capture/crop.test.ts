import { describe, expect, it, vi } from 'vitest';
import { cropPhoto, cropPixels, moveCrop, type Crop } from '@/features/scanning/capture/crop';
import { notingContext } from '@/testing/canvas';

const middle: Crop = { left: 0.25, top: 0.25, width: 0.5, height: 0.5 };

function near(crop: Crop) {
  return {
    left: expect.closeTo(crop.left) as number,
    top: expect.closeTo(crop.top) as number,
    width: expect.closeTo(crop.width) as number,
    height: expect.closeTo(crop.height) as number,
  };
}

describe('moveCrop', () => {
  it('moves one corner and leaves the opposite one', () => {
    expect(moveCrop(middle, 'top-left', 0.1, -0.1)).toEqual(
      near({ left: 0.35, top: 0.15, width: 0.4, height: 0.6 }),
    );
    expect(moveCrop(middle, 'bottom-right', 0.1, -0.1)).toEqual(
      near({ left: 0.25, top: 0.25, width: 0.6, height: 0.4 }),
    );
  });

  it('stays inside the photograph', () => {
    expect(moveCrop(middle, 'top-right', 9, -9)).toEqual(
      near({ left: 0.25, top: 0, width: 0.75, height: 0.75 }),
    );
    expect(moveCrop(middle, 'frame', -9, 9)).toEqual(
      near({ left: 0, top: 0.5, width: 0.5, height: 0.5 }),
    );
  });

  it('leaves something to see', () => {
    expect(moveCrop(middle, 'bottom-left', 9, -9)).toEqual(
      near({ left: 0.65, top: 0.25, width: 0.1, height: 0.1 }),
    );
  });
});

it('is whole pixels inside the photograph', () => {
  expect(cropPixels(middle, 101, 3)).toEqual({ left: 25, top: 1, width: 51, height: 2 });
  expect(cropPixels({ left: 0.9, top: 0.9, width: 0.1, height: 0.1 }, 3, 3)).toEqual({
    left: 3,
    top: 3,
    width: 1,
    height: 1,
  });
});

it('is cut out over white', async () => {
  const { context, drawn } = notingContext(50, 50);
  const cut = new Blob(['cut']);
  vi.stubGlobal('createImageBitmap', () =>
    Promise.resolve({ width: 100, height: 100, close: () => undefined }),
  );
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as never);
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation((done) => done(cut));
  const photo = { blob: new Blob(['transparent']), name: 'part.png' };
  expect(await cropPhoto(photo, middle)).toEqual({ blob: cut, name: 'crop.jpg' });
  expect(drawn).toEqual(['white 50 x 50', 'picture']);
});
