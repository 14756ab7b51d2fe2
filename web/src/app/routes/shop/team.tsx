import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { hasShop } from '@/app/routes/shop/has-shop';
import { InBusiness } from '@/components/in-business';
import { ShopPage } from '@/app/routes/signed-in-page';
import { QueryState } from '@/components/query-state';
import { CompanySection } from '@/features/plans/company/components/company-section';
import { companyQueries } from '@/features/plans/company/queries';

/** The company and its people. */
export function ShopTeamRoute() {
  return (
    <ShopPage
      title="Company and Team"
      about="Your company, and the people who share its plan."
      signIn="Sign in to see your company."
    >
      {(user) => <Team user={user} />}
    </ShopPage>
  );
}

type TeamProps = { user: Schemas['User'] };

/** Who is in a company whose plan has ended sees the team as well, to leave it. */
function Team({ user }: TeamProps) {
  const company = useQuery(companyQueries.own());
  if (hasShop(user) || company.data != null) return <CompanySection user={user} />;
  if (company.data === undefined) {
    return <QueryState query={company} what="Your company" label="Loading your company" rows={2} />;
  }
  return <InBusiness>With Business you name your shop and share the plan with a team.</InBusiness>;
}
