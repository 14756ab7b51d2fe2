import { expect, it } from 'vitest';
import { keyName } from '@/features/bench/keys';

it.each([
  [' ', 'Space'],
  ['b', 'B'],
  ['PageDown', 'PageDown'],
])('names the key %j', (key, name) => {
  expect(keyName(key)).toBe(name);
});
