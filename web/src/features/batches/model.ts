import type { Schemas } from '@/api/client';
import type { Batch, BatchItem } from '@/features/batches/queries';
import { countOf, formatCount } from '@/lib/format';

/** Photos in one form and their bytes: a form that breaks off loses little, and each costs a round trip. */
const FORM_PHOTOS = 8;
const FORM_BYTES = 20 * 1024 * 1024;

const PHOTO_NAME = /\.(jpe?g|jfif|png|webp|gif|bmp|tiff?|hei[cf]|avif)$/i;
const ZIP_NAME = /\.zip$/i;

/** What names a file of a folder: chosen again after a reload it is the same photo. */
export function keyOf(file: File): string {
  // A file that was chosen by itself has no path, and not every browser has any.
  const path = (file as { webkitRelativePath?: string }).webkitRelativePath ?? '';
  return `${path === '' ? file.name : path}|${file.size}|${file.lastModified}`;
}

/** The photos and the zips among chosen files; what is neither is left out. */
export function sorted(files: readonly File[]): { photos: File[]; zips: File[]; leftOut: number } {
  const photos = files.filter(
    ({ name, type }) => PHOTO_NAME.test(name) || type.startsWith('image/'),
  );
  const zips = files.filter(isZip);
  return { photos, zips, leftOut: files.length - photos.length - zips.length };
}

export function isZip({ name }: File): boolean {
  return ZIP_NAME.test(name);
}

/** The next files to send in one form: always one, and more while they are small; a zip alone, as it may be refused. */
export function nextForm(files: readonly File[]): File[] {
  const form: File[] = [];
  let bytes = 0;
  for (const file of files) {
    if (form.length > 0 && (isZip(file) || form.some(isZip))) break;
    if (form.length > 0 && (form.length === FORM_PHOTOS || bytes + file.size > FORM_BYTES)) break;
    form.push(file);
    bytes += file.size;
  }
  return form;
}

/** What of a typed number is searched for: less than three letters and digits are in half of all file names. */
export function searchedNumber(text: string): string {
  const characters = text.match(/[\p{L}\p{N}]/gu) ?? [];
  return characters.length < 3 ? '' : text.trim();
}

/** Which rows of a long grid are drawn: those that are seen, and some on either side. */
export function shownRows(
  { top, height }: { top: number; height: number },
  rowHeight: number,
  count: number,
  spare = 3,
): { first: number; end: number } {
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + spare);
  return { first: Math.min(first, count), end: Math.max(end, 0) };
}

/** A place in the grid: that of an item wherever it goes, and where it was last; null while it is nobody's. */
export type Place = { id: string | null; at: number };

/** What is chosen in the grid: ids of items, where the keyboard is, and where a range begins. */
export type Selection = { chosen: ReadonlySet<string>; active: Place; anchor: Place };

const FIRST: Place = { id: null, at: 0 };

export const NOTHING: Selection = { chosen: new Set(), active: FIRST, anchor: FIRST };

/** Where the item of a place is; where it was last, or nearest to that, if it is gone. */
export function foundAt({ id, at }: Place, items: readonly { id: string }[]): number {
  const found = id === null ? -1 : items.findIndex((item) => item.id === id);
  return found === -1 ? Math.min(at, items.length - 1) : found;
}

/** The place of the item that is there. */
export function placeAt(at: number, items: readonly { id: string }[]): Place {
  return { id: items[at]?.id ?? null, at };
}

type Chosen = { at: number; range?: boolean; toggle?: boolean };

/** The selection after a click or a key at an item: alone, in addition, or as a range from the last one. */
export function picked(
  selection: Selection,
  items: readonly { id: string }[],
  { at, range = false, toggle = false }: Chosen,
): Selection {
  const item = items[at];
  if (item === undefined) return selection;
  const active = { id: item.id, at };
  if (range) {
    const from = foundAt(selection.anchor, items);
    const ids = items.slice(Math.min(from, at), Math.max(from, at) + 1).map(({ id }) => id);
    return { chosen: new Set([...selection.chosen, ...ids]), active, anchor: selection.anchor };
  }
  const chosen = new Set(toggle ? selection.chosen : []);
  if (toggle && chosen.has(item.id)) chosen.delete(item.id);
  else chosen.add(item.id);
  return { chosen, active, anchor: active };
}

type Grid = { columns: number; /** Photos in view. */ seen: number; count: number };

/** Where a key leads from a place in a grid; null for a key that moves nothing. */
export function placeAfter(
  key: string,
  from: number,
  { columns, seen, count }: Grid,
): number | null {
  const places: Record<string, number> = {
    ArrowRight: from + 1,
    ArrowLeft: from - 1,
    ArrowDown: from + columns,
    ArrowUp: from - columns,
    PageDown: from + seen,
    PageUp: from - seen,
    Home: 0,
    End: count - 1,
  };
  const to = places[key];
  return to === undefined ? null : Math.min(Math.max(to, 0), count - 1);
}

/** How far down a box is scrolled, so that a row is in view: as it is where it is in view already. */
export function scrolledTo(
  { top, height }: { top: number; height: number },
  rowTop: number,
  rowHeight: number,
): number {
  if (rowTop < top) return rowTop;
  return Math.max(top, rowTop + rowHeight - height);
}

/** The answers of an item: one, or one for each photo of its group. */
export function scansOf({ scan, group }: BatchItem): Schemas['BatchAnswer'][] {
  if (group === null) return scan === null ? [] : [scan];
  return group.photos.flatMap((photo) => (photo.scan === null ? [] : [photo.scan]));
}

/** Where the whole photos of an item are, with the names of their files; without those that are not kept. */
export function wholePhotosOf({ file, scan, group }: BatchItem): { file: string; url: string }[] {
  const photos = group?.photos ?? [{ file, scan }];
  return photos.flatMap(({ file, scan }) => {
    const url = scan?.photoUrl ?? null;
    return url === null ? [] : [{ file, url }];
  });
}

/** The ids of an item's photos. */
export function photosOf({ id, group }: BatchItem): string[] {
  return group === null ? [id] : group.photos.map((photo) => photo.id);
}

/** Whether people said of all its photos what they show, and not the same: photos are joined that were corrected. */
export function isNamedDifferently(item: BatchItem): boolean {
  const said = scansOf(item).map(({ feedback }) => feedback);
  const [first] = said;
  return !said.includes(null) && said.some((one) => one?.label !== first?.label);
}

/** What an item is: by what people said of all its photos, else by what they show together; null where they disagree. */
export function partOf(item: BatchItem): { label: string; name: string } | null {
  if (isNamedDifferently(item)) return null;
  const scans = scansOf(item);
  const [first] = scans;
  if (first === undefined) return null;
  const said = scans.flatMap(({ feedback }) => feedback ?? []);
  const [word] = said;
  if (word?.label != null && said.every(({ label }) => label === word.label)) {
    return { label: word.label, name: word.name ?? word.label };
  }
  const { label, partName } = item.group?.answer ?? first;
  return { label, name: partName };
}

/** How sure it is of that: of a group, together. */
export function sureOf(item: BatchItem) {
  return isNamedDifferently(item) ? null : (item.group?.answer ?? item.scan);
}

/** Whether somebody has said of all its photos that they show no part. */
export function isNoPart(item: BatchItem): boolean {
  const scans = scansOf(item);
  return scans.length > 0 && scans.every(({ feedback }) => feedback?.answer === 'not-a-part');
}

/** What stands below the picture of an item. */
export function answerOf(item: BatchItem): string {
  if (isNoPart(item)) return 'Not a part';
  if (isNamedDifferently(item)) return 'Named differently';
  return partOf(item)?.name ?? item.problem ?? STATES[item.state];
}

/** What people did with all its answers; null while one of them is as it was given, or they disagree. */
export function checkOf(item: BatchItem): 'confirmed' | 'corrected' | null {
  const scans = scansOf(item);
  if (scans.length === 0 || scans.some(({ feedback }) => feedback === null)) return null;
  if (isNamedDifferently(item)) return null;
  return scans.every(({ feedback }) => feedback?.answer === 'right') ? 'confirmed' : 'corrected';
}

/** Why nothing can be done with chosen photos, and what to do instead. */
export type Impossible = { title: string; description: string };

/** What is said of chosen photos of which none has an answer to correct, to teach with or to grade. */
export function withoutAnswer(items: readonly BatchItem[]): Impossible {
  const nPhotos = items.flatMap(photosOf).length;
  return {
    title: `${nPhotos === 1 ? 'This photo has' : `These ${nPhotos} photos have`} no answer to correct`,
    description: [...new Set(items.map(({ state }) => INSTEAD[state]))].join(' '),
  };
}

/** The most photos that the server takes to teach at once. */
const MOST_TAUGHT = 100;

/** Why some photos cannot teach together; null where they can. */
export function teachRefusal(items: readonly BatchItem[]): Impossible | null {
  if (items.flatMap(scansOf).length <= MOST_TAUGHT) return null;
  return {
    title: `At most ${MOST_TAUGHT} photos can teach at once`,
    description: 'Choose fewer of them.',
  };
}

const TRY_AGAIN = 'Try what failed or was cancelled again, above.';
const AWAIT = 'What is on its way can be corrected once it is answered.';

const INSTEAD: Record<BatchItem['state'], string> = {
  waiting: AWAIT,
  running: AWAIT,
  // Where its scan was deleted.
  answered: 'Its answer is no longer kept.',
  // Scanned again, by itself or in another batch, it would be answered in the same way.
  'not-a-part': 'A part that was not found is taught with its photo, under Taught Parts.',
  failed: TRY_AGAIN,
  duplicate: 'Correct the photo that it is the same as.',
  cancelled: TRY_AGAIN,
};

export const STATES: Record<BatchItem['state'], string> = {
  waiting: 'Waiting',
  running: 'Being answered',
  answered: 'Answered',
  'not-a-part': 'No part found',
  failed: 'Failed',
  duplicate: 'Same photo as another',
  cancelled: 'Cancelled',
};

type Progress = Pick<Batch, 'state' | 'counts'>;

/** How many photos of a batch are through, of how many: before it is started, none. */
export function progressOf({ state, counts }: Progress): { finished: number; total: number } {
  const left = state === 'open' ? counts.total : counts.waiting + counts.running;
  return { finished: counts.total - left, total: counts.total };
}

/** How far a batch is, and what became of its photos: `12 of 30 finished: 11 answered, 1 failed`. */
export function progressText(batch: Progress): string {
  const { answered, notAPart, failed, duplicate, cancelled } = batch.counts;
  const { finished, total } = progressOf(batch);
  if (total === 0) return 'No photos yet.';
  const said = [
    answered > 0 && `${answered} answered`,
    notAPart > 0 && `${notAPart} without a part`,
    failed > 0 && `${failed} failed`,
    duplicate > 0 && `${duplicate} the same as another`,
    cancelled > 0 && `${cancelled} cancelled`,
  ].filter((text) => text !== false);
  const all = batch.state === 'open' ? countOf(total, 'photo') : `${finished} of ${total} finished`;
  return `${all}${said.length === 0 ? '' : `: ${said.join(', ')}`}`;
}

type PartType = { label: string; name: string };

/** The part types to choose from, by label, each with how many show it; the chosen one also where none does any more. */
export function typeOptions(
  types: readonly (PartType & { count: number })[],
  chosen: PartType | null,
): Map<string, string> {
  const isGone = chosen !== null && types.every(({ label }) => label !== chosen.label);
  const offered = isGone ? [...types, { ...chosen, count: 0 }] : types;
  return new Map(
    offered.map(({ label, name, count }) => [label, `${name} (${formatCount(count)})`]),
  );
}

/**
 * The types that the keys 1 to 9 answer with: those that have a key keep it, whatever is shown by now, as whoever corrects
 * many presses a number without looking. Keys that are free go to the most frequent of what is shown.
 */
export function quickTypes(
  keyed: readonly PartType[],
  items: readonly BatchItem[],
): readonly PartType[] {
  const counts = new Map<string, { name: string; count: number }>();
  for (const item of items) {
    const part = partOf(item);
    if (part === null || keyed.some(({ label }) => label === part.label)) continue;
    const count = (counts.get(part.label)?.count ?? 0) + 1;
    counts.set(part.label, { name: part.name, count });
  }
  const more = [...counts]
    .sort(([, one], [, other]) => other.count - one.count || one.name.localeCompare(other.name))
    .slice(0, Math.max(9 - keyed.length, 0))
    .map(([label, { name }]) => ({ label, name }));
  return more.length === 0 ? keyed : [...keyed, ...more];
}

export type TotalsBy = 'day' | 'person' | 'part';

type Sums = { key: string; name: string; counts: Map<string, number>; sum: number };

/** The totals of grades as a table: a row for each day, person or part, a column for each grade. */
export function sumsOf(
  totals: readonly Schemas['GradeTotal'][],
  by: TotalsBy,
): { rows: Sums[]; grades: string[] } {
  const rows = new Map<string, Sums>();
  const grades = new Set<string>();
  for (const { day, personId, person, label, partName, grade, count } of totals) {
    // Two people, or two parts of a shop, may have one name.
    const key = { day, person: personId ?? '', part: label }[by];
    const name = { day, person: person ?? 'Somebody who left', part: partName }[by];
    const row = rows.get(key) ?? { key, name, counts: new Map<string, number>(), sum: 0 };
    row.counts.set(grade, (row.counts.get(grade) ?? 0) + count);
    row.sum += count;
    rows.set(key, row);
    grades.add(grade);
  }
  return { rows: [...rows.values()], grades: [...grades].sort() };
}
