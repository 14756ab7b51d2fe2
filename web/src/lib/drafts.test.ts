import { beforeEach, describe, expect, it, vi } from 'vitest';
import { KEPT_MS, keepFiles, takeFiles } from '@/lib/draft-files';
import { hasDraft, keepDraft, readDraft } from '@/lib/drafts';
import { forgetKeptWork } from '@/lib/kept-work';
import { keepReturnPath, takeReturnPath } from '@/lib/return-path';

const ada = { userId: 'ada', key: 'draft.teach.new' };
const bob = { ...ada, userId: 'bob' };
const photo = { blob: new Blob(['pixels'], { type: 'image/jpeg' }), name: 'front.jpg' };

beforeEach(() => {
  vi.useRealTimers();
});

it('keeps a draft for the person who typed it', () => {
  keepDraft(ada, { name: 'EGR valve' });
  expect(readDraft(bob)).toEqual({});
  expect(hasDraft(bob)).toBe(false);
  expect(readDraft(ada)).toEqual({ name: 'EGR valve' });
});

it('keeps files for the person who chose them, and gives them out once', async () => {
  await keepFiles(ada, [photo]);
  await keepFiles(ada, [{ ...photo, name: 'back.jpg' }]);
  expect(await takeFiles(bob)).toEqual([]);
  const [kept, ...others] = await takeFiles(ada);
  expect(kept).toMatchObject({ name: 'back.jpg' });
  expect(kept?.blob.type).toBe('image/jpeg');
  expect(others).toEqual([]);
  expect(await takeFiles(ada)).toEqual([]);
});

it('gives out no files that are older than a day', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await keepFiles(ada, [photo]);
  vi.setSystemTime(Date.now() + KEPT_MS + 1);
  expect(await takeFiles(ada)).toEqual([]);
});

it('leaves out a file that was moved since it was chosen, and never fails', async () => {
  const gone = new Blob(['gone']);
  gone.arrayBuffer = () => Promise.reject(new DOMException('', 'NotFoundError'));
  await keepFiles(ada, [{ blob: gone, name: 'gone.jpg' }, photo]);
  expect(await takeFiles(ada)).toMatchObject([{ name: 'front.jpg' }]);
  await keepFiles(ada, [{ blob: gone, name: 'gone.jpg' }]);
  // @ts-expect-error A browser that keeps nothing.
  globalThis.indexedDB = undefined;
  await keepFiles(ada, [photo]);
  expect(await takeFiles(ada)).toEqual([]);
});

describe('what forms kept', () => {
  beforeEach(async () => {
    for (const place of [ada, bob]) {
      keepDraft(place, { name: place.userId });
      await keepFiles(place, [photo]);
    }
    keepReturnPath('ada', '/catalog');
  });

  it('goes where another person signs in', async () => {
    await forgetKeptWork('bob');
    expect(hasDraft(ada)).toBe(false);
    expect(await takeFiles(ada)).toEqual([]);
    expect(readDraft(bob)).toEqual({ name: 'bob' });
    expect(await takeFiles(bob)).toHaveLength(1);
  });

  it('goes when somebody signs out', async () => {
    sessionStorage.setItem('dismissed-alerts', '[]');
    await forgetKeptWork(null);
    expect(hasDraft(ada) || hasDraft(bob)).toBe(false);
    expect([...(await takeFiles(ada)), ...(await takeFiles(bob))]).toEqual([]);
    expect(takeReturnPath('ada')).toBeNull();
    expect(sessionStorage).toHaveLength(1);
  });
});

describe('the way back', () => {
  it('of a session that just ended outlives that its person came, and one left over does not', async () => {
    vi.resetModules();
    const path = await import('@/lib/return-path');
    const work = await import('@/lib/kept-work');
    sessionStorage.setItem(path.RETURN_TO, JSON.stringify({ userId: 'ada', returnTo: '/history' }));
    await work.forgetKeptWork('ada');
    expect(path.takeReturnPath('ada')).toBeNull();
    path.keepReturnPath('ada', '/catalog');
    await work.forgetKeptWork('ada');
    expect(path.takeReturnPath('ada')).toBe('/catalog');
  });

  it('is for the person whose session ended, and is taken once', () => {
    keepReturnPath('ada', '/catalog?teach=new');
    expect(takeReturnPath('bob')).toBeNull();
    keepReturnPath('ada', '/catalog?teach=new');
    expect(takeReturnPath('ada')).toBe('/catalog?teach=new');
    expect(takeReturnPath('ada')).toBeNull();
    keepReturnPath(null, '/history');
    expect(takeReturnPath('bob')).toBe('/history');
  });
});
