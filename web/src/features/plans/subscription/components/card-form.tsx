import { Lock } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { LoadingBlock } from '@/components/ui/skeleton';
import {
  openPaymentForm,
  type FormFailure,
  type PaymentForm,
} from '@/features/plans/subscription/stripe';

type CardFormProps = {
  publishableKey: string;
  clientSecret: string;
  paying: boolean;
  label: string;
  onPay: (form: PaymentForm) => Promise<void>;
  /** The payment provider's form did not come. */
  onFailure: (failure: FormFailure) => void;
};

/** The payment provider's card fields, which live in a frame of its own, and our button. */
export function CardForm({
  publishableKey,
  clientSecret,
  paying,
  label,
  onPay,
  onFailure,
}: CardFormProps) {
  const place = useRef<HTMLDivElement>(null);
  const [form, setForm] = useState<PaymentForm | null>(null);
  const failed = useEffectEvent(onFailure);

  useEffect(() => {
    let shown: PaymentForm | null = null;
    let gone = false;
    openPaymentForm(publishableKey, clientSecret)
      .then((opened) => {
        if (gone || place.current === null) return;
        shown = opened;
        opened.mount(place.current, () => setForm(opened), failed);
      })
      .catch(() => {
        if (!gone) failed('missing');
      });
    return () => {
      gone = true;
      shown?.unmount();
    };
  }, [publishableKey, clientSecret]);

  return (
    <form
      aria-label="Card payment"
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (form !== null && !paying) void onPay(form);
      }}
    >
      {form === null && <LoadingBlock label="Loading the card form" rows={2} rowClassName="h-12" />}
      <div ref={place} />
      <Button type="submit" look="primary" disabled={form === null || paying}>
        {paying ? 'Processing...' : label}
      </Button>
      <p className="flex items-center justify-center gap-1.5 text-xs text-muted">
        <Lock className="size-3.5" aria-hidden />
        Your card number goes to Stripe and never to this server.
      </p>
    </form>
  );
}
