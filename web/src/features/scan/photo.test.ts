import { expect, it } from 'vitest';
import { checkPhoto, PHOTO_MAX_BYTES } from '@/features/scan/photo';

const file = (type: string, size: number) =>
  Object.defineProperty(new File(['x'], 'part', { type }), 'size', { value: size });

it('takes an image', () => {
  expect(checkPhoto(file('image/webp', 10))).toMatchObject({ ok: true, photo: { name: 'part' } });
});

it.each([
  ['no file', undefined, /Choose a photo/],
  ['a text', file('text/plain', 10), /not an image/],
  ['an empty file', file('image/png', 0), /empty/],
  ['a huge file', file('image/png', PHOTO_MAX_BYTES + 1), /larger than 25 MB/],
])('refuses %s and says what to do', (_, given, sentence) => {
  expect(checkPhoto(given)).toEqual({
    ok: false,
    message: expect.stringMatching(sentence) as string,
  });
});
