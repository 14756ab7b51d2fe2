use partsight_domain::{BillingInterval, InvalidSetting, PaidPlan, Plan, Secret, ServiceUrl, settings};

use crate::is_encrypted_or_local;

settings! {
    /// Set all of these to sell plans through Stripe, or none; `stripe_api_base` is always optional.
    /// Stripe must send `customer.subscription.*` and `invoice.*` events to `<public_url>/api/stripe/webhook`.
    pub struct PaymentSettings {
        /// The secret key with which this server signs in to Stripe.
        "stripe_secret_key" secret_key: Option<Secret> = None,
            must be "a secret key of Stripe, which begins with `sk_` or `rk_`"
            if |key| begins(key.as_ref().map(Secret::reveal), &["sk_", "rk_"]);
        /// The key that browsers show to Stripe, `pk_...`.
        "stripe_publishable_key" publishable_key: Option<String> = None;
        /// The secret that Stripe signs its events with.
        "stripe_webhook_secret" webhook_secret: Option<Secret> = None,
            must be "a signing secret of Stripe, which begins with `whsec_`"
            if |secret| begins(secret.as_ref().map(Secret::reveal), &["whsec_"]);
        /// Id of the price of Pro by the month, `price_...`: 4.99 US dollars.
        "stripe_price_pro_month" price_pro_month: Option<String> = None;
        /// Id of the price of Pro by the year: 49.90 US dollars.
        "stripe_price_pro_year" price_pro_year: Option<String> = None;
        /// Id of the price of Business by the month: 14.99 US dollars.
        "stripe_price_business_month" price_business_month: Option<String> = None;
        /// Id of the price of Business by the year: 149.90 US dollars.
        "stripe_price_business_year" price_business_year: Option<String> = None;
        /// Stripe's address, for a proxy in between.
        "stripe_api_base" api_base: Option<ServiceUrl> = None, without "`https://api.stripe.com`",
            must be "an address with `https`, such as `https://api.stripe.com`"
            if |url| url.as_deref().is_none_or(is_encrypted_or_local);
    }
}

impl PaymentSettings {
    /// The price id of each paid plan and interval; `None` if one is missing.
    pub fn prices(&self) -> Option<[(PaidPlan, String); PaidPlan::ALL.len()]> {
        let [a, b, c, d] = PaidPlan::ALL.map(|offer| Some((offer, self.price(offer)?.clone())));
        Some([a?, b?, c?, d?])
    }

    fn price(&self, offer: PaidPlan) -> Option<&String> {
        let price = match (offer.plan(), offer.interval()) {
            // Free, and so not for sale; written out so that a new plan does not compile without its price.
            (Plan::Basic, _) => &None,
            (Plan::Pro, BillingInterval::Month) => &self.price_pro_month,
            (Plan::Pro, BillingInterval::Year) => &self.price_pro_year,
            (Plan::Business, BillingInterval::Month) => &self.price_business_month,
            (Plan::Business, BillingInterval::Year) => &self.price_business_year,
        };
        price.as_ref()
    }

    /// Address of Stripe's API: the setting, or the default.
    pub fn effective_api_base(&self) -> &str {
        self.api_base.as_deref().unwrap_or("https://api.stripe.com")
    }

    /// Checks the rules that involve several settings.
    ///
    /// # Errors
    /// Malformed or equal price ids, a malformed publishable key, or only some of the settings.
    pub fn check_together(&self) -> Result<(), InvalidSetting> {
        InvalidSetting::unless(
            begins(self.publishable_key.as_deref(), &["pk_"]),
            "stripe_publishable_key",
            // The secret key may have been entered here by mistake.
            "(hidden)",
            "a publishable key of Stripe, which begins with `pk_`",
        )?;
        let prices: Vec<&str> =
            PaidPlan::ALL.into_iter().filter_map(|offer| Some(self.price(offer)?.as_str())).collect();
        let are_prices = prices
            .iter()
            .enumerate()
            // In an answer, two plans with one price id could not be told apart.
            .all(|(index, price)| begins(Some(price), &["price_"]) && !prices[..index].contains(price));
        InvalidSetting::unless(
            are_prices,
            "stripe_price_*",
            // The secret key may have been entered here by mistake.
            prices
                .iter()
                .map(|&price| if begins(Some(price), &["price_"]) { price } else { "(hidden)" })
                .collect::<Vec<_>>()
                .join(", "),
            "four different ids of prices at Stripe, which begin with `price_`, in `stripe_price_pro_month`, \
             `stripe_price_pro_year`, `stripe_price_business_month` and `stripe_price_business_year`",
        )?;
        let set = [self.secret_key.is_some(), self.publishable_key.is_some(), self.webhook_secret.is_some()];
        let n_prices = if set[0] { PaidPlan::ALL.len() } else { 0 };
        InvalidSetting::unless(
            set.iter().all(|is_set| *is_set == set[0]) && prices.len() == n_prices,
            "stripe_secret_key",
            "set without the other `stripe` settings, or they without it",
            "set together with `stripe_publishable_key`, `stripe_webhook_secret` and the four `stripe_price` \
             settings",
        )
    }
}

/// Whether this is unset, or begins with one of these and is valid in an HTTP header.
fn begins(text: Option<&str>, starts: &[&str]) -> bool {
    text.is_none_or(|text| {
        text.len() <= 255
            && text.bytes().all(|byte| byte.is_ascii_graphic())
            && starts.iter().any(|start| text.starts_with(start))
    })
}

#[cfg(test)]
mod tests {
    use partsight_domain::SettingsGroup as _;

    use super::*;

    type Change = fn(&mut PaymentSettings);

    fn whole() -> PaymentSettings {
        let text = |text: &str| Some(text.to_owned());
        PaymentSettings {
            secret_key: Some(Secret::new("sk_test_geheim")),
            publishable_key: text("pk_test_1"),
            webhook_secret: Some(Secret::new("whsec_geheim")),
            price_pro_month: text("price_pm"),
            price_pro_year: text("price_py"),
            price_business_month: text("price_bm"),
            price_business_year: text("price_by"),
            api_base: None,
        }
    }

    fn check(settings: &PaymentSettings) -> Result<(), InvalidSetting> {
        settings.check()?;
        settings.check_together()
    }

    #[test]
    fn each_price_is_that_of_its_plan() {
        assert_eq!(check(&whole()), Ok(()));
        let found = whole().prices().unwrap().map(|(offer, id)| (offer.plan(), offer.interval(), id));
        assert_eq!(found[0], (Plan::Pro, BillingInterval::Month, "price_pm".to_owned()));
        assert_eq!(found[3], (Plan::Business, BillingInterval::Year, "price_by".to_owned()));
        assert_eq!(check(&PaymentSettings::default()), Ok(()));
        assert!(PaymentSettings::default().prices().is_none());
    }

    #[test]
    fn what_does_not_fit_is_named_without_its_secret() {
        assert!(!format!("{:?}", whole()).contains("geheim"));
        let cases: [(Change, &str); 9] = [
            (|s| s.secret_key = Some(Secret::new("pk_geheim")), "begins with `sk_` or `rk_`"),
            (|s| s.secret_key = Some(Secret::new("sk_geheim\n")), "begins with `sk_` or `rk_`"),
            (|s| s.webhook_secret = Some(Secret::new("geheim")), "begins with `whsec_`"),
            (|s| s.publishable_key = Some("sk_geheim".to_owned()), "begins with `pk_`"),
            (|s| s.price_pro_month = Some("prod_1".to_owned()), "begin with `price_`"),
            (|s| s.price_pro_month = Some("price_py".to_owned()), "four different ids"),
            (|s| s.api_base = Some(ServiceUrl::new("http://api.stripe.com")), "an address with `https`"),
            (|s| s.price_pro_month = None, "set together with `stripe_publishable_key`"),
            (|s| s.secret_key = None, "set together with `stripe_publishable_key`"),
        ];
        for (change, expected) in cases {
            let mut settings = whole();
            change(&mut settings);
            let error = check(&settings).unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains("geheim"), "{error}");
        }
    }
}
