import * as z from 'zod/mini';
import { ApiError, sentenceOf, type ResembledPart } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { CATEGORIES } from '@/api/part-category';
import type { Lesson } from '@/features/teaching/taught-parts/mutations';
import { formatBytes } from '@/lib/format';
import { isFilled, optionalText, rule, textThat } from '@/lib/form-schema';
import type { Photo } from '@/lib/photos/photo';

/** Photos that one lesson takes. */
export const MAX_PHOTOS = 5;
/** The longest name that the server takes, in characters. */
export const NAME_MAX_LENGTH = 60;

/** The fields of a lesson that a refusal may name. */
const FIELDS = ['name', 'category', 'partId', 'image'] as const;

/** Why a lesson was not taken. */
export type TeachingRefusal = {
  message: string;
  /** The form's field that is meant, if one is. */
  field: (typeof FIELDS)[number] | null;
  /** Which of the sent photos is meant, from 0. */
  photo: number | null;
  /** Where the picture of the photo that it is a copy of is. */
  pictureUrl: string | null;
  /** The part that it looks like: a question, and no error. */
  resembles: ResembledPart | null;
};

const PICTURE = /\/api\/catalog\/references\/[\w-]+\/thumbnail/;

/** What the server says of a lesson, with what its sentence points to. */
export function teachingRefusal(error: unknown): TeachingRefusal {
  const sentence = sentenceOf(error, 'The part could not be taught. Please try again.');
  const field = error instanceof ApiError ? error.field : null;
  const resembles = error instanceof ApiError ? error.resembles : null;
  const photo = resembles?.photo ?? /^Photos? (?:\d+ and )?(\d+) /.exec(sentence)?.[1];
  return {
    // Addresses are for programs.
    message: sentence.replace(/ \(\/api\/[^)]*\)/, ''),
    field: FIELDS.find((one) => one === field) ?? null,
    photo: photo === undefined ? null : Number(photo) - 1,
    pictureUrl: PICTURE.exec(sentence)?.[0] ?? null,
    resembles,
  };
}

/** What is asked of a photo that looks like another part. */
export function resemblanceText({ photo, name }: ResembledPart): string {
  return `Photo ${photo} looks like ${name}. If it does show this part, keep it. A scan then says that it is one of the two, with the number and the note of each, and leaves it to you which.`;
}

/** Which part the photos show: `known`, or a new one with a name and a category. */
export const lessonSchema = (known: { id: string } | null) =>
  z.pipe(
    z.object({
      name: textThat(
        rule((typed) => known !== null || isFilled(typed), 'Name the part as you call it.'),
      ),
      category: z.pipe(
        z
          .string()
          .check(
            rule(
              (typed) => known !== null || categoryOf(typed) !== undefined,
              'Choose where the part belongs.',
            ),
          ),
        z.transform(categoryOf),
      ),
      shopPartId: optionalText,
    }),
    z.transform(({ name, category, shopPartId }): Pick<Lesson, 'part' | 'shopPartId'> => ({
      part: known !== null || category === undefined ? { id: known?.id ?? '' } : { name, category },
      shopPartId,
    })),
  );

/** Another name and category of a part that was taught. */
export const typeChangeSchema = z.object({
  name: textThat(rule(isFilled, 'Name the part as you call it.')),
  category: z.string(),
});

function categoryOf(typed: string): Schemas['PartCategory'] | undefined {
  return CATEGORIES.find((one) => one === typed);
}

/** What is wrong with the photos of a lesson before they are sent; null when nothing is. */
export function photosRefusal(photos: Photo[], maxBytes: number | undefined): string | null {
  if (photos.length === 0) return `Add 1 to ${MAX_PHOTOS} photos of the part.`;
  const bytes = photos.reduce((sum, { blob }) => sum + blob.size, 0);
  if (maxBytes === undefined || bytes <= maxBytes) return null;
  return `The photos together are larger than ${formatBytes(maxBytes)}. Remove one, or choose smaller ones.`;
}

/** How a photo came to show a part. */
export function originOf({ kind }: Schemas['TaughtReference']): string {
  return kind === 'confirmed-scan' ? 'From a scan' : 'Taught';
}

/** Where this browser keeps the lesson of a part, by its id, or of a new one. */
export function teachDraftKey(id: string | null): string {
  return `draft.teach.${id ?? 'new'}`;
}

/** Where this browser keeps another name and category of a part, by its id. */
export function changeDraftKey(id: string): string {
  return `draft.change-type.${id}`;
}
