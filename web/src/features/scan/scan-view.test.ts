import { describe, expect, it } from 'vitest';
import { couldBe, parseSteps, parseTools, rankOffers } from '@/features/scan/scan-view';
import { supplier, tieView } from '@/testing/fixtures';

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

describe('rankOffers', () => {
  it('sorts by price, puts those without one last, and compares with the best', () => {
    const offers = rankOffers([
      supplier({ name: 'None' }),
      supplier({ name: 'Dear', price: 30 }),
      supplier({ name: 'Cheap', price: 24.5 }),
    ]);
    expect(offers.map(({ supplier, best, overBest }) => [supplier.name, best, overBest])).toEqual([
      ['Cheap', true, null],
      ['Dear', false, 5.5],
      ['None', false, null],
    ]);
  });

  it('never calls an estimate the best price', () => {
    const offers = rankOffers([
      supplier({ name: 'Guess', price: 10, isEstimate: true }),
      supplier({ name: 'Real', price: 20 }),
    ]);
    expect(offers.map(({ best }) => best)).toEqual([false, true]);
    expect(offers[0]?.overBest).toBeNull();
    expect(rankOffers([supplier({ name: 'Guess', price: 10, isEstimate: true })])[0]?.best).toBe(
      false,
    );
  });

  it('calls neither what is sold out nor a price in another currency the best', () => {
    const offers = rankOffers([
      supplier({ name: 'Gone', price: 10, inStock: false }),
      supplier({ name: 'Here', price: 20 }),
      supplier({ name: 'Euro', listedPrice: 5, currency: 'EUR', priceNote: '5.00 EUR' }),
    ]);
    expect(offers.map(({ supplier, best, overBest }) => [supplier.name, best, overBest])).toEqual([
      ['Gone', false, null],
      ['Here', true, null],
      ['Euro', false, null],
    ]);
  });

  it('takes the word of the server where nothing is in dollars', () => {
    const [euro] = rankOffers([
      supplier({ name: 'Euro', listedPrice: 5, currency: 'EUR', isBestPrice: true }),
    ]);
    expect(euro?.best).toBe(true);
  });
});

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
