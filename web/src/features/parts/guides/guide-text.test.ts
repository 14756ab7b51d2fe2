import { expect, it } from 'vitest';
import { parseSteps, parseTools } from '@/features/parts/guides/guide-text';

it.each([
  ['["Jack", "Socket"]', ['Jack', 'Socket']],
  ['Jack, Socket', ['Jack', 'Socket']],
  ['[]', []],
  ['', []],
])('reads the tools %s', (text, tools) => {
  expect(parseTools(text)).toEqual(tools);
});

it('reads one step per line and drops numbers of its own', () => {
  expect(parseSteps('1. Raise the car.\n\nStep 2: Take off the wheel.\n  Clean it. ')).toEqual([
    'Raise the car.',
    'Take off the wheel.',
    'Clean it.',
  ]);
});
