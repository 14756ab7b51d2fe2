import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { PLANS, priceCents } from '@/features/plans/subscription/plans';

/** What the server answers to `GET /api/plans`, as its own tests hold it fast. */
const SNAPSHOT = resolve(
  import.meta.dirname,
  '../../../../../crates/api/tests/it/plans/snapshots/it__plans__payments__plans.snap',
);

function plansOfServer(): Schemas['PlanList'] {
  const text = readFileSync(SNAPSHOT, 'utf8');
  // Before the answer stands where the snapshot comes from.
  const { body } = JSON.parse(text.slice(text.indexOf('\n{'))) as { body: Schemas['PlanList'] };
  return body;
}

it('offers the plans of the server for the prices that it takes, and promises what it does', () => {
  const { currency, plans } = plansOfServer();
  expect(currency).toBe('usd');
  const ours = PLANS.map(({ name, monthlyCents, features }) => ({
    name,
    monthCents: priceCents(monthlyCents, 'month'),
    yearCents: priceCents(monthlyCents, 'year'),
    benefits: features,
  }));
  const theirs = plans.map(({ name, monthCents, yearCents, benefits }) => ({
    name,
    monthCents,
    yearCents,
    benefits,
  }));
  expect(ours).toEqual(theirs);
});
