import { describe, expect, it } from 'vitest';
import { couldBe } from '@/features/scanning/result/scan-view';
import { tieView } from '@/testing/fixtures';

const labels = (parts: { label: string }[]) => parts.map(({ label }) => label);

describe('couldBe', () => {
  it('takes a part that has left the catalogue for no sibling', () => {
    const [rim, drum] = tieView.alternatives;
    if (rim === undefined || drum === undefined) throw new Error('the fixture has two');
    const { parts, others } = couldBe({
      ...tieView,
      alternatives: [{ ...rim, category: null }, drum],
    });
    expect(labels(parts)).toEqual(['brake-rotor', 'brake-drum']);
    expect(labels(others)).toEqual(['rim']);
  });
});
