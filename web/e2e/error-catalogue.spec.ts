import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { ERROR_CATALOGUE, type CatalogueRow } from './error-catalogue';

/** The whole of a test's source: from where it begins to where the next one does. */
function sourceOf({ file, test: title }: CatalogueRow): string | undefined {
  const source = readFileSync(resolve(import.meta.dirname, '..', file), 'utf8');
  return source
    .split(/^\s*(?=(?:it|test)(?:\.each)?\()/m)
    .find((part) =>
      [`'${title}'`, `\`${title}\``, `"${title}"`].some((quoted) => part.includes(quoted)),
    );
}

const plain = (source: string) => source.replaceAll("\\'", "'").replaceAll(/\s+/g, ' ');

test('each sentence of the error catalogue is in the test that the table names', () => {
  const wrong = ERROR_CATALOGUE.filter((row) => {
    const source = sourceOf(row);
    return source === undefined || !plain(source).includes(row.sentence);
  });
  expect(wrong).toEqual([]);
});

test('no sentence stands twice in the table', () => {
  const sentences = ERROR_CATALOGUE.map(({ document, sentence }) => `${document}: ${sentence}`);
  expect(new Set(sentences).size).toBe(sentences.length);
});
