import { ShopPage } from '@/app/routes/shop/shop-page';
import { AnswerSettings } from '@/app/routes/shop/answer-settings';

/** How sure an answer must be, who else is asked, and what is learnt. */
export function ShopAccuracyRoute() {
  return (
    <ShopPage
      title="Accuracy"
      about="How sure an answer must be, who is asked when it is not, and what feedback teaches."
      signIn="Sign in to see how your scans are answered."
    >
      {() => <AnswerSettings />}
    </ShopPage>
  );
}
