import { describe, expect, it } from 'vitest';
import { couldBe } from '@/features/scanning/result/scan-view';
import { tieView } from '@/testing/fixtures';

describe('couldBe', () => {
  it('names the best guess, its siblings and then the rest', () => {
    const labels = couldBe(tieView).map(({ label }) => label);
    expect(labels).toEqual(['brake-rotor', 'brake-drum', 'brake-pad', 'rim']);
  });

  it('takes a part that has left the catalogue for no sibling', () => {
    const [rim, drum] = tieView.alternatives;
    if (rim === undefined || drum === undefined) throw new Error('the fixture has two');
    const view = { ...tieView, alternatives: [{ ...rim, category: null }, drum] };
    expect(couldBe(view).map(({ label }) => label)).toEqual(['brake-rotor', 'brake-drum', 'rim']);
  });
});
