import { describe, expect, it } from 'vitest';
import { returnPathOf } from '@/lib/return-path';

describe('returnPathOf', () => {
  it.each(['/', '/vehicle', '/subscribe?plan=pro', '/vehicle?a=//b', '/vehicle?maintenance=1'])(
    'leads back to %s',
    (returnTo) => {
      expect(returnPathOf({ returnTo })).toBe(returnTo);
    },
  );

  it('keeps no secret of the address', () => {
    const returnTo = '/profile#reset-password=s3cret';
    expect(returnPathOf({ returnTo })).toBe('/profile');
  });

  it.each([
    '',
    'vehicle',
    '//evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/parts/..//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
  ])('leads nowhere for %j', (returnTo) => {
    expect(returnPathOf({ returnTo })).toBeNull();
  });

  it('leads nowhere for what is no state', () => {
    for (const state of [null, 'a', {}, { returnTo: 1 }]) expect(returnPathOf(state)).toBeNull();
  });
});
