import { expect, it } from 'vitest';
import { csvText } from '@/lib/csv';

it.each([
  ['=1', "'=1"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(1)', "'＠SUM(1)"],
  ['\u200B=1', "'\u200B=1"],
  ['\uFEFF＝1', "'\uFEFF＝1"],
  ['5W－30', '5W－30'],
])('writes %j as %j, so that no spreadsheet runs it', (text, written) => {
  expect(csvText([[text]])).toBe(`${written}\r\n`);
});
