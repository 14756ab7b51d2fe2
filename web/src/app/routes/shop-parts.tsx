import { EmptyShelf } from '@/components/empty-shelf';
import { SignInRequired } from '@/components/sign-in-required';
import { FindPart } from '@/app/routes/find-part';
import { BackToShop } from '@/app/routes/shop/back-to-shop';
import { useMayChange } from '@/app/routes/shop/use-may-change';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { ShopPartsPanel } from '@/features/parts/shop-parts/components/shop-parts-panel';
import { useAddressParams } from '@/hooks/use-address-params';

/** The parts that a shop keeps. The opened one is in the address. */
export function ShopPartsRoute() {
  const [params, change] = useAddressParams();
  const mayChange = useMayChange();
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Shop Parts</title>
      <BackToShop />
      <header>
        <h1 className="page-title">Shop Parts</h1>
        <p className="mt-1 max-w-xl text-soft">
          The part numbers that you keep, what they cost and which vehicles they fit.
        </p>
      </header>
      <SignedIn
        label="Loading shop parts"
        visitor={
          <SignInRequired picture={<EmptyShelf />}>
            Sign in to keep parts of your shop.
          </SignInRequired>
        }
      >
        {() => (
          <>
            <FindPart />
            <ShopPartsPanel
              mayChange={mayChange}
              asked={params.get('part')}
              onClose={() => change({ part: null }, { replace: true })}
            />
          </>
        )}
      </SignedIn>
    </div>
  );
}
