import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { ERROR_CATALOGUE } from './error-catalogue';

const WEB = resolve(import.meta.dirname, '..');

const SENTENCES = Object.entries(ERROR_CATALOGUE).flatMap(([document, files]) =>
  Object.entries(files).flatMap(([file, journeys]) =>
    Object.entries(journeys).flatMap(([title, sentences]) =>
      sentences.map((sentence) => ({ document, file, title, sentence })),
    ),
  ),
);

/** The whole of a test's source: from where it begins to where the next one does. */
function sourceOf(file: string, title: string): string {
  if (!existsSync(resolve(WEB, file))) return '';
  const tests = readFileSync(resolve(WEB, file), 'utf8').split(/^\s*(?=test\()/m);
  return tests.find((source) => source.startsWith(`test('${title}'`)) ?? '';
}

test('each sentence of the error catalogue is in the journey that the table names', () => {
  // It stands there between quotes, with nothing around it: the journey looks for exactly this.
  const wrong = SENTENCES.filter(({ file, title, sentence }) => {
    const source = sourceOf(file, title);
    return !source.includes(`'${sentence}'`) && !source.includes(`"${sentence}"`);
  });
  expect(wrong).toEqual([]);
});

test('no sentence stands twice in the table', () => {
  const sentences = SENTENCES.map(({ document, sentence }) => `${document}: ${sentence}`);
  expect(new Set(sentences).size).toBe(sentences.length);
});
