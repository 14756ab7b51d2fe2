import { describe, expect, it } from 'vitest';
import { isStillUsed, planFor, type Precache } from '@/service-worker/plan';

const ORIGIN = 'https://shop.example';
const precache: Precache = {
  version: 'a',
  shell: ['/', '/assets/index-1.js'],
  onDemand: ['/assets/ort-2.wasm'],
};

const plan = (path: string, request: { mode?: RequestMode; method?: string } = {}) =>
  planFor(
    { method: 'GET', mode: 'cors', ...request, url: new URL(path, ORIGIN).href },
    ORIGIN,
    precache,
  );

describe('planFor', () => {
  it.each([
    ['/history?q=rotor', 'page'],
    ['/no/such/page', 'page'],
    // Its answer names the payment provider in a content policy of its own.
    ['/subscribe?plan=pro', 'pass'],
    // A server that is not ready answers 503 without a problem, as a proxy does.
    ['/ready', 'pass'],
    ['/health', 'pass'],
    ['/metrics', 'pass'],
    ['/ready/or/not', 'page'],
    ['/api/docs', 'pass'],
    ['/api/login', 'pass'],
  ])('opens %s by the plan %s', (path, expected) => {
    expect(plan(path, { mode: 'navigate' })).toBe(expected);
  });

  it.each([
    ['/assets/index-1.js', 'shell'],
    ['/assets/ort-2.wasm', 'keep'],
    ['/assets/index-of-another-build.js', 'pass'],
    ['/api/model', 'model-facts'],
    ['/api/model/0a1b', 'keep'],
    ['/api/models', 'pass'],
    ['/api/auth/user', 'pass'],
    ['/api/vehicles', 'pass'],
    ['/api/scans/1/thumbnail', 'pass'],
    ['https://js.stripe.com/v3', 'pass'],
  ])('fetches %s by the plan %s', (path, expected) => {
    expect(plan(path)).toBe(expected);
  });

  it('leaves every write alone', () => {
    expect(plan('/api/model', { method: 'POST' })).toBe('pass');
  });
});

describe('isStillUsed', () => {
  const used = (path: string, added: string | null) =>
    isStillUsed(ORIGIN + path, added === null ? null : ORIGIN + added, precache);

  it('drops what another build needed', () => {
    expect(used('/assets/ort-2.wasm', null)).toBe(true);
    expect(used('/assets/ort-1.wasm', null)).toBe(false);
  });

  it('drops the model before when another one is kept', () => {
    expect(used('/api/model/aa', null)).toBe(true);
    expect(used('/api/model/aa', '/assets/ort-2.wasm')).toBe(true);
    expect(used('/api/model/aa', '/api/model/aa')).toBe(true);
    expect(used('/api/model/aa', '/api/model/bb')).toBe(false);
    expect(used('/api/model', '/api/model/bb')).toBe(true);
  });
});
