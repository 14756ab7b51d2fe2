import { PlanCards } from '@/features/subscription/components/plan-cards';

export function PricingRoute() {
  return (
    <div className="page grid gap-6">
      <title>Partsight - Pricing</title>
      <header>
        <h1 className="page-title">Pricing</h1>
        <p className="mt-1 text-soft">Basic is free. Pro and Business do not count scans.</p>
      </header>
      <PlanCards />
    </div>
  );
}
