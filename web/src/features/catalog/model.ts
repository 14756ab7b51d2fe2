import { ApiError, sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { formatBytes } from '@/lib/format';
import type { Photo } from '@/lib/photos/photo';

/** Photos that one lesson takes. */
export const MAX_PHOTOS = 5;
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
  /** Where the picture of the part that it looks like is. */
  pictureUrl: string | null;
  /** Whether it may be kept all the same. */
  canAccept: boolean;
};

const PICTURE = /\/api\/catalog\/references\/[\w-]+\/thumbnail/;

/** What the server says of a lesson, with what its sentence points to. */
export function teachingRefusal(error: unknown): TeachingRefusal {
  const sentence = sentenceOf(error, 'The part could not be taught. Please try again.');
  const field = error instanceof ApiError ? error.field : null;
  const canAccept = sentence.includes('`acceptCollision`');
  const photo = /^Photos? (?:\d+ and )?(\d+) /.exec(sentence)?.[1];
  return {
    // Addresses and names of form fields are for programs.
    message: sentence
      .replace(/ \((?:see )?\/api\/[^)]*\)/, '')
      .replace(/, or set `acceptCollision` to keep it/, ''),
    field: FIELDS.find((one) => one === field) ?? null,
    photo: photo === undefined ? null : Number(photo) - 1,
    pictureUrl: PICTURE.exec(sentence)?.[0] ?? null,
    canAccept,
  };
}

/** What is missing before a lesson can be sent; null when nothing is. */
export function lessonRefusal(
  part: { name: string; category: string } | null,
  photos: Photo[],
  maxBytes: number | undefined,
): Pick<TeachingRefusal, 'message' | 'field'> | null {
  if (part !== null && part.name.trim() === '') {
    return { message: 'Name the part as you call it.', field: 'name' };
  }
  if (part !== null && part.category === '') {
    return { message: 'Choose where the part belongs.', field: 'category' };
  }
  if (photos.length === 0) {
    return { message: `Add 1 to ${MAX_PHOTOS} photos of the part.`, field: 'image' };
  }
  const bytes = photos.reduce((sum, { blob }) => sum + blob.size, 0);
  if (maxBytes !== undefined && bytes > maxBytes) {
    const message = `The photos together are larger than ${formatBytes(maxBytes)}. Remove one, or choose smaller ones.`;
    return { message, field: 'image' };
  }
  return null;
}

/** How a photo came to show a part. */
export function originOf({ kind }: Schemas['TaughtReference']): string {
  return kind === 'confirmed-scan' ? 'From a scan' : 'Taught';
}

/** Where this browser keeps the lesson of a part, by its id, or of a new one. */
export function teachDraftKey(id: string | null): string {
  return `draft.teach.${id ?? 'new'}`;
}
