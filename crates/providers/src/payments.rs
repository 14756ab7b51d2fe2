//! The payment provider: customers and their subscriptions at Stripe.
//!
//! All calls to Stripe are made here. This module returns only our own types, so that a change of the library or of
//! the provider stays in it.

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

use crate::mail::ascii_domain;
use crate::{Error, PaymentFailure, http};

pub use answer::BilledSubscription;
pub use event::PaymentEvent;
pub use settings::PaymentSettings;

/// Time limit of one call; a user waits for it.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// Most subscriptions of one customer that are read, the newest first; Stripe's limit for one page.
const MAX_SUBSCRIPTIONS: i64 = 100;
/// The field of a subscription that is expanded: the open invoice with the secret that confirms its payment.
const INVOICE_SECRET: &str = "latest_invoice.confirmation_secret";
/// The metadata field with our user id, for people who use Stripe's dashboard.
const USER_ID: &str = "partsight_user_id";

/// The payment provider. Cheap to clone.
///
/// Every call that changes something has an idempotency key: repeated with the same key within a day, it changes
/// nothing and returns the same answer.
#[derive(Clone)]
pub struct Payments {
    client: Client,
    webhook_secret: Secret,
    /// The price id of each paid plan and interval.
    prices: Arc<[(PaidPlan, String); PaidPlan::ALL.len()]>,
}

partsight_domain::debug_fields!(Payments { prices });

impl Payments {
    /// The provider of these settings; no connection is made yet. `None` if no provider is set.
    ///
    /// # Errors
    /// [`Error::PaymentSettings`] when key or address cannot be used, or this system has no root certificates to
    /// verify the provider with.
    pub fn new(settings: &PaymentSettings) -> Result<Option<Self>, Error> {
        let (Some(secret_key), Some(webhook_secret), Some(prices)) =
            (&settings.secret_key, &settings.webhook_secret, settings.prices())
        else {
            return Ok(None);
        };
        http::install_crypto_provider();
        let mut builder = ClientBuilder::new(secret_key.reveal())
            .timeout(CALL_LIMIT)
            // No retries by the library: only the caller knows whether a retry is safe.
            .request_strategy(RequestStrategy::Once);
        if let Some(url) = &settings.api_base {
            builder = builder.url(format!("{}/", url.trim_end_matches('/')));
        }
        // The library panics on a system without root certificates.
        let client = catch_unwind(AssertUnwindSafe(|| builder.build()))
            .map_err(|_| Error::PaymentSettings("no trusted certificates were found"))?
            .map_err(|_| Error::PaymentSettings("the secret key or the address cannot be sent"))?;
        let (webhook_secret, prices) = (webhook_secret.clone(), Arc::new(prices));
        Ok(Some(Self { client, webhook_secret, prices }))
    }

    /// Creates a customer for a user, and returns the customer's id.
    pub async fn create_customer(&self, key: &str, user_id: UserId, email: &str) -> Result<String, Error> {
        let metadata = HashMap::from([(USER_ID.to_owned(), user_id.to_string())]);
        let request = CreateCustomer::new().email(ascii_domain(email)).metadata(metadata);
        let customer = request.customize().request_strategy(once(key)?).send(&self.client).await;
        Ok(customer.map_err(failure::from_library)?.id.as_str().to_owned())
    }

    /// Deletes a customer permanently, which ends their subscriptions at once. A customer who does not exist is not
    /// an error.
    pub async fn delete_customer(&self, customer_id: &str) -> Result<(), Error> {
        // Deleting twice has the same effect as once, so no key is needed.
        match DeleteCustomer::new(customer_id).send(&self.client).await.map_err(failure::from_library) {
            Err(Error::Payments(PaymentFailure::Missing)) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The newest 100 subscriptions of a customer, including ended ones; empty if the customer does not exist.
    pub async fn subscriptions(&self, customer_id: &str) -> Result<Vec<BilledSubscription>, Error> {
        let request = ListSubscription::new()
            .customer(customer_id)
            .status(ListSubscriptionStatus::All)
            .limit(MAX_SUBSCRIPTIONS)
            .expand([format!("data.{INVOICE_SECRET}")]);
        match request.send(&self.client).await.map_err(failure::from_library) {
            Ok(list) => list.data.into_iter().map(|subscription| self.read(subscription)).collect(),
            Err(Error::Payments(PaymentFailure::Missing)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Creates a subscription that waits for its first payment.
    ///
    /// # Errors
    /// [`PaymentFailure::Missing`] if the customer does not exist.
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
            // Starts unpaid, and waits for the browser to confirm; card data never passes through here.
            .payment_behavior(CreateSubscriptionPaymentBehavior::DefaultIncomplete)
            .payment_settings(payment)
            .expand([INVOICE_SECRET.to_owned()]);
        let answer = request.customize().request_strategy(once(key)?).send(&self.client).await;
        self.read(answer.map_err(failure::from_library)?)
    }

    /// Changes the plan of a subscription. The unused part of the current period is credited towards the new price,
    /// and the difference is charged at once.
    ///
    /// If that payment needs a confirmation or fails, the result has a pending change, and the plan is still the
    /// old one.
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

    /// Lets a subscription end with its period, or revokes that.
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

    /// Ends a subscription at once. One that has ended or does not exist is not an error.
    pub async fn cancel_now(&self, subscription_id: &str) -> Result<(), Error> {
        // Cancelling twice has the same effect as once, so no key is needed.
        match CancelSubscription::new(subscription_id).send(&self.client).await.map_err(failure::from_library)
        {
            Err(Error::Payments(PaymentFailure::Missing)) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Checks that the provider's price for `offer` equals that in our table of plans. Done before every order: a
    /// price at Stripe cannot change, but can be archived.
    ///
    /// # Errors
    /// [`Error::PriceDiffers`] if it differs, or is not on sale.
    pub async fn check_price(&self, offer: PaidPlan) -> Result<(), Error> {
        let price_id = self.price_id(offer);
        let differs = || Error::PriceDiffers { price_id: price_id.to_owned(), expected: offer.to_string() };
        let price = match RetrievePrice::new(price_id).send(&self.client).await.map_err(failure::from_library)
        {
            Err(Error::Payments(PaymentFailure::Missing)) => return Err(differs()),
            price => price?,
        };
        let interval = price.recurring.as_ref().filter(|recurring| recurring.interval_count == 1);
        // All fields: an amount alone would also fit a price in another currency or for another period.
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

/// A single attempt; its idempotency key makes it safe to repeat.
fn once(key: &str) -> Result<RequestStrategy, Error> {
    let key = IdempotencyKey::new(key).map_err(|_| Error::Payments(PaymentFailure::Key))?;
    Ok(RequestStrategy::Idempotent(key))
}
