import type { Schemas } from '@/api/client';

export type Offer = {
  supplier: Schemas['Supplier'];
  /** The lowest price that is really asked for what can be had. An estimate never is. */
  best: boolean;
  /** Dollars above the best price; null without two prices to compare. */
  overBest: number | null;
};

/**
 * Suppliers by price ascending, those without a price last, each compared with the best offer. Of equal prices what is
 * sold out comes last.
 */
export function rankOffers(suppliers: Schemas['Supplier'][]): Offer[] {
  const sorted = suppliers.toSorted(
    (left, right) =>
      (left.price ?? Infinity) - (right.price ?? Infinity) ||
      Number(left.inStock === false) - Number(right.inStock === false),
  );
  const best = sorted.find(
    ({ price, isEstimate, inStock, fits }) =>
      price !== null && !isEstimate && inStock !== false && fits !== false,
  );
  return sorted.map((supplier) => ({
    supplier,
    best: best === undefined ? supplier.isBestPrice : supplier === best,
    overBest: overBest(supplier, best),
  }));
}

/** Whether an offer is worth opening to buy: neither sold out nor known not to fit. */
export function canBeBought({ supplier }: Offer): boolean {
  return supplier.inStock !== false && supplier.fits !== false;
}

function overBest(supplier: Schemas['Supplier'], best: Schemas['Supplier'] | undefined) {
  if (best?.price == null || supplier === best) return null;
  // What is sold out or does not fit may be cheaper.
  if (supplier.price === null || supplier.isEstimate || supplier.price < best.price) return null;
  return supplier.price - best.price;
}
