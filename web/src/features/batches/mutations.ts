import { bodyOf, client, type Schemas } from '@/api/client';
import {
  isNamedDifferently,
  isNoPart,
  isZip,
  keyOf,
  partOf,
  photosOf,
  scansOf,
} from '@/features/batches/model';
import { gradesOf, type BatchItem } from '@/features/batches/queries';
import { readablePhoto } from '@/lib/photos/shrink-photo';

type Said = Schemas['NewScanFeedback'];

/** Corrections on their way at a time: the server takes more, and others use it too. */
const AT_A_TIME = 4;
/** Photos, or scans, that one call may name. */
const MOST_NAMED = 500;
/** Items of so many photos as one may have, at most, that are no more than that. */
const MOST_ARRANGED = MOST_NAMED / 5;

const path = (id: string) => ({ params: { path: { id } } });

export const batchMutations = {
  create: (body: Schemas['NewBatch'], key: string) =>
    bodyOf(client.POST('/api/batches', { params: { header: { 'Idempotency-Key': key } }, body })),
  start: (id: string) => bodyOf(client.POST('/api/batches/{id}/start', path(id))),
  cancel: (id: string) => bodyOf(client.POST('/api/batches/{id}/cancel', path(id))),
  retry: (id: string) => bodyOf(client.POST('/api/batches/{id}/retry', path(id))),
  remove: (id: string) => client.DELETE('/api/batches/{id}', path(id)),
  propose: (id: string) => bodyOf(client.POST('/api/batches/{id}/groups/propose', path(id))),
};

/** Sends photos, each under the key of its file, or one zip; a photo that the server does not read, such as AVIF, as JPEG. */
export async function sendFiles(id: string, files: File[], signal: AbortSignal) {
  const body = new FormData();
  for (const file of files) {
    if (isZip(file)) {
      body.append('zip', file, file.name);
    } else {
      const photo = await readablePhoto({ blob: file, name: file.name });
      body.append('key', keyOf(file));
      body.append('photo', photo.blob, photo.name);
    }
  }
  return bodyOf(
    client.POST('/api/batches/{id}/photos', {
      ...path(id),
      // OpenAPI has no type for a file; what travels is the form built above.
      body: { photo: files.map(({ name }) => name) },
      bodySerializer: () => body,
      signal,
    }),
  );
}

/** Adds the photos of a folder of the server. */
export const addFolder = (id: string, folder: string) =>
  bodyOf(client.POST('/api/batches/{id}/folder', { ...path(id), body: { path: folder } }));

/** What is said of some answers. */
type Correction = {
  items: BatchItem[];
  said: Said;
  /** The scans of which the items may not show yet what was said last. */
  outdated: ReadonlySet<string>;
};

/** The part that chosen answers show: one that is there, or a new one. */
export type TaughtPart = { label: string } | { name: string; category: Schemas['PartCategory'] };

/** Teaches a part with all answers of some items. */
export function teach(items: BatchItem[], part: TaughtPart) {
  const scans = items.flatMap(scansOf).map(({ id }) => id);
  return bodyOf(client.POST('/api/catalog/types/from-scans', { body: { scans, ...part } }));
}

/** Takes items out of the list of a batch, or puts them back. */
export function discard(batchId: string, items: BatchItem[], discarded: boolean) {
  return ofChunks(items.flatMap(photosOf), (ids) =>
    client.POST('/api/batches/{id}/discard', { ...path(batchId), body: { items: ids, discarded } }),
  );
}

/** Takes scans out of the list of past ones, or puts them back. */
export function discardScans(items: BatchItem[], discarded: boolean) {
  const ids = items.flatMap(scansOf).map(({ id }) => id);
  return ofChunks(ids, (scans) =>
    client.POST('/api/scans/discard', { body: { scans, discarded } }),
  );
}

/** Makes one item of several. */
export function join(batchId: string, items: BatchItem[]) {
  const body = { items: items.flatMap(photosOf) };
  return client.POST('/api/batches/{id}/groups', { ...path(batchId), body });
}

/** Takes all photos of some items apart. */
export function split(batchId: string, items: BatchItem[]) {
  return ofChunks(items.flatMap(photosOf), (ids) =>
    client.POST('/api/batches/{id}/groups/split', { ...path(batchId), body: { items: ids } }),
  );
}

/** Puts the photos of some items together as they are in these, also those that nobody had set apart. */
export async function arrange(batchId: string, items: BatchItem[]): Promise<void> {
  const arranged = items.map((item) => ({
    photos: photosOf(item),
    groupedBy: groupedByOf(item),
  }));
  for (let at = 0; at < arranged.length; at += MOST_ARRANGED) {
    const body = { items: arranged.slice(at, at + MOST_ARRANGED) };
    await client.PUT('/api/batches/{id}/groups', { ...path(batchId), body });
  }
}

function groupedByOf({ group, groupedBy }: BatchItem): Schemas['ItemGrouper'] | null {
  if (group === null) return groupedBy;
  return group.proposed ? 'proposal' : 'person';
}

/** Sets the grades of the shop, the best first. */
export const setGradeScale = (grades: string[]) =>
  bodyOf(client.PUT('/api/grades/scale', { body: { grades } }));

export type NewGrade = Schemas['NewGrade'];

/** A scan that is changed, and the item that it belongs to. */
type Target = { scan: Schemas['BatchAnswer']; item: BatchItem };

/** A scan that was changed, and when by the clock of the server: what is said of it later has another time. */
type Changed = Target & {
  at: string;
  /** The grade that it had before, where that is what was changed. */
  grade?: BatchItem['grade'];
};

/** What came of a change to many scans. */
export type Tally = { changed: Changed[]; failed: Target[]; error: unknown };

const targetsOf = (items: BatchItem[]): Target[] =>
  items.flatMap((item) => scansOf(item).map((scan) => ({ scan, item })));

/** Gives the parts of some items a grade. Without a batch it is not known what the photos of a group had before. */
export async function giveGrade(items: BatchItem[], body: NewGrade, batchId?: string) {
  // The grade of a group is that of its first photo that has one.
  const grouped = items.filter(({ group }) => group !== null).flatMap(scansOf);
  const before =
    batchId === undefined || grouped.length === 0
      ? new Map<string, BatchItem['grade']>()
      : await gradesOf(batchId, new Set(grouped.map(({ id }) => id)));
  return ofEach(targetsOf(items), async (target) => {
    const { scan, item } = target;
    const call = { ...path(scan.id), body };
    const given = await bodyOf(client.PUT('/api/scans/{id}/grade', call));
    const grade = item.group === null ? item.grade : (before.get(scan.id) ?? null);
    return { ...target, at: given.gradedAt, grade };
  });
}

/**
 * Gives each scan of a batch the grade again that it had before, or none; a grade that was given since stays. How many
 * such there are.
 */
export async function takeGradeBack(batchId: string, targets: Changed[]): Promise<number> {
  const grades = await gradesOf(batchId, new Set(targets.map(({ scan }) => scan.id)));
  const own = targets.filter(({ scan, at }) => grades.get(scan.id)?.gradedAt === at);
  await allOf(own, ({ scan, grade: before = null }) => {
    if (before === null) return client.DELETE('/api/scans/{id}/grade', path(scan.id));
    // When it was given is not ours to say.
    const { grade, damage, note } = before;
    return client.PUT('/api/scans/{id}/grade', {
      ...path(scan.id),
      body: { grade, damage, note },
    });
  });
  return targets.length - own.length;
}

async function ofChunks(ids: string[], send: (ids: string[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < ids.length; at += MOST_NAMED) await send(ids.slice(at, at + MOST_NAMED));
}

/** Says the same of many answers. That they are right is said of what stands below their pictures. */
export function correct({ items, said, outdated }: Correction): Promise<Tally> {
  return ofEach(targetsOf(items), async ({ scan, item }) => {
    const before = outdated.has(scan.id) ? await feedbackOf(scan.id) : scan.feedback;
    const { feedback } = await bodyOf(
      give(scan.id, said.answer === 'right' ? confirmed(scan, item) : said),
    );
    return { scan: { ...scan, feedback: before }, item, at: feedback.changedAt };
  });
}

/** A scan takes "right" for its own answer, which is another one where a person or its group has said otherwise. */
function confirmed(scan: Schemas['BatchAnswer'], item: BatchItem): Said {
  if (isNoPart(item)) return { answer: 'not-a-part' };
  // Nothing common stands there: each photo stays what it was called.
  const { feedback } = scan;
  if (isNamedDifferently(item) && feedback !== null && feedback.answer !== 'right') {
    return { answer: feedback.answer, ...(feedback.label !== null && { label: feedback.label }) };
  }
  const part = partOf(item);
  return part === null || part.label === scan.label
    ? { answer: 'right' }
    : { answer: 'other-part', label: part.label };
}

type Feedback = Schemas['BatchAnswer']['feedback'];

/**
 * Takes a correction back: each answer has again what was said of it before, or nothing. What somebody has said since
 * stays; of how many answers that is.
 */
export function takeBack(targets: Changed[]): Promise<number> {
  const saidAt = new Map(targets.map(({ scan, at }) => [scan.id, at]));
  return takeBackOwn(targets, ({ id }, now) => now?.changedAt === saidAt.get(id));
}

async function takeBackOwn(
  targets: Target[],
  isOwn: (scan: Schemas['BatchAnswer'], now: Feedback) => boolean,
): Promise<number> {
  let nLeft = 0;
  await allOf(targets, async ({ scan }) => {
    const { id, feedback: before } = scan;
    const now = await feedbackOf(id);
    // As it was before: another try has less to take back.
    if (now?.answer === before?.answer && now?.label === before?.label) return;
    if (!isOwn(scan, now)) {
      nLeft += 1;
    } else if (before === null) {
      await client.DELETE('/api/scans/{id}/feedback', path(id));
    } else {
      const label = before.answer === 'other-part' ? before.label : null;
      await give(id, { answer: before.answer, ...(label !== null && { label }) });
    }
  });
  return nLeft;
}

/**
 * Takes back what a part was taught with: what was refused says what it said before. A part that was made for it goes as
 * well, unless it has photos from elsewhere by now.
 */
export async function takeTeachingBack(
  items: BatchItem[],
  taught: Schemas['TaughtScans'],
  part: TaughtPart,
): Promise<number> {
  const scans = new Set(taught.taught);
  const nLeft = await takeBackOwn(
    targetsOf(items).filter(({ scan }) => scans.has(scan.id)),
    (_, now) => now?.label === taught.label,
  );
  if ('label' in part) return nLeft;
  const { references } = await bodyOf(client.GET('/api/catalog/types/{id}', path(taught.label)));
  if (references.length === 0) await client.DELETE('/api/catalog/types/{id}', path(taught.label));
  return nLeft;
}

async function feedbackOf(id: string): Promise<Feedback> {
  return (await bodyOf(client.GET('/api/scans/{id}', path(id)))).feedback;
}

function give(id: string, body: Said) {
  // One that is on its way arrives also where the page is closed.
  return client.POST('/api/scans/{id}/feedback', { ...path(id), body, keepalive: true });
}

/** Changes each, also after one that fails; fails itself only where none was changed. */
async function ofEach<One extends Target>(
  targets: One[],
  change: (target: One) => Promise<Changed>,
): Promise<Tally> {
  const tally: Tally = { changed: [], failed: [], error: null };
  const left = [...targets];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      try {
        tally.changed.push(await change(next));
      } catch (error) {
        tally.failed.push(next);
        tally.error = error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  if (tally.changed.length === 0 && tally.failed.length > 0) throw tally.error;
  return tally;
}

async function allOf<One extends Target>(
  targets: One[],
  change: (target: One) => Promise<unknown>,
) {
  const { failed, error } = await ofEach(targets, async (target) => {
    await change(target);
    return { ...target, at: '' };
  });
  if (failed.length > 0) throw error;
}
