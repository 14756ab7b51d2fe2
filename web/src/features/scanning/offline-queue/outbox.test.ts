import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, UnreachableError } from '@/api/api-error';
import { OtherPersonError, Outbox, outcomeOf } from '@/features/scanning/offline-queue/outbox';
import {
  addWaiting,
  listWaiting,
  removeWaiting,
  updateWaiting,
} from '@/features/scanning/offline-queue/store';
import { rotorResult, waitingScan } from '@/testing/fixtures';

/** The sentences of the server by their names. */
const MESSAGES = readFileSync(
  join(
    import.meta.dirname,
    '../../../../../crates/domain/src/snapshots/partsight_domain__messages__tests__the_catalogue_of_messages_is_as_reviewed.snap',
  ),
  'utf8',
);
const gone = (name: string) => {
  const [, sentence] = new RegExp(`^${name}_NOT_FOUND: (.+)$`, 'm').exec(MESSAGES) ?? [];
  return refusal(404, sentence);
};

const refusal = (status: number, detail = '') =>
  new ApiError(status, 'Status', 'code', detail, null, detail);

beforeEach(async () => {
  for (const [n, id] of ['first', 'second', 'third'].entries()) {
    await addWaiting({ ...waitingScan, id, takenAt: n });
  }
});

const left = async () =>
  (await listWaiting('user-1')).map(({ id, refusal }) => [id, refusal?.message ?? null]);

it('sends one after another and tells of each answer', async () => {
  const outbox = new Outbox();
  const seen: (string | null)[] = [];
  const told = vi.fn();
  await outbox.flush(
    'user-1',
    ({ id }) => {
      seen.push(id === outbox.snapshot().sending ? id : null);
      return Promise.resolve(rotorResult);
    },
    told,
  );
  expect(seen).toEqual(['first', 'second', 'third']);
  expect(told).toHaveBeenCalledTimes(3);
  expect(await left()).toEqual([]);
  expect(outbox.snapshot()).toMatchObject({ sending: null, waitingFor: null });
});

it.each([
  ['the server is away', new UnreachableError(null), 'unreachable'],
  ['the server is busy', refusal(503), 'busy'],
  ['the server is still at it', refusal(409), 'busy'],
  ['the session has ended', refusal(401), 'signed-out'],
  ['somebody else is signed in', new OtherPersonError(), 'signed-out'],
  ['the allowance is used up', refusal(429), 'used-up'],
  ['a server of another version answers', refusal(404, 'There is no such call.'), 'busy'],
])('lets all wait while %s', async (_, error, reason) => {
  const outbox = new Outbox();
  const identify = vi.fn(() => Promise.reject(error));
  await outbox.flush('user-1', identify, vi.fn());
  expect(identify).toHaveBeenCalledOnce();
  expect(outbox.snapshot()).toEqual({ sending: null, waitingFor: reason, retryAfter: null });
  expect(outbox.isDue()).toBe(true);
  expect(await left()).toEqual([
    ['first', null],
    ['second', null],
    ['third', null],
  ]);
});

it('waits as long as the server asks for', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const busy = new ApiError(503, 'Service Unavailable', 'busy', '', null, '', 90);
  const outbox = new Outbox();
  await outbox.flush('user-1', () => Promise.reject(busy), vi.fn());
  expect(outbox.snapshot()).toMatchObject({ waitingFor: 'busy', retryAfter: 90 });
  vi.advanceTimersByTime(89_000);
  expect(outbox.isDue()).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(outbox.isDue()).toBe(true);
  await outbox.flush('user-1', () => Promise.resolve(rotorResult), vi.fn());
  expect(outbox.snapshot()).toMatchObject({ waitingFor: null, retryAfter: null });
  vi.useRealTimers();
});

it('keeps what is refused with the reason, sends the others, and leaves it to the person', async () => {
  const outbox = new Outbox();
  const identify = vi.fn(({ id }: { id: string }) =>
    id === 'second' ? Promise.reject(refusal(422, 'Too dark.')) : Promise.resolve(rotorResult),
  );
  await outbox.flush('user-1', identify, vi.fn());
  expect(await left()).toEqual([['second', 'Too dark.']]);
  await outbox.flush('user-1', identify, vi.fn());
  expect(identify).toHaveBeenCalledTimes(3);
});

it('sends none that was deleted or refused since the round began', async () => {
  const identify = vi.fn<(scan: { id: string }) => Promise<typeof rotorResult>>(async () => {
    await removeWaiting('second');
    await updateWaiting('third', { refusal: { message: 'Too dark.', vehicleGone: false } });
    return rotorResult;
  });
  await new Outbox().flush('user-1', identify, vi.fn());
  expect(identify.mock.calls.map(([{ id }]) => id)).toEqual(['first']);
  expect(await left()).toEqual([['third', 'Too dark.']]);
});

it('sends nothing of somebody else', async () => {
  const identify = vi.fn(() => Promise.resolve(rotorResult));
  await new Outbox().flush('user-2', identify, vi.fn());
  expect(identify).not.toHaveBeenCalled();
});

it('sends each once when it is asked twice at a time', async () => {
  const outbox = new Outbox();
  const identify = vi.fn(() => Promise.resolve(rotorResult));
  await Promise.all([1, 2].map(() => outbox.flush('user-1', identify, vi.fn())));
  expect(identify).toHaveBeenCalledTimes(3);
});

it('sends one that is retried while another is sent once that one is answered', async () => {
  await updateWaiting('first', { refusal: { message: 'Too dark.', vehicleGone: false } });
  const outbox = new Outbox();
  const sent: string[] = [];
  const identify = async ({ id }: { id: string }) => {
    sent.push(id);
    if (id === 'second') {
      await updateWaiting('first', { refusal: null });
      await outbox.flush('user-1', identify, vi.fn());
    }
    return rotorResult;
  };
  await outbox.flush('user-1', identify, vi.fn());
  expect(sent).toEqual(['second', 'third', 'first']);
  expect(await left()).toEqual([]);
});

it('knows a vehicle that was deleted', () => {
  expect(outcomeOf(gone('VEHICLE'))).toMatchObject({ refusal: { vehicleGone: true } });
});

it('keeps no photo whose scan was answered and deleted, and tells of it', async () => {
  const identify = vi.fn(({ id }: { id: string }) =>
    id === 'second' ? Promise.reject(gone('SCAN')) : Promise.resolve(rotorResult),
  );
  const deleted = vi.fn();
  await new Outbox().flush('user-1', identify, vi.fn(), deleted);
  expect(deleted).toHaveBeenCalledOnce();
  expect(await left()).toEqual([]);
});

it('leaves it to the screen that lists a photo to tell that its scan was deleted', async () => {
  await updateWaiting('second', { isListed: true });
  const outbox = new Outbox();
  const deleted = vi.fn();
  await outbox.flush('user-1', () => Promise.reject(gone('SCAN')), vi.fn(), deleted);
  expect(deleted).toHaveBeenCalledTimes(2);
  expect([...outbox.deleted]).toEqual(['second']);
  expect(await left()).toEqual([]);
});

describe('beside another tab', () => {
  afterEach(() => void Reflect.deleteProperty(navigator, 'locks'));

  it('says that the other one sends', async () => {
    const request = (_: string, __: object, run: (lock: null) => unknown) => run(null);
    Object.defineProperty(navigator, 'locks', { value: { request }, configurable: true });
    const outbox = new Outbox();
    const identify = vi.fn(() => Promise.resolve(rotorResult));
    await outbox.flush('user-1', identify, vi.fn());
    expect(identify).not.toHaveBeenCalled();
    expect(outbox.snapshot()).toMatchObject({ sending: null, waitingFor: 'another-tab' });
  });
});
