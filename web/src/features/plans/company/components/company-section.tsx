import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { CompanyCard } from '@/features/plans/company/components/company-card';
import { CreateCompanyCard } from '@/features/plans/company/components/create-company-card';
import { EndedPlanNotice } from '@/features/plans/company/components/ended-plan-notice';
import { MembersCard } from '@/features/plans/company/components/members-card';
import { mayManage } from '@/features/plans/company/model';
import { companyQueries } from '@/features/plans/company/queries';
import { useNewCompanyHeading } from '@/features/plans/company/use-new-company-heading';

type CompanySectionProps = { user: Pick<Schemas['User'], 'id' | 'planType'> };

/** The company profile and its people, for those on Business. */
export function CompanySection({ user }: CompanySectionProps) {
  const company = useQuery(companyQueries.own());
  const { heading, onCreated } = useNewCompanyHeading(company.data != null);
  const members = useQuery({
    ...companyQueries.members(company.data?.id ?? ''),
    enabled: company.data != null,
  });
  if (company.data === undefined) {
    return (
      <SettingsCard title="Company">
        <QueryState query={company} what="Your company" label="Loading your company" rows={2} />
      </SettingsCard>
    );
  }
  if (company.data === null) return <CreateCompanyCard onCreated={onCreated} />;
  // Everybody in a company has its plan, the owner as well.
  const hasEnded = user.planType !== 'business';
  return (
    <>
      {hasEnded && <EndedPlanNotice owns={company.data.ownerId === user.id} />}
      <CompanyCard
        company={company.data}
        user={user}
        heading={heading}
        manages={mayManage(company.data, members.data ?? [], user.id)}
      />
      <MembersCard company={company.data} user={user} hasEnded={hasEnded} />
    </>
  );
}
