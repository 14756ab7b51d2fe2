import { expect, it } from 'vitest';
import { checkPhoto } from '@/lib/photos/photo';

const MAX_BYTES = 25 * 1024 * 1024;

const file = (type: string, size: number) =>
  Object.defineProperty(new File(['x'], 'part', { type }), 'size', { value: size });

it('takes an image', () => {
  expect(checkPhoto(file('image/webp', 10), MAX_BYTES)).toMatchObject({
    ok: true,
    photo: { name: 'part' },
  });
});

it.each(['part.heic', 'IMG_0001.HEIC', 'part.heif'])(
  'takes %s from a browser that does not know its type',
  (name) => {
    expect(checkPhoto(new File(['x'], name, { type: '' }), MAX_BYTES)).toMatchObject({
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
  ['a huge file', file('image/png', MAX_BYTES + 1), /larger than 25 MB/],
])('refuses %s and says what to do', (_, given, sentence) => {
  expect(checkPhoto(given, MAX_BYTES)).toEqual({
    ok: false,
    message: expect.stringMatching(sentence) as string,
  });
});

it('leaves the size to the server while its limit is not known', () => {
  expect(checkPhoto(file('image/png', MAX_BYTES + 1), undefined)).toMatchObject({ ok: true });
});
