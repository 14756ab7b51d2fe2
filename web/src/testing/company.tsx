import type { Schemas } from '@/api/client';
import { CompanySection } from '@/features/plans/company/components/company-section';
import type { Company, CompanyMember } from '@/features/plans/company/model';
import { ada } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';

export const garage: Company = {
  id: 'company-1',
  ownerId: ada.id,
  name: "Lee's Garage",
  description: 'Brakes and exhausts.',
  logo: null,
  createdAt: '2026-01-02T03:04:05Z',
};

export const owner: CompanyMember = {
  id: 'member-1',
  userId: ada.id,
  role: 'manager',
  displayName: 'Ada Byron',
  email: ada.email,
  joinedAt: '2026-01-02T03:04:05Z',
  pending: false,
  expiresAt: null,
  user: null,
};

export const bob: CompanyMember = {
  ...owner,
  id: 'member-2',
  userId: 'user-2',
  role: 'member',
  displayName: 'Bob Lee',
  email: 'bob@example.org',
};

export const invited: CompanyMember = {
  ...bob,
  id: 'invitation-1',
  userId: null,
  displayName: 'Cy Young',
  email: 'cy@example.org',
  joinedAt: null,
  pending: true,
  expiresAt: '2026-12-06T03:04:05Z',
};

/** The answer to an invitation that was mailed. */
export const justInvited: Schemas['InvitedMember'] = { ...invited, link: null };

/** Renders the company as this user sees it. */
export function openCompany(id = ada.id, planType: Schemas['PlanType'] = 'business') {
  return renderScreen(<CompanySection user={{ id, planType }} />);
}
