import { describe, expect, it } from 'vitest';
import { rankOffers } from '@/features/parts/offers/offers';
import { supplier } from '@/testing/fixtures';

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

  it('calls neither what is sold out or does not fit nor a price in another currency the best', () => {
    const offers = rankOffers([
      supplier({ name: 'Misfit', price: 5, fits: false }),
      supplier({ name: 'Gone', price: 10, inStock: false }),
      supplier({ name: 'Here', price: 20 }),
      supplier({ name: 'Euro', listedPrice: 5, currency: 'EUR', priceNote: '5.00 EUR' }),
    ]);
    expect(offers.map(({ supplier, best, overBest }) => [supplier.name, best, overBest])).toEqual([
      ['Misfit', false, null],
      ['Gone', false, null],
      ['Here', true, null],
      ['Euro', false, null],
    ]);
  });

  it('puts what is sold out after what can be had at the same price', () => {
    const offers = rankOffers([
      supplier({ name: 'Gone', price: 20, inStock: false }),
      supplier({ name: 'Here', price: 20 }),
      supplier({ name: 'Unpriced and gone', inStock: false }),
      supplier({ name: 'Unpriced' }),
    ]);
    expect(offers.map(({ supplier, best }) => [supplier.name, best])).toEqual([
      ['Here', true],
      ['Gone', false],
      ['Unpriced', false],
      ['Unpriced and gone', false],
    ]);
  });

  it('takes the word of the server where nothing is in dollars', () => {
    const [euro] = rankOffers([
      supplier({ name: 'Euro', listedPrice: 5, currency: 'EUR', isBestPrice: true }),
    ]);
    expect(euro?.best).toBe(true);
  });
});
