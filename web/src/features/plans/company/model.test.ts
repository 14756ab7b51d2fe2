import { expect, it } from 'vitest';
import {
  companyBody,
  companySchema,
  logoRefusal,
  mayManage,
  memberInitials,
} from '@/features/plans/company/model';
import { bob, garage } from '@/testing/company';
import { ada } from '@/testing/fixtures';

it.each([
  ['text/plain', 10, { title: 'Invalid file type', description: 'Please select an image file.' }],
  [
    'image/png',
    5 * 1024 * 1024 + 1,
    { title: 'File too large', description: 'Please select an image smaller than 5MB.' },
  ],
  ['image/png', 5 * 1024 * 1024, null],
])('a logo of type %s with %d bytes', (type, size, refusal) => {
  expect(logoRefusal({ type, size })).toEqual(refusal);
});

it('leaves a logo out that stays, and sends null for one that goes', () => {
  const company = companySchema.parse({ name: ' Garage ', description: ' ' });
  expect(companyBody(company, { kind: 'keep' })).toEqual({ name: 'Garage', description: null });
  expect(companyBody(company, { kind: 'remove' })).toMatchObject({ logo: null });
});

it.each([
  ['owner', ada.id, true],
  ['member', 'user-2', false],
  ['manager', 'user-3', true],
  ['outsider', 'user-4', false],
])('the %s may manage: %s, %s', (_who, userId, may) => {
  const members = [bob, { ...bob, userId: 'user-3', role: 'manager' as const }];
  expect(mayManage(garage, members, userId)).toBe(may);
});

it.each([
  ['Bob Lee', 'BL'],
  ['bob', 'B'],
  ['Ann van der Berg', 'AB'],
  ['Bob 😀', 'B😀'],
])('%s is %s', (name, initials) => {
  expect(memberInitials(name)).toBe(initials);
});
