import { expect, test } from 'vitest';
import { TypedScan, type TypedKey } from '@/lib/typed-scan';

/** What the last of these keys means, `gapMs` from one to the next. */
function last(keys: string[], gapMs: number): TypedKey {
  const scan = new TypedScan();
  return keys.reduce<TypedKey>((_, key, index) => scan.next(key, 1000 + index * gapMs), {
    type: 'none',
  });
}

test.each([
  ['a scanner', [...'SP96051', 'Enter'], 8, 'SP96051'],
  ['a scanner that ends with Tab', [...'4006381333931', 'Tab'], 20, '4006381333931'],
  ['capitals', ['Shift', 'S', 'Shift', 'P', '9', '6', 'Enter'], 5, 'SP96'],
  ['a scanner that names the kind of code', [...']C1SP96051', 'Enter'], 5, 'SP96051'],
  ['a number in groups', [...'0 986 479 R51', 'Enter'], 5, '0 986 479 R51'],
])('%s is a scan', (_, keys, gapMs, text) => {
  expect(last(keys, gapMs)).toEqual({ type: 'scanned', text });
});

test.each([
  ['a person', [...'SP96051', 'Enter'], 90],
  ['too little', [...'abc', 'Enter'], 5],
  ['blanks', [...'     ', 'Enter'], 5],
  ['Enter alone', ['Enter'], 5],
  ['a key that writes nothing', [...'SP96', 'ArrowLeft', '1', 'Enter'], 5],
  ['a page', [...'x'.repeat(600), 'Enter'], 5],
])('%s is no scan', (_, keys, gapMs) => {
  expect(last(keys, gapMs).type).toBe('none');
});

test('an Enter that comes late belongs to a person', () => {
  const scan = new TypedScan();
  [...'SP96051'].forEach((key, index) => scan.next(key, index * 5));
  expect(scan.next('Enter', 400)).toEqual({ type: 'none' });
  expect(scan.next('Enter', 405)).toEqual({ type: 'none' });
});
