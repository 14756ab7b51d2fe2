import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { paths } from '@/config/paths';
import { CompanyLogo } from '@/features/plans/company/components/company-logo';
import { CreateCompanyCard } from '@/features/plans/company/components/create-company-card';
import { roleOf, type Company } from '@/features/plans/company/model';
import { companyQueries } from '@/features/plans/company/queries';
import { useNewCompanyHeading } from '@/features/plans/company/use-new-company-heading';
import { countOf } from '@/lib/format';

/** Of a large team the rest stand on the page of the team. */
const MEMBERS_SHOWN = 3;

/** The company profile and its people in short; both are looked after on a page of their own. */
export function CompanySummary() {
  const company = useQuery(companyQueries.own());
  const { heading, onCreated } = useNewCompanyHeading(company.data != null);
  if (company.data === undefined) {
    return (
      <SettingsCard title="Company">
        <QueryState query={company} what="Your company" label="Loading your company" rows={2} />
      </SettingsCard>
    );
  }
  if (company.data === null) return <CreateCompanyCard onCreated={onCreated} />;
  const { logo, name, description } = company.data;
  return (
    <Card aria-label="Company" className="grid grid-cols-1 gap-4">
      <div className="flex items-start gap-4">
        <CompanyLogo logo={logo} />
        <div className="min-w-0 flex-1">
          <h2
            ref={heading}
            tabIndex={-1}
            className="text-lg font-semibold tracking-tight wrap-anywhere"
          >
            <bdi>{name}</bdi>
          </h2>
          <p dir="auto" className="line-clamp-2 text-sm wrap-anywhere text-soft">
            {description}
          </p>
        </div>
      </div>
      <TeamSummary company={company.data} />
      <Button asChild size="small" className="justify-self-start">
        <Link to={paths.shopTeam}>Company and Team</Link>
      </Button>
    </Card>
  );
}

type TeamSummaryProps = { company: Company };

function TeamSummary({ company }: TeamSummaryProps) {
  const members = useQuery(companyQueries.members(company.id));
  const all = members.data ?? [];
  const hidden = all.length - MEMBERS_SHOWN;
  return (
    <section aria-label="Team Members" className="grid grid-cols-1 gap-2">
      <QueryState query={members} what="The members" label="Loading members" rowClassName="h-9" />
      <ul aria-label="Members" className="grid grid-cols-1 divide-y rounded-md border empty:hidden">
        {all.slice(0, MEMBERS_SHOWN).map((member) => {
          const { word, tone } = roleOf(company, member);
          return (
            <li key={member.id} className="flex items-center justify-between gap-3 px-3 py-1.5">
              <span className="min-w-0 text-sm wrap-anywhere">{member.displayName}</span>
              <Badge tone={tone}>{word}</Badge>
            </li>
          );
        })}
      </ul>
      {hidden > 0 && <p className="text-sm text-muted">and {countOf(hidden, 'other', 'others')}</p>}
    </section>
  );
}
