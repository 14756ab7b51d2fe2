/** The little that we use of Stripe.js; its reference is https://docs.stripe.com/js. */
export type PaymentForm = {
  /** Puts the card fields into `place`. */
  mount: (place: HTMLElement, onReady: () => void, onFailure: () => void) => void;
  /** Charges the card. The provider may lead the browser away to confirm it, and back to `returnUrl`. */
  confirm: (returnUrl: string) => Promise<{ declined: string | null }>;
  unmount: () => void;
};

type StripeElement = {
  mount: (place: HTMLElement) => void;
  unmount: () => void;
  on: (event: 'ready' | 'loaderror', then: () => void) => void;
};
type StripeElements = { create: (kind: 'payment', options?: object) => StripeElement };
type StripeError = { message?: string };
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

let loading: Promise<void> | null = null;

function loadScript(): Promise<void> {
  if (stripeWindow.Stripe !== undefined) return Promise.resolve();
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.onload = () => {
      resolve();
    };
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
      element.on('ready', onReady);
      element.on('loaderror', onFailure);
      element.mount(place);
    },
    confirm: async (returnUrl) => {
      const { error } = await stripe.confirmPayment({
        elements,
        confirmParams: { return_url: returnUrl },
        redirect: 'if_required',
      });
      return {
        declined: error === undefined ? null : (error.message ?? 'The card was not charged.'),
      };
    },
    unmount: () => {
      element.unmount();
    },
  };
}
