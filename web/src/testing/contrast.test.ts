import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const STYLES = readFileSync('src/styles.css', 'utf8');
const onScreen = tokensIn(/@theme \{([\s\S]*?)\n\}/);
const onPaper = { ...onScreen, ...tokensIn(/@media print \{\s*:root \{([\s\S]*?)\}/) };

/** Text, and what it stands on. */
const PAIRS = [
  ...['accent', 'good', 'warn', 'bad'].flatMap((tone) =>
    [tone, 'ink', 'soft', 'muted'].map((text) => [text, `${tone}-wash`]),
  ),
  ...['ink', 'soft', 'muted', 'accent', 'good', 'warn', 'bad'].map((text) => [text, 'surface']),
  ['on-accent', 'accent'],
] as [string, string][];

it.each([
  ['on screen', onScreen],
  ['on paper with its backgrounds', onPaper],
])('can be read %s', (_, tokens) => {
  const weak = PAIRS.filter(([text, ground]) => contrast(tokens[text], tokens[ground]) < 4.5);
  expect(weak).toEqual([]);
});

function tokensIn(block: RegExp): Record<string, string> {
  const rules = block.exec(STYLES)?.[1] ?? '';
  return Object.fromEntries(
    [...rules.matchAll(/--color-([a-z-]+): (#[0-9a-f]{3,6});/g)].map(([, name, hex]) => [
      name,
      hex,
    ]),
  ) as Record<string, string>;
}

/** Contrast ratio of two colours (WCAG 2.2). */
function contrast(text: string | undefined, ground: string | undefined): number {
  const [darker = 0, lighter = 0] = [luminance(text), luminance(ground)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(hex = ''): number {
  const digits = hex.length === 4 ? hex.replace(/[0-9a-f]/g, '$&$&') : hex;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(digits.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
