import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Schemas } from '@/api/client';
import { useToast } from '@/components/ui/use-toast';
import { paths } from '@/config/paths';
import { keepAwaitedPlan } from '@/features/plans/subscription/awaited-plan';
import {
  FAILURE_PAUSE_MS,
  nextCheckout,
  startOf,
  SUCCESS_PAUSE_MS,
  type Choice,
} from '@/features/plans/subscription/checkout';
import { subscriptionMutations } from '@/features/plans/subscription/mutations';
import type { FormFailure, PaymentAnswer, PaymentForm } from '@/features/plans/subscription/stripe';

/** Where the payment provider leads back to, and where the app goes by itself. */
const AFTER_PAYMENT = `${paths.manageSubscription}?success=true`;

/** Said where the provider gives no reason. */
const PAYMENT_BROKE = 'The payment could not be sent. Please try again.';

/** An order in one of these states has its plan, and no payment waits. */
const SETTLED: Schemas['OrderedSubscription']['status'][] = ['active', 'trialing'];

/**
 * Runs one checkout: orders once, pays, and moves on when there is nothing to do.
 *
 * With a subscription that runs the order is a change of it, and waits for `confirm`. A plan that `isDue` is in force
 * and goes on with the payment.
 */
export function useCheckout(choice: Choice, hasSubscription: boolean, isDue: boolean) {
  // Once it is paid it is due no more.
  const [isRenewal] = useState(isDue);
  const [checkout, dispatch] = useReducer(nextCheckout, hasSubscription, startOf);
  const { mutate } = useMutation({
    mutationFn: hasSubscription ? subscriptionMutations.change : subscriptionMutations.create,
  });
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const { plan, price, interval } = choice;

  // React runs effects twice while developing; the server must be asked once, and once more for a stale secret.
  const asked = useRef(0);
  const orders = checkout.step !== 'creating' ? 0 : checkout.renewed === true ? 2 : 1;
  useEffect(() => {
    if (orders <= asked.current) return;
    asked.current = orders;
    mutate(
      { plan, price: Number(price), interval },
      {
        onSuccess: ({ clientSecret, status }) =>
          dispatch({ type: 'created', clientSecret, settled: SETTLED.includes(status) }),
        onError: (error) => dispatch({ type: 'refused', error }),
      },
    );
  }, [orders, mutate, plan, price, interval]);

  const failure = checkout.step === 'failed' ? checkout.failure : null;
  useEffect(() => {
    if (failure === null) return;
    const { title, description, hasPlan } = failure;
    toast({ title, description, tone: hasPlan === true ? 'neutral' : 'bad' });
    const next = hasPlan === true ? paths.manageSubscription : paths.pricing;
    // Replaced: Back would order again, fail again and lead here again.
    return after(FAILURE_PAUSE_MS, () => void navigate(next, { replace: true }));
  }, [failure, toast, navigate]);

  const paid = checkout.step === 'paid';
  useEffect(() => {
    if (!paid) return;
    keepAwaitedPlan({ plan }, isRenewal);
    toast({
      title: 'Payment Successful',
      description: isRenewal
        ? 'Thank you. Your plan goes on.'
        : 'Thank you. Your plan is on its way.',
    });
    // Status, limits and user are other ones now (specification 2, section 7).
    void queryClient.invalidateQueries();
    return after(SUCCESS_PAUSE_MS, () => void navigate(AFTER_PAYMENT, { replace: true }));
  }, [paid, plan, isRenewal, toast, queryClient, navigate]);

  const pay = async (form: PaymentForm) => {
    dispatch({ type: 'pay' });
    // The provider may lead to a page of the bank, and from there back to the subscription.
    keepAwaitedPlan({ plan }, isRenewal);
    const answer = await form
      .confirm(`${window.location.origin}${AFTER_PAYMENT}`)
      // The provider's script throws where it fails itself; the card can be tried once more.
      .catch((): PaymentAnswer => ({ type: 'declined', reason: PAYMENT_BROKE }));
    if (answer.type === 'paid') {
      dispatch({ type: 'paid' });
    } else if (answer.type === 'stale-secret') {
      dispatch({ type: 'secret-stale' });
    } else {
      dispatch({ type: 'declined' });
      toast({ title: 'Payment Failed', description: answer.reason, tone: 'bad' });
    }
  };

  return {
    checkout,
    confirm: () => dispatch({ type: 'confirmed' }),
    pay,
    formFailed: (failure: FormFailure) =>
      dispatch({ type: failure === 'stale-secret' ? 'secret-stale' : 'form-missing' }),
  };
}

function after(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}
