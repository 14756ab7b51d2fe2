import type { Route } from '@playwright/test';
import type { Schemas } from '@/api/client';
import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expectToast, fail } from '../failures';
import { expect, test, type App } from '../fixtures';

/**
 * Buying a plan in the browser: the page, its content policy and what it says.
 *
 * The server has the settings of a payment provider that nobody can reach; what the provider and its
 * script would answer is answered here.
 */

const STRIPE = {
  PARTSIGHT_STRIPE_SECRET_KEY: 'sk_test_1',
  PARTSIGHT_STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  PARTSIGHT_STRIPE_WEBHOOK_SECRET: 'whsec_1',
  PARTSIGHT_STRIPE_PRICE_PRO_MONTH: 'price_a',
  PARTSIGHT_STRIPE_PRICE_PRO_YEAR: 'price_b',
  PARTSIGHT_STRIPE_PRICE_BUSINESS_MONTH: 'price_c',
  PARTSIGHT_STRIPE_PRICE_BUSINESS_YEAR: 'price_d',
  PARTSIGHT_STRIPE_API_BASE: 'http://127.0.0.1:1',
};

/** Stripe.js as far as the checkout uses it: the Payment Element, and `confirmPayment`. */
const SCRIPT = `
  window.Stripe = (key) => ({
    elements: ({ clientSecret }) => ({
      create: (kind) => ({
        mount: (place) => {
          place.textContent = 'Card fields of ' + key + ' for ' + clientSecret;
        },
        on: (event, then) => { if (event === 'ready') setTimeout(then); },
        unmount: () => {},
      }),
    }),
    confirmPayment: async () => 
      window.declined ? { error: { message: window.declined, code: window.code } } : {},
  });
`;

const order = {
  clientSecret: 'pi_1_secret_2',
  message: 'Please confirm the payment.',
  plan: 'pro',
  interval: 'month',
  status: 'incomplete',
};

/** What the server says once the provider has confirmed the payment. */
const paid: Schemas['SubscriptionStatus'] = {
  plan: 'Pro',
  paidPlan: 'Pro',
  scansRemaining: null,
  currentPeriodEnd: 1_798_761_600,
  cancelAtPeriodEnd: false,
  status: 'active',
  canManage: true,
  canCancel: true,
  interval: 'month',
  cancellationRequested: false,
  ordered: null,
};

/** Pays; the provider confirms the payment a moment later. */
async function payAndConfirm({ page }: App) {
  await page.getByRole('button', { name: 'Pay $4.99' }).click();
  await expect(page.getByText('Waiting for your payment to be confirmed')).toBeVisible();
  await page.route('**/api/subscription/status', (route) => route.fulfill({ json: paid }));
  await expect(page.getByText('Payment successful!', { exact: true })).toBeVisible();
}

async function withPayments({ page }: App) {
  await page.route('https://js.stripe.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: SCRIPT }),
  );
  await page.route('**/api/create-subscription', (route) => route.fulfill({ json: order }));
}

test.describe('with payments', () => {
  test.use({ settings: STRIPE });

  test('from the prices to a paid plan', async ({ owner }) => {
    const { page } = owner;
    await withPayments(owner);
    await owner.goTo('Pricing');
    await page.getByRole('link', { name: 'Choose Pro' }).click();
    await expect(page).toHaveURL(/\/subscribe\?plan=pro&price=4\.99&interval=month$/);
    await expect(page.getByRole('main')).toMatchAriaSnapshot(`
      - link "Back to Profile"
      - heading "Subscribe" [level=1]
      - region "Subscribe to Partsight Pro":
        - heading "Subscribe to Partsight Pro" [level=2]
        - paragraph: /\\$4\\.99 per month/
        - form "Card payment":
          - text: Card fields of pk_test_1 for pi_1_secret_2
          - button "Pay $4.99"
    `);
    await expectSoundAtEveryWidth(owner);

    await page.evaluate(() => {
      Object.assign(window, { declined: 'Your card was declined.' });
    });
    await page.getByRole('button', { name: 'Pay $4.99' }).click();
    await expect(page.getByText('Payment Failed', { exact: true })).toBeVisible();
    await expect(page.getByText('Your card was declined.', { exact: true })).toBeVisible();

    await page.evaluate(() => {
      Object.assign(window, { declined: null });
    });
    await payAndConfirm(owner);
    await expect(page).toHaveURL(/\/manage-subscription$/);
    await expect(page.getByText(/Your subscription has been activated/)).toBeVisible();
    await expectSoundAtEveryWidth(owner);
  });

  test('a walk to the checkout inside the app loads the page that may show the card', async ({
    owner,
  }) => {
    const { page } = owner;
    await withPayments(owner);
    await owner.goTo('Pricing');
    await page.evaluate(() => {
      window.history.pushState({}, '', '/subscribe');
      window.dispatchEvent(new PopStateEvent('popstate'));
    });
    await expect(page.getByRole('button', { name: 'Pay $4.99' })).toBeEnabled();
  });

  test('a walk from the checkout into the app loads a page that may run the model', async ({
    owner,
  }) => {
    const { page } = owner;
    await withPayments(owner);
    // What a page may run is what its own answer said.
    const mayRunModel = () =>
      page.evaluate(async () => {
        // The smallest module of WebAssembly.
        const module = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
        return WebAssembly.compile(module).then(
          () => true,
          () => false,
        );
      });
    // A page that is left while it is asked gives no answer: the next one is asked.
    const expectModelMayRun = () =>
      expect(async () => {
        expect(await mayRunModel()).toBe(true);
      }).toPass();
    await owner.open('/subscribe?plan=pro&price=4.99&interval=month');
    await expect(page.getByRole('button', { name: 'Pay $4.99' })).toBeEnabled();
    expect(await mayRunModel()).toBe(false);
    await page.getByRole('link', { name: 'Back to Profile' }).click();
    await expect(page).toHaveURL(/\/profile$/);
    await expectModelMayRun();
    // The page was loaded anew: it is judged once it is there.
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await owner.expectSound();

    await page.goBack();
    await expect(page.getByRole('button', { name: 'Pay $4.99' })).toBeEnabled();
    expect(await mayRunModel()).toBe(false);
    await owner.goTo('Scan');
    await expectModelMayRun();
  });

  test('the cards say what the server sells', async ({ owner }) => {
    const { page } = owner;
    await owner.goTo('Pricing');
    const { plans } = await page.evaluate(
      async () => (await (await fetch('/api/plans')).json()) as Schemas['PlanList'],
    );
    expect(plans).toHaveLength(3);
    for (const interval of ['Monthly', 'Annual']) {
      await page.getByRole('button', { name: interval, exact: true }).click();
      for (const { name, monthCents, yearCents, benefits } of plans) {
        const card = page.getByRole('region', { name: `${name} plan` });
        const cents = interval === 'Annual' ? yearCents : monthCents;
        const price = cents === 0 ? '$0' : `$${(cents / 100).toFixed(2)}`;
        await expect(card.getByText(price, { exact: true })).toBeVisible();
        await expect(card.getByRole('listitem')).toHaveText(benefits);
      }
    }
  });

  test('the provider cannot be reached', async ({ owner }) => {
    const { page } = owner;
    await owner.open('/subscribe?plan=business&price=14.99&interval=month');
    await expect(page.getByText('Subscription Error', { exact: true }).first()).toBeVisible();
    await expect(
      page.getByText('Failed to initialize subscription. Please try again.', { exact: true }),
    ).toBeVisible();
    await expect(page).toHaveURL(/\/pricing$/);
  });

  test('an order that fails says why, and can be made again', async ({ owner }) => {
    const { page } = owner;
    const address = '/subscribe?plan=pro&price=4.99&interval=month';
    const expectPlansAfter = async (reason: string) => {
      await owner.open(address);
      // Who walks away from the checkout loads a page anew.
      const plans = page.waitForEvent('load');
      // Both stand for three seconds.
      await Promise.all([
        expect(page.getByText(reason, { exact: true })).toBeVisible(),
        expectToast(
          owner,
          'Subscription Error',
          'Failed to initialize subscription. Please try again.',
        ),
      ]);
      await plans;
      await expect(page).toHaveURL(/\/pricing$/);
    };
    await withPayments(owner);
    const mend = await fail(owner, 'POST', '**/api/create-subscription');
    await expectPlansAfter('Failed to create subscription');
    await mend();
    const withoutSecret = (route: Route) =>
      route.fulfill({ json: { ...order, clientSecret: null } });
    await page.route('**/api/create-subscription', withoutSecret);
    await expectPlansAfter('No client secret received');
    await page.unroute('**/api/create-subscription', withoutSecret);
    await owner.open(address);
    await expect(page.getByRole('button', { name: 'Pay $4.99' })).toBeEnabled();
  });

  test('a reload orders nothing twice and shows the card form again', async ({ owner }) => {
    const { page } = owner;
    await withPayments(owner);
    await owner.open('/subscribe?plan=pro&price=4.99&interval=month');
    await expect(page.getByRole('button', { name: 'Pay $4.99' })).toBeEnabled();
    const asked = page.waitForRequest('**/api/create-subscription');
    await page.reload();
    expect((await asked).postDataJSON()).toEqual({ plan: 'pro', price: 4.99, interval: 'month' });
    await expect(page.getByRole('button', { name: 'Pay $4.99' })).toBeEnabled();
    await payAndConfirm(owner);
  });

  test('a visitor signs in first, and is brought back', async ({ app }) => {
    const { page } = app;
    await app.prepareOwner();
    await page.context().clearCookies();
    await withPayments(app);
    await app.open('/subscribe?plan=pro&price=49.90&interval=year');
    await expect(page.getByText('Sign In Required')).toBeVisible();
    await expect(
      page.getByText("You need to sign in to subscribe to Partsight's Pro plan."),
    ).toBeVisible();
    await expectSoundAtEveryWidth(app);
    await page.getByRole('link', { name: 'Go to Sign In' }).click();
    await app.signIn();
    await expect(page.getByRole('button', { name: 'Pay $49.90' })).toBeEnabled();
  });
});

test('without payments the plan is unavailable, and the plans follow', async ({ owner }) => {
  const { page } = owner;
  await owner.goTo('Pricing');
  await page.getByRole('link', { name: 'Choose Pro' }).click();
  await expect(page.getByText('Plan Unavailable', { exact: true }).first()).toBeVisible();
  await expect(
    page.getByText(
      'This subscription plan is being updated. Please contact support or try again later.',
      { exact: true },
    ),
  ).toBeVisible();
  await owner.expectSound();
  await expect(page).toHaveURL(/\/pricing$/);
});

test('a paid plan is cancelled by request', async ({ owner }) => {
  const { page } = owner;
  const status = { ...paid, currentPeriodEnd: 1_800_000_000 };
  await page.route('**/api/subscription/status', (route) => route.fulfill({ json: status }));
  await page.route('**/api/subscription/request-cancellation', (route) =>
    route.fulfill({ status: 500, json: { detail: '' } }),
  );
  await owner.open('/manage-subscription');
  await expect(page.getByText('Unlimited')).toBeVisible();
  await expect(page.getByText('Need Help?')).toBeVisible();
  await page.getByRole('button', { name: 'Request Cancellation' }).click();
  const question = page.getByRole('alertdialog');
  await owner.expectSound();
  await question.getByRole('button', { name: 'Request Cancellation' }).click();
  await expect(
    page.getByText('Failed to send cancellation request', { exact: true }),
  ).toBeVisible();
  await expect(
    page.getByText('Please try contacting support directly.', { exact: true }),
  ).toBeVisible();
  await page.route('**/api/subscription/request-cancellation', (route) =>
    route.fulfill({ json: { message: 'Sent.' } }),
  );
  await page.getByRole('button', { name: 'Request Cancellation' }).click();
  await question.getByRole('button', { name: 'Request Cancellation' }).click();
  await expect(page.getByText('Cancellation request sent')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
});
