//! The settings of suppliers elsewhere, and their rules.

use partsight_domain::{LinkSubject, LinkTemplate};

use super::judge::is_encrypted_or_in_house;
use super::{Secret, Settings};

/// Where eBay's API is.
const EBAY: &str = "https://api.ebay.com";

impl Settings {
    /// Where eBay's API is: the setting, or the real one.
    pub fn effective_ebay_url(&self) -> &str {
        self.ebay_url.as_deref().unwrap_or(EBAY)
    }

    /// The address of the supplier service with its places, where one is set.
    pub fn supplier_service_template(&self) -> Option<LinkTemplate> {
        LinkTemplate::new("supplier_service_url", self.supplier_service_url.as_deref()?).ok()
    }

    /// What suppliers elsewhere need: name, value, whether it fits, and the rule.
    pub(super) fn supplier_rules(&self) -> [(&'static str, String, bool, &'static str); 8] {
        let is_key =
            |key: &str| (1..=1000).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        let is_secret =
            |secret: &Option<Secret>| secret.as_ref().is_none_or(|secret| is_key(secret.reveal()));
        let service = self.supplier_service_template();
        let is_service_safe =
            service.is_some_and(|template| is_encrypted_or_in_house(&template.fill(&LinkSubject::default())));
        [
            (
                "ebay_client_id",
                "set without `ebay_client_secret`, or that without it".to_owned(),
                self.ebay_client_id.is_some() == self.ebay_client_secret.is_some(),
                "set together with `ebay_client_secret`",
            ),
            (
                "ebay_client_id",
                self.ebay_client_id.clone().unwrap_or_default(),
                self.ebay_client_id.as_deref().is_none_or(|id| is_key(id) && !id.contains(':')),
                "the App ID of eBay's developer program",
            ),
            (
                "ebay_client_secret",
                "(hidden)".to_owned(),
                is_secret(&self.ebay_client_secret),
                "the Cert ID of eBay's developer program",
            ),
            (
                "ebay_url",
                self.effective_ebay_url().to_owned(),
                is_encrypted_or_in_house(self.effective_ebay_url()),
                "an address such as `https://api.ebay.com`; `http` only on this machine or in this network",
            ),
            (
                "supplier_service_url",
                self.supplier_service_url.clone().unwrap_or_default(),
                self.supplier_service_url.is_none() || is_service_safe,
                "an address such as `https://erp.example.com/prices?number={number}` with no other places than \
                 `{part}`, `{label}`, `{number}`, `{year}`, `{make}` and `{model}`; `http` only on this machine or in \
                 this network",
            ),
            (
                "supplier_service_token",
                "(hidden)".to_owned(),
                is_secret(&self.supplier_service_token),
                "1 to 1000 visible ASCII characters",
            ),
            (
                "supplier_timeout_seconds",
                self.supplier_timeout_seconds.to_string(),
                (1..=30).contains(&self.supplier_timeout_seconds),
                "1 to 30",
            ),
            (
                "supplier_cache_minutes",
                self.supplier_cache_minutes.to_string(),
                self.supplier_cache_minutes <= 1440,
                "0 to 1440",
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> Settings {
        Settings {
            ebay_client_id: Some("us".to_owned()),
            ebay_client_secret: Some(Secret::new("geheim")),
            supplier_service_url: Some("http://erp:8080/prices?n={number}".to_owned()),
            supplier_service_token: Some(Secret::new("geheim")),
            ..Settings::default()
        }
    }

    #[test]
    fn suppliers_elsewhere_need_names_and_addresses_that_keep_keys() {
        type Change = fn(&mut Settings);
        assert_eq!(set().check(), Ok(()));
        let cases: [(Change, &str); 9] = [
            (|s| s.ebay_client_secret = None, "set together with `ebay_client_secret`"),
            (|s| s.ebay_client_id = None, "set together with `ebay_client_secret`"),
            (|s| s.ebay_client_id = Some("a:b".to_owned()), "`ebay_client_id` is a:b"),
            (|s| s.ebay_client_secret = Some(Secret::new("ge heim")), "`ebay_client_secret` is (hidden)"),
            (|s| s.ebay_url = Some("http://api.ebay.com".to_owned()), "`ebay_url` is http:"),
            (
                |s| s.supplier_service_url = Some("http://erp.example.com".to_owned()),
                "`supplier_service_url`",
            ),
            (
                |s| s.supplier_service_url = Some("https://erp.example/{vin}".to_owned()),
                "`supplier_service_url`",
            ),
            (|s| s.supplier_service_token = Some(Secret::new("")), "`supplier_service_token` is (hidden)"),
            (|s| s.supplier_timeout_seconds = 0, "1 to 30"),
        ];
        for (change, expected) in cases {
            let mut settings = set();
            change(&mut settings);
            let message = settings.check().unwrap_err().to_string();
            assert!(message.contains(expected) && !message.contains("heim"), "{message}");
        }
    }

    #[test]
    fn zero_egress_refuses_suppliers_elsewhere() {
        let refused = |settings: Settings| {
            Settings { zero_egress: true, ..settings }.check().map_err(|error| error.to_string())
        };
        let message = refused(set()).unwrap_err();
        assert!(message.contains("`ebay_client_id`, `supplier_service_url`"), "{message}");
        let here = Settings {
            ebay_url: Some("http://127.0.0.1:9000".to_owned()),
            supplier_service_url: Some("http://localhost:9001/{label}".to_owned()),
            ..set()
        };
        assert_eq!(refused(here), Ok(()));
    }
}
