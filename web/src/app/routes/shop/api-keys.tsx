import { hasShop } from '@/app/routes/shop/has-shop';
import { InBusiness } from '@/components/in-business';
import { ShopPage } from '@/app/routes/signed-in-page';
import { serverPaths } from '@/config/paths';
import { ApiKeysCard } from '@/features/accounts/api-keys/components/api-keys-card';

/** Keys for the programs of a shop. */
export function ShopApiKeysRoute() {
  return (
    <ShopPage
      title="API Keys"
      about={
        <>
          For programs of your shop. A program sends its key in each request; the calls are
          described in the{' '}
          <a href={serverPaths.apiDocs} className="text-accent underline underline-offset-4">
            API documentation
          </a>
          .
        </>
      }
      signIn="Sign in to see your keys."
    >
      {(user) => (
        <>
          {!hasShop(user) && (
            <InBusiness>With Business you make keys, so that your programs can scan.</InBusiness>
          )}
          <ApiKeysCard inPlan={hasShop(user)} />
        </>
      )}
    </ShopPage>
  );
}
