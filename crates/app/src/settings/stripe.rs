use partsight_domain::{BillingInterval, PaidPlan, Plan};
use partsight_providers::PaymentSettings;

use super::{Secret, Settings, is_encrypted_or_local};

impl Settings {
    /// How plans are paid for; none where they are not.
    pub fn payment_settings(&self) -> Option<PaymentSettings> {
        let (Some(secret_key), Some(webhook_secret)) = (&self.stripe_secret_key, &self.stripe_webhook_secret)
        else {
            return None;
        };
        let [a, b, c, d] = PaidPlan::ALL.map(|offer| Some((offer, self.stripe_price(offer)?.clone())));
        Some(PaymentSettings {
            secret_key: secret_key.reveal().to_owned(),
            webhook_secret: webhook_secret.reveal().to_owned(),
            api_base: self.stripe_api_base.clone(),
            prices: [a?, b?, c?, d?],
        })
    }

    fn stripe_price(&self, offer: PaidPlan) -> Option<&String> {
        let price = match (offer.plan(), offer.interval()) {
            (Plan::Basic, _) => &None,
            (Plan::Pro, BillingInterval::Month) => &self.stripe_price_pro_month,
            (Plan::Pro, BillingInterval::Year) => &self.stripe_price_pro_year,
            (Plan::Business, BillingInterval::Month) => &self.stripe_price_business_month,
            (Plan::Business, BillingInterval::Year) => &self.stripe_price_business_year,
        };
        price.as_ref()
    }

    /// What payments need: name, value, whether it fits, and the rule.
    pub(super) fn stripe_rules(&self) -> [(&'static str, String, bool, &'static str); 6] {
        let hidden = || "(hidden)".to_owned();
        let begins = |secret: &Option<Secret>, starts: &[&str]| {
            let text = secret.as_ref().map(Secret::reveal);
            text.is_none_or(|text| is_header(text) && starts.iter().any(|start| text.starts_with(start)))
        };
        let prices: Vec<&String> =
            PaidPlan::ALL.into_iter().filter_map(|offer| self.stripe_price(offer)).collect();
        let are_prices = prices.iter().enumerate().all(|(index, price)| {
            is_header(price) && price.starts_with("price_") && !prices[..index].contains(price)
        });
        [
            (
                "stripe_secret_key",
                hidden(),
                begins(&self.stripe_secret_key, &["sk_", "rk_"]),
                "a secret key of Stripe, which begins with `sk_` or `rk_`",
            ),
            (
                "stripe_webhook_secret",
                hidden(),
                begins(&self.stripe_webhook_secret, &["whsec_"]),
                "a signing secret of Stripe, which begins with `whsec_`",
            ),
            (
                "stripe_publishable_key",
                // Somebody may have put the secret one here.
                hidden(),
                self.stripe_publishable_key
                    .as_deref()
                    .is_none_or(|key| is_header(key) && key.starts_with("pk_")),
                "a publishable key of Stripe, which begins with `pk_`",
            ),
            (
                "stripe_price",
                prices.iter().map(|price| price.as_str()).collect::<Vec<_>>().join(", "),
                are_prices,
                "four different ids of prices at Stripe, which begin with `price_`, in \
                 `stripe_price_pro_month`, `stripe_price_pro_year`, `stripe_price_business_month` and \
                 `stripe_price_business_year`",
            ),
            (
                "stripe_api_base",
                self.stripe_api_base.clone().unwrap_or_default(),
                self.stripe_api_base.as_deref().is_none_or(is_encrypted_or_local),
                "an address with `https`, such as `https://api.stripe.com`",
            ),
            (
                "stripe_secret_key",
                "set without the other `stripe` settings, or they without it".to_owned(),
                self.has_all_or_no_stripe(prices.len()),
                "set together with `stripe_publishable_key`, `stripe_webhook_secret` and the four \
                 `stripe_price` settings",
            ),
        ]
    }

    fn has_all_or_no_stripe(&self, n_prices: usize) -> bool {
        let set = [
            self.stripe_secret_key.is_some(),
            self.stripe_publishable_key.is_some(),
            self.stripe_webhook_secret.is_some(),
        ];
        let all = set.iter().all(|set| *set) && n_prices == PaidPlan::ALL.len();
        all || (set.iter().all(|set| !*set) && n_prices == 0)
    }
}

/// Whether this can stand in a header of a request.
fn is_header(text: &str) -> bool {
    text.len() <= 255 && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Settings {
        let text = |text: &str| Some(text.to_owned());
        Settings {
            stripe_secret_key: Some(Secret::new("sk_test_geheim")),
            stripe_publishable_key: text("pk_test_1"),
            stripe_webhook_secret: Some(Secret::new("whsec_geheim")),
            stripe_price_pro_month: text("price_pm"),
            stripe_price_pro_year: text("price_py"),
            stripe_price_business_month: text("price_bm"),
            stripe_price_business_year: text("price_by"),
            ..Settings::default()
        }
    }

    #[test]
    fn each_price_is_that_of_its_plan() {
        assert_eq!(whole().check(), Ok(()));
        let prices = whole().payment_settings().unwrap().prices;
        let found = prices.map(|(offer, id)| (offer.plan(), offer.interval(), id));
        assert_eq!(found[0], (Plan::Pro, BillingInterval::Month, "price_pm".to_owned()));
        assert_eq!(found[3], (Plan::Business, BillingInterval::Year, "price_by".to_owned()));
        assert!(Settings::default().payment_settings().is_none());
    }

    #[test]
    fn no_secret_is_shown() {
        let settings = whole();
        let shown = [
            format!("{settings:?}"),
            serde_json::to_string(&settings).unwrap(),
            format!("{:?}", settings.payment_settings()),
        ];
        assert!(shown.iter().all(|text| !text.contains("geheim")), "{shown:?}");
    }

    #[test]
    fn what_does_not_fit_is_named_without_its_secret() {
        type Change = fn(&mut Settings);
        let cases: [(Change, &str); 9] = [
            (|s| s.stripe_secret_key = Some(Secret::new("pk_geheim")), "begins with `sk_` or `rk_`"),
            (|s| s.stripe_secret_key = Some(Secret::new("sk_geheim\n")), "begins with `sk_` or `rk_`"),
            (|s| s.stripe_webhook_secret = Some(Secret::new("geheim")), "begins with `whsec_`"),
            (|s| s.stripe_publishable_key = Some("sk_geheim".to_owned()), "begins with `pk_`"),
            (|s| s.stripe_price_pro_month = Some("prod_1".to_owned()), "begin with `price_`"),
            (|s| s.stripe_price_pro_month = Some("price_py".to_owned()), "four different ids"),
            (|s| s.stripe_api_base = Some("http://api.stripe.com".to_owned()), "an address with `https`"),
            (|s| s.stripe_price_pro_month = None, "set together with `stripe_publishable_key`"),
            (|s| s.stripe_secret_key = None, "set together with `stripe_publishable_key`"),
        ];
        for (change, expected) in cases {
            let mut settings = whole();
            change(&mut settings);
            let error = settings.check().unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains("geheim"), "{error}");
        }
    }
}
