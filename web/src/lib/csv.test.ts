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
  ['5W-30', '5W-30'],
  ['-', '-'],
  ["'=1", "''=1"],
  ["'91 Civic", "'91 Civic"],
  ['a;=1', `"a;'=1"`],
  ['a;\uFEFF=1', `"a;'\uFEFF=1"`],
  ['a\t-1', `"a\t'-1"`],
  ["a\n=1;'@x", `"a\n'=1;''@x"`],
  ['\t=1', `"'\t'=1"`],
  ['one; two - three', '"one; two - three"'],
  [' a', '" a"'],
])('writes %j as %j, so that no spreadsheet runs it', (text, written) => {
  expect(csvText([[text]])).toBe(`\uFEFF${written}\r\n`);
});
