import { useQuery } from '@tanstack/react-query';
import { authQueries } from '@/features/accounts/auth/queries';
import { PlanCards } from '@/features/plans/subscription/components/plan-cards';
import { PricingFaq } from '@/features/plans/subscription/components/pricing-faq';
import { WhyUpgrade } from '@/features/plans/subscription/components/why-upgrade';

export function PricingRoute() {
  const user = useQuery(authQueries.user());
  return (
    <div className="page grid gap-10">
      <title>Partsight - Pricing</title>
      <div className="grid gap-6">
        <header>
          <h1 className="page-title">Pricing</h1>
          <p className="mt-1 text-soft">Basic is free. Pro and Business do not count scans.</p>
        </header>
        <PlanCards planType={user.data?.planType ?? null} />
      </div>
      <WhyUpgrade />
      <PricingFaq />
    </div>
  );
}
