import { expect, it } from 'vitest';
import { ApiError } from '@/api/api-error';
import {
  lessonSchema,
  photosRefusal,
  teachingRefusal,
} from '@/features/teaching/taught-parts/model';
import { checkForm } from '@/lib/form-schema';

const refusal = (detail: string) =>
  teachingRefusal(new ApiError(422, 'Unprocessable', 'invalid', detail, 'image', detail));

it('reads a photo that was taught before, which cannot be kept', () => {
  expect(
    refusal(
      'Photo 1 has been taught already (/api/catalog/references/0190/thumbnail). Please send another view of the part.',
    ),
  ).toMatchObject({
    message: 'Photo 1 has been taught already. Please send another view of the part.',
    photo: 0,
    pictureUrl: '/api/catalog/references/0190/thumbnail',
    resembles: null,
  });
});

it.each([
  ['Photos 1 and 3 are the same picture. Please send different views of the part.', 2],
  ['Please send 1 to 5 photos; these are 6.', null],
])('finds the photo that is meant in: %s', (detail, photo) => {
  expect(refusal(detail)).toMatchObject({ message: detail, photo, resembles: null });
});

it('says what a lesson lacks', () => {
  const photo = { blob: new Blob(['x']), name: 'a.jpg' };
  const refusalOf = (name: string, category: string) =>
    checkForm(lessonSchema(null), { name, category, shopPartId: '' });
  expect(refusalOf(' ', 'engine')).toMatchObject({ refusal: { fields: ['name'] } });
  expect(refusalOf('EGR', '')).toMatchObject({ refusal: { fields: ['category'] } });
  expect(refusalOf('EGR', 'engine').ok).toBe(true);
  expect(photosRefusal([], 9)).toMatch(/Add 1 to 5/);
  const five = Array.from({ length: 5 }, () => photo);
  expect(photosRefusal(five, 4)).toMatch(/together are larger/);
  expect(photosRefusal([photo], undefined)).toBeNull();
});
