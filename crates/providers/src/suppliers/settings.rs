use std::time::Duration;

use partsight_domain::{InvalidSetting, LinkSubject, LinkTemplate, Secret, ServiceUrl, settings};

use crate::is_encrypted_or_private;

settings! {
    /// Suppliers that are asked what a part costs: [suppliers](suppliers.md).
    /// Part and vehicle then leave your machine.
    pub struct SupplierSettings {
        /// App ID of this server in eBay's developer program; together with `ebay_client_secret`.
        "ebay_client_id" ebay_client_id: Option<String> = None, without "eBay is not asked";
        /// Client secret of this server at eBay.
        "ebay_client_secret" ebay_client_secret: Option<Secret> = None,
            must be "the Cert ID of eBay's developer program"
            if |secret| secret.as_ref().is_none_or(is_secret);
        /// eBay's API, for a proxy in between.
        "ebay_url" ebay_url: ServiceUrl = ServiceUrl::new("https://api.ebay.com"),
            must be "an address such as `https://api.ebay.com`; `http` only on this machine or in this network"
            if |url| is_encrypted_or_private(url);
        /// A supplier's web service, with places for what is asked.
        "supplier_service_url" service_url: Option<ServiceUrl> = None,
            must be "an address such as `https://erp.example.com/prices?number={number}` with no other places than \
             `{part}`, `{label}`, `{number}`, `{year}`, `{make}`, `{model}` and `{engine}`; `http` only on this machine or in \
             this network"
            if |url| url.as_deref().is_none_or(is_service);
        /// Token that this service expects as `Authorization: Bearer`, if any.
        "supplier_service_token" service_token: Option<Secret> = None,
            must be "1 to 1000 visible ASCII characters"
            if |token| token.as_ref().is_none_or(is_secret);
        /// Seconds that suppliers may take to answer; a slower one is left out.
        "supplier_timeout_seconds" timeout_seconds: u32 = 5, in 1..=30;
        /// Minutes for which their answers are reused.
        "supplier_cache_minutes" cache_minutes: u32 = 60, in 0..=1440;
    }
}

impl SupplierSettings {
    /// Time limit of a question in total.
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds.into())
    }

    /// The URL template of the supplier service; `None` if none is set.
    pub fn service_template(&self) -> Option<LinkTemplate> {
        template(self.service_url.as_deref()?)
    }

    /// Checks the rules that involve several settings.
    ///
    /// # Errors
    /// One of eBay's settings without the other, or a malformed value.
    pub fn check_together(&self) -> Result<(), InvalidSetting> {
        InvalidSetting::unless(
            self.ebay_client_id.is_some() == self.ebay_client_secret.is_some(),
            "ebay_client_id",
            "set without `ebay_client_secret`, or that without it",
            "set together with `ebay_client_secret`",
        )?;
        let id = self.ebay_client_id.as_deref();
        InvalidSetting::unless(
            // A colon ends the name in `Authorization: Basic`.
            id.is_none_or(|id| is_key(id) && !id.contains(':')),
            "ebay_client_id",
            id.unwrap_or_default(),
            "the App ID of eBay's developer program",
        )
    }
}

fn template(url: &str) -> Option<LinkTemplate> {
    LinkTemplate::new("supplier_service_url", url).ok()
}

fn is_service(url: &str) -> bool {
    let filled = template(url).and_then(|url| url.fill(&LinkSubject::default()));
    filled.is_some_and(|url| is_encrypted_or_private(&url))
}

fn is_key(key: &str) -> bool {
    (1..=1000).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_secret(secret: &Secret) -> bool {
    is_key(secret.reveal())
}

#[cfg(test)]
mod tests {
    use partsight_domain::SettingsGroup as _;

    use super::*;

    type Change = fn(&mut SupplierSettings);

    #[test]
    fn suppliers_need_names_and_addresses_that_keep_keys() {
        let set = || SupplierSettings {
            ebay_client_id: Some("us".to_owned()),
            ebay_client_secret: Some(Secret::new("geheim")),
            service_url: Some(ServiceUrl::new("http://erp:8080/prices?n={number}")),
            service_token: Some(Secret::new("geheim")),
            ..SupplierSettings::default()
        };
        let check = |settings: &SupplierSettings| settings.check().and_then(|()| settings.check_together());
        assert_eq!(check(&set()), Ok(()));
        let cases: [(Change, &str); 9] = [
            (|s| s.ebay_client_secret = None, "set together with `ebay_client_secret`"),
            (|s| s.ebay_client_id = None, "set together with `ebay_client_secret`"),
            (|s| s.ebay_client_id = Some("a:b".to_owned()), "`ebay_client_id` is a:b"),
            (|s| s.ebay_client_secret = Some(Secret::new("ge heim")), "`ebay_client_secret` is (hidden)"),
            (|s| s.ebay_url = ServiceUrl::new("http://api.ebay.com"), "`ebay_url` is http:"),
            (
                |s| s.service_url = Some(ServiceUrl::new("http://erp.example.com/?key=geheim")),
                "`supplier_service_url`",
            ),
            (
                |s| s.service_url = Some(ServiceUrl::new("https://erp.example/{vin}")),
                "`supplier_service_url`",
            ),
            (|s| s.service_token = Some(Secret::new("")), "`supplier_service_token` is (hidden)"),
            (|s| s.timeout_seconds = 0, "1 to 30"),
        ];
        for (change, expected) in cases {
            let mut settings = set();
            change(&mut settings);
            let message = check(&settings).unwrap_err().to_string();
            assert!(message.contains(expected) && !message.contains("heim"), "{message}");
        }
    }
}
