import { hasShop } from '@/app/routes/shop/has-shop';
import { useMayChange } from '@/app/routes/shop/use-may-change';
import { SignedInPage } from '@/app/routes/signed-in-page';
import { Logbook } from '@/components/pictures';
import { PriceListsPanel } from '@/features/parts/price-lists/components/price-lists-panel';

/** The price lists that a shop has from its suppliers. */
export function PriceListsRoute() {
  const mayChange = useMayChange();
  return (
    <SignedInPage
      title="Price Lists"
      about="What your suppliers ask. Each price is shown with its list and its day."
      label="Loading price lists"
      signIn="Sign in to keep price lists."
      picture={<Logbook />}
    >
      {(user) => <PriceListsPanel inPlan={hasShop(user)} mayChange={mayChange} />}
    </SignedInPage>
  );
}
