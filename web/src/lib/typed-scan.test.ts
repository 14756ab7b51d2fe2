import { expect, test } from 'vitest';
import { TypedScan, type TypedKey } from '@/lib/typed-scan';

/** The keys of a text, and one more. */
function keys(text: string, ...end: string[]): string[] {
  return [...text.split(''), ...end];
}

/** What the last of these keys means, `gapMs` from one to the next. */
function last(pressed: string[], gapMs: number): TypedKey {
  const scan = new TypedScan();
  return pressed.reduce<TypedKey>((_, key, index) => scan.next(key, 1000 + index * gapMs), {
    type: 'none',
  });
}

test.each([
  ['a scanner', keys('SP96051', 'Enter'), 8, 'SP96051'],
  ['a scanner that ends with Tab', keys('4006381333931', 'Tab'), 20, '4006381333931'],
  ['capitals', ['Shift', 'S', 'Shift', 'P', '9', '6', 'Enter'], 5, 'SP96'],
  ['a scanner that names the kind of code', keys(']C1SP96051', 'Enter'), 5, 'SP96051'],
  ['a number in groups', keys('0 986 479 R51', 'Enter'), 5, '0 986 479 R51'],
])('%s is a scan', (_, pressed, gapMs, text) => {
  expect(last(pressed, gapMs)).toEqual({ type: 'scanned', text });
});

test.each([
  ['a person', keys('SP96051', 'Enter'), 90],
  ['too little', keys('abc', 'Enter'), 5],
  ['blanks', keys('     ', 'Enter'), 5],
  ['Enter alone', ['Enter'], 5],
  ['a key that writes nothing', ['S', 'P', '9', '6', 'ArrowLeft', '1', 'Enter'], 5],
  ['a page', keys('x'.repeat(600), 'Enter'), 5],
])('%s is no scan', (_, pressed, gapMs) => {
  expect(last(pressed, gapMs).type).toBe('none');
});

test('an Enter that comes late belongs to a person', () => {
  const scan = new TypedScan();
  keys('SP96051').forEach((key, index) => scan.next(key, index * 5));
  expect(scan.next('Enter', 400)).toEqual({ type: 'none' });
  expect(scan.next('Enter', 405)).toEqual({ type: 'none' });
});
