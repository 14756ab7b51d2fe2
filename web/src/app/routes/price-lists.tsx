import { BackToShop } from '@/app/routes/shop/back-to-shop';
import { hasShop } from '@/app/routes/shop/has-shop';
import { useMayChange } from '@/app/routes/shop/use-may-change';
import { Logbook } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { PriceListsPanel } from '@/features/parts/price-lists/components/price-lists-panel';

/** The price lists that a shop has from its suppliers. */
export function PriceListsRoute() {
  const mayChange = useMayChange();
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Price Lists</title>
      <BackToShop />
      <header>
        <h1 className="page-title">Price Lists</h1>
        <p className="mt-1 max-w-xl text-soft">
          What your suppliers ask. Each price is shown with its list and its day.
        </p>
      </header>
      <SignedIn
        label="Loading price lists"
        visitor={
          <SignInRequired picture={<Logbook />}>Sign in to keep price lists.</SignInRequired>
        }
      >
        {(user) => <PriceListsPanel inPlan={hasShop(user)} mayChange={mayChange} />}
      </SignedIn>
    </div>
  );
}
