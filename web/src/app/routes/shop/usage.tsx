import { hasShop } from '@/app/routes/shop/has-shop';
import { InBusiness } from '@/components/in-business';
import { ShopPage } from '@/app/routes/signed-in-page';
import { UsageCard } from '@/features/accounts/api-keys/components/usage-card';

/** What was scanned, and what it cost. */
export function ShopUsageRoute() {
  return (
    <ShopPage
      title="Usage"
      about="What was scanned in the browser and by API keys. What this machine answers by itself costs nothing."
      signIn="Sign in to see what was scanned."
    >
      {(user) =>
        hasShop(user) ? (
          <UsageCard />
        ) : (
          <InBusiness>With Business you see what was scanned each day, and its cost.</InBusiness>
        )
      }
    </ShopPage>
  );
}
