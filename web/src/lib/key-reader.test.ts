import { describe, expect, it } from 'vitest';
import { KeyReader, SCANNER_PAUSE_MS } from '@/lib/key-reader';

/** Presses keys `pause` ms apart, from `start` on. */
function typed(reader: KeyReader, keys: string[], pause: number, start = 1000) {
  return keys.flatMap((key, n) => reader.press(key, start + n * pause));
}

/** The keys that a scanner presses for a text. */
function keysOf(text: string): string[] {
  return Array.from(text, (character) => (character === '\n' ? 'Enter' : character));
}

describe('a barcode scanner', () => {
  it('gives one code, and none of its characters acts as a key', () => {
    const reader = new KeyReader();
    expect(typed(reader, keysOf('1234\n'), 5)).toEqual([{ type: 'code', code: '1234' }]);
    expect(reader.settle(9999)).toEqual([]);
  });

  it('may press Shift between, and read a space', () => {
    const keys = ['Shift', 'B', 'Shift', 'I', 'N', ' ', '7', 'Enter'];
    expect(typed(new KeyReader(), keys, 5)).toEqual([{ type: 'code', code: 'BIN 7' }]);
  });

  it('may end a code with Tab, and is forgotten on request', () => {
    const reader = new KeyReader(['Enter', 'Tab']);
    expect(typed(reader, ['1', '2', 'Tab'], 5)).toEqual([{ type: 'code', code: '12' }]);
    typed(reader, ['1', '2'], 5, 2000);
    reader.clear();
    expect(reader.press('Enter', 2010)).toEqual([{ type: 'key', key: 'Enter' }]);
  });

  it('is not taken for one where a person types slowly', () => {
    const reader = new KeyReader();
    expect(typed(reader, ['1', '2', '3', 'Enter'], SCANNER_PAUSE_MS * 4)).toEqual([
      { type: 'key', key: '1' },
      { type: 'key', key: '2' },
      { type: 'key', key: '3' },
      { type: 'key', key: 'Enter' },
    ]);
  });

  it('reads two codes one after the other', () => {
    const reader = new KeyReader();
    expect(typed(reader, keysOf('A01\nA02\n'), 3)).toEqual([
      { type: 'code', code: 'A01' },
      { type: 'code', code: 'A02' },
    ]);
  });
});

it('tells a key of a person after a pause, a foot pedal among them', () => {
  const reader = new KeyReader();
  expect(reader.press(' ', 1000)).toEqual([]);
  expect(reader.settle(1000 + SCANNER_PAUSE_MS - 1)).toEqual([]);
  expect(reader.settle(1000 + SCANNER_PAUSE_MS)).toEqual([{ type: 'key', key: ' ' }]);
  expect(reader.press('F8', 2000)).toEqual([]);
  expect(reader.settle(3000)).toEqual([{ type: 'key', key: 'F8' }]);
});

it('takes two quick characters and Enter for a code, and drops a shorter run', () => {
  expect(typed(new KeyReader(), ['Shift', 'A', '1', 'Enter'], 5)).toEqual([
    { type: 'code', code: 'A1' },
  ]);
  const reader = new KeyReader();
  expect(typed(reader, ['1', 'Enter'], 5)).toEqual([]);
  expect(reader.settle(9999)).toEqual([]);
});

it('takes no key of a quick run for one that a person pressed', () => {
  const reader = new KeyReader();
  expect(typed(reader, ['1', '2'], 5)).toEqual([]);
  expect(reader.settle(9999)).toEqual([]);
  // The run is over: what comes by itself is a key again.
  expect(reader.press('3', 20_000)).toEqual([]);
  expect(reader.settle(30_000)).toEqual([{ type: 'key', key: '3' }]);
});
