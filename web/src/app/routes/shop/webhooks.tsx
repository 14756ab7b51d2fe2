import { hasShop } from '@/app/routes/shop/has-shop';
import { InBusiness } from '@/components/in-business';
import { ShopPage } from '@/app/routes/signed-in-page';
import { serverPaths } from '@/config/paths';
import { WebhooksCard } from '@/features/events/webhooks/components/webhooks-card';

/** Programs of a shop that are told what happens. */
export function ShopWebhooksRoute() {
  return (
    <ShopPage
      title="Webhooks"
      about={
        <>
          Addresses of your programs that are told when a photo has its answer, a batch is done or
          something is due. How a message is signed is described in the{' '}
          <a href={serverPaths.apiDocs} className="text-accent underline underline-offset-4">
            API documentation
          </a>
          .
        </>
      }
      signIn="Sign in to see your webhooks."
    >
      {(user) => (
        <>
          {!hasShop(user) && (
            <InBusiness>With Business your programs are told what happens here.</InBusiness>
          )}
          <WebhooksCard inPlan={hasShop(user)} />
        </>
      )}
    </ShopPage>
  );
}
