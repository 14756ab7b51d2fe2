import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { SPECIFICATION_LINES } from './specification-lines';

const ROOT = resolve(import.meta.dirname, '../..');

/** Whether a file has a test of this name: a function of Rust, or a title of the web app's. */
function hasTest(file: string, name: string): boolean {
  const path = resolve(ROOT, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, 'utf8');
  if (file.endsWith('.rs')) return source.includes(`fn ${name}(`);
  return [`'${name}'`, `\`${name}\``, `"${name}"`].some((title) => source.includes(title));
}

test('each line of the specification that an audit named has its tests', () => {
  const missing = SPECIFICATION_LINES.flatMap(({ line, tests }) =>
    tests.filter(([file, name]) => !hasTest(file, name)).map((found) => [line, ...found]),
  );
  expect(missing).toEqual([]);
  expect(SPECIFICATION_LINES.filter(({ tests }) => tests.length === 0)).toEqual([]);
});
