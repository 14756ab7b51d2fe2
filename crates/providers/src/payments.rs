//! The payment provider: customers and their subscriptions at Stripe.
//!
//! [`Payments`] is the one place that speaks to it. What leaves this module are our own types, so that a change of
//! the provider's library, or of the provider, stays here.

mod answer;
mod event;
mod failure;
mod settings;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use partsight_domain::{CURRENCY, PaidPlan, Secret, UserId};
use stripe::{Client, ClientBuilder, IdempotencyKey, RequestStrategy, StripeRequest};
use stripe_billing::subscription::{
    CancelSubscription, CreateSubscription, CreateSubscriptionItems, CreateSubscriptionPaymentBehavior,
    CreateSubscriptionPaymentSettings, CreateSubscriptionPaymentSettingsSaveDefaultPaymentMethod,
    ListSubscription, ListSubscriptionStatus, UpdateSubscription, UpdateSubscriptionItems,
    UpdateSubscriptionPaymentBehavior, UpdateSubscriptionProrationBehavior,
};
use stripe_core::customer::{CreateCustomer, DeleteCustomer};
use stripe_product::price::RetrievePrice;

use crate::{Error, http};

pub use answer::BilledSubscription;
pub use event::PaymentEvent;
pub use failure::PaymentFailure;
pub use settings::PaymentSettings;

/// How long one call may take. A person waits for it.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// Subscriptions of one customer that are looked at, the newest first; the most that one answer can have.
const MAX_SUBSCRIPTIONS: i64 = 100;
/// The invoice that a subscription waits for, with the secret that its payment is confirmed with.
const INVOICE_SECRET: &str = "latest_invoice.confirmation_secret";
/// The customer's field that says whose it is, for people who look at it at the provider.
const USER_ID: &str = "partsight_user_id";

/// The payment provider. Cheap to clone.
///
/// Every call that changes something takes a key: sent again with the same key within a day, it is not done
/// again, and answers what it answered.
#[derive(Clone)]
pub struct Payments {
    client: Client,
    webhook_secret: Secret,
    /// The id of the price of everything that can be bought.
    prices: Arc<[(PaidPlan, String); PaidPlan::ALL.len()]>,
}

partsight_domain::debug_fields!(Payments { prices });

impl Payments {
    /// The provider of these settings, not asked for anything yet; none where they name none.
    ///
    /// # Errors
    /// [`Error::PaymentSettings`] when key or address cannot be used, or no certificate of this system can tell
    /// who the provider is.
    pub fn new(settings: &PaymentSettings) -> Result<Option<Self>, Error> {
        let (Some(secret_key), Some(webhook_secret), Some(prices)) =
            (&settings.secret_key, &settings.webhook_secret, settings.prices())
        else {
            return Ok(None);
        };
        http::choose_cryptography();
        let mut builder = ClientBuilder::new(secret_key.reveal())
            .timeout(CALL_LIMIT)
            // The library repeats nothing by itself: whoever calls knows whether a repetition is safe.
            .request_strategy(RequestStrategy::Once);
        if let Some(url) = &settings.api_base {
            builder = builder.url(format!("{}/", url.trim_end_matches('/')));
        }
        // The library panics where the system trusts no certificate at all.
        let client = catch_unwind(AssertUnwindSafe(|| builder.build()))
            .map_err(|_| Error::PaymentSettings { reason: "no trusted certificates were found" })?
            .map_err(|_| Error::PaymentSettings { reason: "the secret key or the address cannot be sent" })?;
        let (webhook_secret, prices) = (webhook_secret.clone(), Arc::new(prices));
        Ok(Some(Self { client, webhook_secret, prices }))
    }

    /// Makes a customer for a user, and gives its id.
    pub async fn create_customer(&self, key: &str, user_id: UserId, email: &str) -> Result<String, Error> {
        let metadata = HashMap::from([(USER_ID.to_owned(), user_id.to_string())]);
        let request = CreateCustomer::new().email(email).metadata(metadata);
        let customer = request.customize().request_strategy(once(key)?).send(&self.client).await;
        Ok(customer.map_err(failure::from_library)?.id.as_str().to_owned())
    }

    /// Deletes a customer for good, which ends their subscriptions at once. One that is gone already is no error.
    pub async fn delete_customer(&self, customer_id: &str) -> Result<(), Error> {
        // Deleting twice is deleting once: this call needs no key.
        match DeleteCustomer::new(customer_id).send(&self.client).await.map_err(failure::from_library) {
            Err(Error::Payments { failure: PaymentFailure::Missing }) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The newest 100 subscriptions of a customer, ended ones included; none of a customer who is gone.
    pub async fn subscriptions(&self, customer_id: &str) -> Result<Vec<BilledSubscription>, Error> {
        let request = ListSubscription::new()
            .customer(customer_id)
            .status(ListSubscriptionStatus::All)
            .limit(MAX_SUBSCRIPTIONS)
            .expand([format!("data.{INVOICE_SECRET}")]);
        match request.send(&self.client).await.map_err(failure::from_library) {
            Ok(list) => list.data.into_iter().map(|subscription| self.read(subscription)).collect(),
            Err(Error::Payments { failure: PaymentFailure::Missing }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Begins a subscription that waits for its first payment.
    ///
    /// # Errors
    /// [`PaymentFailure::Missing`] for a customer who is gone.
    pub async fn subscribe(
        &self,
        key: &str,
        customer_id: &str,
        offer: PaidPlan,
    ) -> Result<BilledSubscription, Error> {
        let mut item = CreateSubscriptionItems::new();
        item.price = Some(self.price_id(offer).to_owned());
        let mut payment = CreateSubscriptionPaymentSettings::new();
        // Renewals and changes are paid with the card of the first payment.
        payment.save_default_payment_method =
            Some(CreateSubscriptionPaymentSettingsSaveDefaultPaymentMethod::OnSubscription);
        let request = CreateSubscription::new()
            .customer(customer_id)
            .items([item])
            // The subscription begins unpaid and waits for the browser to confirm; the card never passes through here.
            .payment_behavior(CreateSubscriptionPaymentBehavior::DefaultIncomplete)
            .payment_settings(payment)
            .expand([INVOICE_SECRET.to_owned()]);
        let answer = request.customize().request_strategy(once(key)?).send(&self.client).await;
        self.read(answer.map_err(failure::from_library)?)
    }

    /// Changes what a subscription pays for. What is left of the present period is set off against the price of
    /// the new one, and the difference is charged at once.
    ///
    /// Where that payment does not succeed by itself, the answer waits for a payment and nothing has changed yet.
    pub async fn change(
        &self,
        key: &str,
        subscription: &BilledSubscription,
        offer: PaidPlan,
    ) -> Result<BilledSubscription, Error> {
        let mut item = UpdateSubscriptionItems::new();
        item.id = Some(subscription.item_id.clone());
        item.price = Some(self.price_id(offer).to_owned());
        let request = UpdateSubscription::new(subscription.id.as_str())
            .items([item])
            // The old plan stays until the difference is paid: see docs/decisions/0029-stripe-is-the-truth.md.
            .payment_behavior(UpdateSubscriptionPaymentBehavior::PendingIfIncomplete)
            .proration_behavior(UpdateSubscriptionProrationBehavior::AlwaysInvoice)
            .expand([INVOICE_SECRET.to_owned()]);
        let answer = request.customize().request_strategy(once(key)?).send(&self.client).await;
        self.read(answer.map_err(failure::from_library)?)
    }

    /// Lets a subscription end with its period, or go on after all.
    pub async fn set_cancel_at_period_end(
        &self,
        key: &str,
        subscription_id: &str,
        cancels: bool,
    ) -> Result<BilledSubscription, Error> {
        let request = UpdateSubscription::new(subscription_id).cancel_at_period_end(cancels);
        let answer = request.customize().request_strategy(once(key)?).send(&self.client).await;
        self.read(answer.map_err(failure::from_library)?)
    }

    /// Ends a subscription at once. One that has ended or is gone is no error.
    pub async fn cancel_now(&self, subscription_id: &str) -> Result<(), Error> {
        // Ending twice is ending once: this call needs no key.
        match CancelSubscription::new(subscription_id).send(&self.client).await.map_err(failure::from_library)
        {
            Err(Error::Payments { failure: PaymentFailure::Missing }) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes sure that the provider charges for `offer` what our table of plans says. Asks before every order: a
    /// price never changes there, but it can be archived.
    ///
    /// # Errors
    /// [`Error::PriceDiffers`] when it does not, or does not sell it.
    pub async fn check_price(&self, offer: PaidPlan) -> Result<(), Error> {
        let price_id = self.price_id(offer);
        let differs = || Error::PriceDiffers { price_id: price_id.to_owned(), expected: offer.to_string() };
        let price = match RetrievePrice::new(price_id).send(&self.client).await.map_err(failure::from_library)
        {
            Err(Error::Payments { failure: PaymentFailure::Missing }) => return Err(differs()),
            price => price?,
        };
        let interval = price.recurring.as_ref().filter(|recurring| recurring.interval_count == 1);
        // All of it: an amount alone would fit a price in another currency or by another period.
        let fits = price.active
            && price.unit_amount == Some(i64::from(offer.price_cents()))
            && price.currency.to_string() == CURRENCY
            && interval.map(|recurring| recurring.interval.as_str()) == Some(offer.interval().as_str());
        if fits { Ok(()) } else { Err(differs()) }
    }

    fn read(&self, answer: stripe_billing::Subscription) -> Result<BilledSubscription, Error> {
        BilledSubscription::read(answer, self.prices.as_slice())
    }

    fn price_id(&self, offer: PaidPlan) -> &str {
        let found = self.prices.iter().find(|(priced, _)| *priced == offer);
        &found.expect("BUG: the settings have a price for each offer").1
    }
}

/// One attempt, which its key makes safe to repeat.
fn once(key: &str) -> Result<RequestStrategy, Error> {
    let key = IdempotencyKey::new(key).map_err(|_| Error::Payments { failure: PaymentFailure::Key })?;
    Ok(RequestStrategy::Idempotent(key))
}
