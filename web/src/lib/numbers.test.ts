import { expect, it } from 'vitest';
import { givenAmount, parseWholeNumber } from '@/lib/numbers';

it.each([
  ['52000', 52_000],
  [' 52,000 ', 52_000],
  ['52 000', 52_000],
  ['1,234,567', 1_234_567],
  ['0', 0],
  ['99999999999999999999', Number.MAX_SAFE_INTEGER],
])('reads the whole number %j', (text, number) => {
  expect(parseWholeNumber(text)).toBe(number);
});

it.each([
  '',
  ' ',
  '12,5',
  '1,2,3',
  '5,20',
  ',123',
  '-5',
  '1.5',
  '1e3',
  '0x10',
  'many',
  '٥',
  '1, 234',
])('reads no whole number from %j', (text) => {
  expect(parseWholeNumber(text)).toBeNull();
});

it.each([
  ['$1,234.50', '1234.50'],
  ['$ 5', '5'],
  ['49.99', '49.99'],
  ['.5', '.5'],
  ['', null],
  ['$', null],
  ['12,50', '12,50'],
  ['1,2,3', '1,2,3'],
  ['-3', '-3'],
  ['abc', 'abc'],
])('hands the amount %j on as %j', (text, amount) => {
  expect(givenAmount(text)).toBe(amount);
});
