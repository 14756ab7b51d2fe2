/** The little that we use of Stripe.js; its reference is https://docs.stripe.com/js. */
export type PaymentForm = {
  /** Puts the card fields into `place`. */
  mount: (
    place: HTMLElement,
    onReady: () => void,
    onFailure: (failure: FormFailure) => void,
  ) => void;
  /** Charges the card. The provider may lead the browser away to confirm it, and back to `returnUrl`. */
  confirm: (returnUrl: string) => Promise<PaymentAnswer>;
  unmount: () => void;
};

/** Why the card fields did not come: the secret is expired or used up, or anything else. */
export type FormFailure = 'stale-secret' | 'missing';

/** What became of a payment; `declined` says why a card was not charged. */
export type PaymentAnswer =
  { type: 'paid' } | { type: 'declined'; reason: string } | { type: 'stale-secret' };

type StripeElement = {
  mount: (place: HTMLElement) => void;
  unmount: () => void;
  on: (event: 'ready' | 'loaderror', then: (event?: { error?: StripeError }) => void) => void;
};
type StripeElements = { create: (kind: 'payment', options?: object) => StripeElement };
type StripeError = { code?: string; message?: string };
type Stripe = {
  elements: (options: { clientSecret: string; appearance: object }) => StripeElements;
  confirmPayment: (options: {
    elements: StripeElements;
    confirmParams: { return_url: string };
    redirect: 'if_required';
  }) => Promise<{ error?: StripeError }>;
};

/** Where the script puts itself. */
export type StripeWindow = Window & { Stripe?: (publishableKey: string) => Stripe };

const stripeWindow: StripeWindow = window;

/** Stripe asks that its script is always fetched from itself, and that nobody bundles it. */
const SCRIPT = 'https://js.stripe.com/v3/';

/** Codes of a payment that takes no card any more: paid, cancelled, expired, or gone. */
const STALE_CODES = ['payment_intent_unexpected_state', 'resource_missing'];

function isStale(error: StripeError | undefined): boolean {
  return error?.code !== undefined && STALE_CODES.includes(error.code);
}

let loading: Promise<void> | null = null;

function loadScript(): Promise<void> {
  if (stripeWindow.Stripe !== undefined) return Promise.resolve();
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.onload = () => resolve();
    script.onerror = () => {
      // Another visit may try again.
      loading = null;
      script.remove();
      reject(new Error(`${SCRIPT} could not be loaded`));
    };
    document.head.append(script);
  });
  return loading;
}

/** The card form for one payment. The card number goes from it to Stripe, and never through us. */
export async function openPaymentForm(
  publishableKey: string,
  clientSecret: string,
): Promise<PaymentForm> {
  await loadScript();
  if (stripeWindow.Stripe === undefined) throw new Error(`${SCRIPT} did not define Stripe`);
  const stripe = stripeWindow.Stripe(publishableKey);
  const elements = stripe.elements({ clientSecret, appearance: { theme: 'night' } });
  const element = elements.create('payment', { layout: 'tabs' });
  return {
    mount: (place, onReady, onFailure) => {
      element.on('ready', () => onReady());
      element.on('loaderror', (event) =>
        onFailure(isStale(event?.error) ? 'stale-secret' : 'missing'),
      );
      element.mount(place);
    },
    confirm: async (returnUrl) => {
      const { error } = await stripe.confirmPayment({
        elements,
        confirmParams: { return_url: returnUrl },
        redirect: 'if_required',
      });
      if (error === undefined) return { type: 'paid' };
      if (isStale(error)) return { type: 'stale-secret' };
      return { type: 'declined', reason: error.message ?? 'The card was not charged.' };
    },
    unmount: () => element.unmount(),
  };
}
