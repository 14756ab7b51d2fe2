import { AnswerSettings } from '@/app/routes/shop/answer-settings';
import { EvaluationReport } from '@/app/routes/shop/evaluation-report';
import { ShopPage } from '@/app/routes/signed-in-page';
import { useAddressParams } from '@/hooks/use-address-params';

/** How sure an answer must be, who else is asked, what is learnt; and one evaluation where the address names it. */
export function ShopAccuracyRoute() {
  const [params] = useAddressParams();
  const evaluation = params.get('evaluation');
  return (
    <ShopPage
      title="Accuracy"
      about="How sure an answer must be, who is asked when it is not, and what feedback teaches."
      signIn="Sign in to see how your scans are answered."
    >
      {(user) =>
        evaluation === null ? (
          <AnswerSettings inPlan={user.planType !== 'basic'} />
        ) : (
          <EvaluationReport id={evaluation} />
        )
      }
    </ShopPage>
  );
}
