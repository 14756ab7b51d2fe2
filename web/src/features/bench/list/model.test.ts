import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import {
  answerOf,
  benchList,
  binOf,
  csvOf,
  currentOf,
  lastTakenOut,
  left,
  MOST_LINES,
  nameOf,
  spokenOf,
  standingOf,
  type BenchEvent,
  type BenchLine,
} from '@/features/bench/list/model';
import { keepList, readList } from '@/features/bench/list/store';
import { rotorResult, tieView } from '@/testing/fixtures';

const added = (key: string, bin = ''): BenchEvent => ({
  type: 'added',
  key,
  at: Date.UTC(2026, 10, 25, 9, 30),
  bin,
  thumb: 'data:image/jpeg;base64,AA',
});
const answered = (key: string): BenchEvent => ({
  type: 'changed',
  key,
  answer: answerOf(rotorResult),
});
const after = (...events: BenchEvent[]) => events.reduce<BenchLine[]>(benchList, []);
const only = (lines: BenchLine[]) => {
  const [line] = lines;
  if (line === undefined) throw new Error('the list is empty');
  return line;
};

it('counts the parts, also past one that was taken out', () => {
  const lines = after(added('a'), added('b'), { type: 'taken-out', key: 'b', at: 5 }, added('c'));
  expect(lines.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(currentOf(lines)?.key).toBe('c');
  expect(lastTakenOut(lines)?.key).toBe('b');
});

it('puts back what was taken out, and forgets what is gone', () => {
  const out = after(added('a'), answered('a'), { type: 'taken-out', key: 'a', at: 5 });
  expect(currentOf(out)).toBeNull();
  expect(currentOf(benchList(out, { type: 'put-back', key: 'a' }))?.key).toBe('a');
  expect(benchList(out, { type: 'gone', key: 'a' })).toEqual([]);
});

it('neither counts nor puts back what goes for good, and keeps it until its scan is deleted', () => {
  const out = after(added('a'), added('b'), { type: 'taken-out', key: 'b', at: 5 });
  const begun = benchList(out, { type: 'cleared' });
  expect(begun.map(({ key }) => key)).toEqual(['b']);
  expect(lastTakenOut(begun)).toBeNull();
  expect(currentOf(benchList(begun, { type: 'put-back', key: 'b' }))).toBeNull();
  expect(currentOf(benchList(begun, added('c')))?.number).toBe(1);
  expect(lastTakenOut(benchList(out, { type: 'going', key: 'b' }))).toBeNull();
  // It was put back just before.
  expect(lastTakenOut(benchList(out, { type: 'going', key: 'a' }))?.key).toBe('b');
});

it('takes what a person says over the answer, and back', () => {
  const said = after(added('a'), answered('a'), {
    type: 'said',
    key: 'a',
    said: { label: 'rim', name: 'Rim' },
  });
  expect(nameOf(only(said))).toBe('Rim');
  expect(standingOf(only(said))).toBe('Confirmed by you');
  const back = benchList(said, { type: 'said', key: 'a', said: undefined });
  expect(nameOf(only(back))).toBe(rotorResult.identification.partName);
  expect(nameOf(only(benchList(said, { type: 'said', key: 'a', said: null })))).toBe('Not a part');
});

it('keeps the pictures of the newest parts only, and no more lines than fit', () => {
  const first = only(after(added('part')));
  const full = Array.from({ length: MOST_LINES }, (_, n) => ({ ...first, number: n + 1 }));
  const lines = benchList(benchList(full, added('one')), added('two'));
  expect(lines).toHaveLength(MOST_LINES);
  expect(lines.at(-1)?.number).toBe(MOST_LINES + 2);
  expect(lines.filter(({ thumb }) => thumb !== null)).toHaveLength(100);
});

describe('the words of a line', () => {
  it.each([
    ['sending', { state: 'sending' }, 'The photo is on its way', ''],
    [
      'waiting',
      { state: 'waiting', guess: 'Rim' },
      'Sent once the server is back',
      'The server is away. The photo is kept. Perhaps Rim.',
    ],
    [
      'waiting for a sign-in',
      { state: 'waiting', guess: null, reason: 'signed-out' },
      'Sent once you have signed in',
      'You are signed out. The photo is kept.',
    ],
    [
      'waiting to be sent again',
      { state: 'waiting', guess: null, reason: 'again' },
      'To be sent again',
      'It is sent again. The photo is kept.',
    ],
    ['refused', { state: 'refused', message: 'Too dark.' }, 'Too dark.', 'Too dark.'],
    [
      'sent by another tab',
      { state: 'elsewhere' },
      'What was answered is in the scan history',
      'What was answered is in the scan history.',
    ],
  ] as const)('%s', (_, answer, standing, spoken) => {
    const line = { ...only(after(added('a'))), answer };
    expect(standingOf(line)).toBe(standing);
    expect(spokenOf(line)).toBe(spoken);
  });

  it('answered', () => {
    const line = only(after(added('a'), answered('a')));
    expect(standingOf(line)).toMatch(/^\d+% match$/);
    expect(spokenOf(line)).toMatch(/^Identified: Brake Rotor, \d+% match\.$/);
  });
});

it('says of an answer that is not sure what it lacks', () => {
  const unsure = (knownScore: number) => {
    const identification = { ...rotorResult.identification, knownScore };
    const answer = answerOf({ ...rotorResult, verdict: 'not-sure', identification });
    return standingOf({ ...only(after(added('a'))), answer });
  };
  const { identifiedKnownScore } = rotorResult.receipt;
  expect(unsure(identifiedKnownScore / 2)).toBe('Not sure: it is unlike the known parts');
  expect(unsure(1)).toMatch(/^Not sure, \d+% match$/);
});

it('has the candidates by their probability, and siblings first where the answer is their category', () => {
  const labels = (rolledUp: Schemas['RolledUp'] | null) => {
    const answer = answerOf({ ...rotorResult, alternatives: tieView.alternatives, rolledUp });
    return answer.state === 'answered' ? answer.candidates.map(({ label }) => label) : [];
  };
  expect(labels(null)).toEqual(['brake-rotor', 'rim', 'brake-drum', 'brake-pad', 'radio']);
  expect(labels(tieView.rolledUp)).toEqual([
    'brake-rotor',
    'brake-drum',
    'brake-pad',
    'rim',
    'radio',
  ]);
});

it('writes the list as CSV in which no bin is a formula', () => {
  const lines = after(
    added('a', '=HYPERLINK("x")'),
    answered('a'),
    added('b', 'A, "12"'),
    added('c'),
    { type: 'taken-out', key: 'c', at: 1 },
  );
  const [header, first, second, ...rest] = csvOf(lines).slice(1).split('\r\n');
  expect(header).toMatch(/^number,time,bin,part,/);
  expect(first).toContain(`1,2026-11-25T09:30:00.000Z,"'=HYPERLINK(""x"")",Brake Rotor,`);
  expect(second).toContain('"A, ""12"""');
  expect(second).toMatch(/sending$/);
  expect(rest).toEqual(['']);
});

it.each([
  ['  A-12 \r', 'A-12'],
  ['\u001dA1', 'A1'],
  ['x'.repeat(200), 'x'.repeat(60)],
])('reads the bin %j', (text, bin) => {
  expect(binOf(text)).toBe(bin);
});

describe('the kept list', () => {
  it('is read again by its owner alone; what was on its way waits to be sent again', () => {
    expect(keepList('ann', { lines: after(added('a')), bin: 'A1' })).toBe(true);
    const { lines, bin } = readList('ann');
    expect(bin).toBe('A1');
    expect(only(lines).answer).toEqual({ state: 'waiting', guess: null, reason: 'again' });
    expect(readList('bob')).toEqual({ lines: [], bin: '' });
  });

  it('puts back what was taken out before a reload, but not before the bench was left', () => {
    const lines = after(added('a'), { type: 'taken-out', key: 'a', at: 5 });
    keepList('ann', { lines, bin: '' });
    expect(lastTakenOut(readList('ann').lines)?.key).toBe('a');
    keepList('ann', { lines: left(lines), bin: '' });
    expect(lastTakenOut(readList('ann').lines)).toBeNull();
  });

  it.each(['{', '[]', '{"lines":[1],"bin":""}'])('begins anew where it holds %s', (text) => {
    localStorage.setItem('bench-list@ann', text);
    expect(readList('ann')).toEqual({ lines: [], bin: '' });
  });
});
