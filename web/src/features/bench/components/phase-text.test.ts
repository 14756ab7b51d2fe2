import { expect, it } from 'vitest';
import { phaseText } from '@/features/bench/components/phase-text';

const settings = { isAutomatic: true, pedal: ' ' };

it.each([
  ['lying', false, 'Take this one away. To scan it once more press Scan Now (Space).'],
  ['lying', true, 'Take this one away. To confirm the best guess press Confirm (Space).'],
  ['over-edge', false, /For a large part press Scan Now \(Space\)\.$/],
  ['over-edge', true, /To confirm the best guess press Confirm \(Space\)\.$/],
] as const)(
  'says what the pedal does while the phase is %s (confirms: %s)',
  (phase, confirms, hint) => {
    const text = phaseText({ state: 'ready' }, phase, settings, confirms);
    expect(text.hint).toMatch(hint);
  },
);

it.each([
  [false, 'Space scans'],
  [true, 'Space confirms'],
])('says it also where nothing is scanned by itself (confirms: %s)', (confirms, title) => {
  const byPedal = { ...settings, isAutomatic: false };
  expect(phaseText({ state: 'ready' }, 'lying', byPedal, confirms).title).toBe(title);
});
