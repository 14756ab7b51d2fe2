import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { ERROR_CATALOGUE, type CatalogueEntry } from './error-catalogue';

const WEB = resolve(import.meta.dirname, '..');

/** The whole of a test's source: from where it begins to where the next one does. */
function sourceOf({ file, test: title }: CatalogueEntry): string | undefined {
  if (!existsSync(resolve(WEB, file))) return undefined;
  const source = readFileSync(resolve(WEB, file), 'utf8');
  return source
    .split(/^\s*(?=test\()/m)
    .find((part) =>
      [`'${title}'`, `\`${title}\``, `"${title}"`].some((quoted) =>
        part.startsWith('test(' + quoted),
      ),
    );
}

/** Whether the journey looks for exactly this: the sentence stands there between quotes, with nothing around it. */
const hasSentence = (source: string | undefined, sentence: string) =>
  source?.includes(`'${sentence}'`) === true || source?.includes(`"${sentence}"`) === true;

test('each sentence of the error catalogue is in the journey that the table names', () => {
  const wrong = ERROR_CATALOGUE.flatMap((entry) => {
    const source = sourceOf(entry);
    const missing = entry.sentences.filter((sentence) => !hasSentence(source, sentence));
    return missing.map((sentence) => ({ file: entry.file, test: entry.test, sentence }));
  });
  expect(wrong).toEqual([]);
});

test('each entry names a journey, which a browser runs', () => {
  for (const { file } of ERROR_CATALOGUE)
    expect(file).toMatch(/^e2e\/([\w-]+\/)?[\w-]+\.spec\.ts$/);
});

test('no sentence stands twice in the table', () => {
  const sentences = ERROR_CATALOGUE.flatMap(({ document, sentences }) =>
    sentences.map((sentence) => `${document}: ${sentence}`),
  );
  expect(new Set(sentences).size).toBe(sentences.length);
});
