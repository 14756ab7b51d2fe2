import { FindPart } from '@/app/routes/find-part';
import { useMayChange } from '@/app/routes/shop/use-may-change';
import { SignedInPage } from '@/app/routes/signed-in-page';
import { ShopPartsPanel } from '@/features/parts/shop-parts/components/shop-parts-panel';
import { useAddressParams } from '@/hooks/use-address-params';

/** The parts that a shop keeps. The opened one is in the address. */
export function ShopPartsRoute() {
  const [params, change] = useAddressParams();
  const mayChange = useMayChange();
  return (
    <SignedInPage
      title="Shop Parts"
      about="The part numbers that you keep, what they cost and which vehicles they fit."
      label="Loading shop parts"
      signIn="Sign in to keep parts of your shop."
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
    </SignedInPage>
  );
}
