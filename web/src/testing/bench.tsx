import { vi } from 'vitest';
import { OneBench } from '@/features/bench/components/one-bench';
import type { BenchLine } from '@/features/bench/list/model';
import { keepList } from '@/features/bench/list/store';
import { ada, civic } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';

/** A part of the running list that was identified. */
export function benchLine(number: number, more: Partial<BenchLine> = {}): BenchLine {
  return {
    key: `key-${number}`,
    number,
    at: 0,
    bin: 'A 1',
    thumb: null,
    partNumber: null,
    answer: {
      state: 'answered',
      scanId: `scan-${number}`,
      verdict: 'identified',
      isUnlike: false,
      candidates: [{ label: 'brake-rotor', name: 'Brake Rotor', confidence: 0.97 }],
      text: 'Identified: Brake Rotor.',
      said: undefined,
    },
    takenOutAt: null,
    ...more,
  };
}

/** Opens the bench with this list, as after a reload. */
export function openBench(lines: BenchLine[], bin = '') {
  keepList(ada.id, { lines, bin });
  return renderScreen(
    <OneBench userId={ada.id} vehicle={civic} vehicles={[]} onVehicle={vi.fn()} />,
  );
}
