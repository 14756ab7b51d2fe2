import { expect, it } from 'vitest';
import { checkPhoto, checkSize } from '@/lib/photos/photo';

const file = (type: string, size: number) =>
  Object.defineProperty(new File(['x'], 'part', { type }), 'size', { value: size });

it('takes an image', () => {
  expect(checkPhoto(file('image/webp', 10))).toMatchObject({
    ok: true,
    photo: { name: 'part' },
  });
});

it.each(['part.heic', 'IMG_0001.HEIC', 'part.heif'])(
  'takes %s from a browser that does not know its type',
  (name) => {
    expect(checkPhoto(new File(['x'], name, { type: '' }))).toMatchObject({
      ok: true,
      photo: { name },
    });
  },
);

it.each([
  ['no file', undefined, /Choose a photo/],
  ['a PDF', file('application/pdf', 10), /not a photo/],
  ['a text', file('text/plain', 10), /not a photo/],
  ['a file of no known kind', file('', 10), /not a photo/],
  [
    'a text by the name of a photo',
    new File(['x'], 'a.heic', { type: 'text/plain' }),
    /not a photo/,
  ],
  ['an empty file', file('image/png', 0), /empty/],
])('refuses %s and says what to do', (_, given, sentence) => {
  expect(checkPhoto(given)).toEqual({
    ok: false,
    message: expect.stringMatching(sentence) as string,
  });
});

it('refuses a photo over the limit of the server, where that is known', () => {
  const photo = { blob: file('image/png', 25 * 1024 * 1024 + 1), name: 'part.png' };
  expect(checkSize(photo, 25 * 1024 * 1024)).toMatchObject({
    message: expect.stringContaining('larger than 25 MB') as string,
  });
  expect(checkSize(photo, undefined)).toEqual({ ok: true, photo });
});
