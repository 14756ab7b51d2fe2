//! Every setting. Each group is declared by [`partsight_domain::settings!`] in the code that uses it: here, in
//! `providers` or in `catalog`. Outside they are one flat list of names.

mod database_url;
mod rooms;
mod server;
mod trusted_proxies;

use std::fmt;
use std::sync::LazyLock;

use partsight_catalog::QdrantSettings;
use partsight_domain::{InvalidSetting, SettingFacts, SettingsGroup};
use partsight_providers::{
    JudgeSettings, MailSettings, ObjectStorageSettings, PaymentSettings, PushSettings, SignInSettings,
    SupplierSettings, WebhookSettings, is_on_this_machine,
};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};

pub use database_url::DatabaseUrl;
pub use rooms::{
    AccountSettings, DataSettings, EMBEDDED_MODEL, ModelSettings, PhotoSettings, VehicleSettings,
};
pub use server::{LogFormat, MonitoringSettings, ServerSettings};
pub use trusted_proxies::TrustedProxies;

/// A group of settings, for their documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsSection {
    /// Its heading.
    pub title: &'static str,
    /// Its description, one sentence per line.
    pub about: &'static str,
    /// Its settings.
    pub settings: Vec<SettingFacts>,
}

macro_rules! groups {
    ($($title:literal $field:ident: $Group:ty;)+) => {
        /// All settings with their defaults.
        ///
        /// Read from `partsight.toml`, then `PARTSIGHT_<NAME>` in the environment, then flags; the later one takes
        /// precedence. An unknown key in the file is an error, so that a misspelt one is found.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct Settings {
            $(
                #[doc = $title]
                pub $field: $Group,
            )+
        }

        impl Settings {
            /// All settings with their documentation, in the order of their tables.
            pub fn sections() -> Vec<SettingsSection> {
                vec![$(
                    SettingsSection {
                        title: $title,
                        about: <$Group>::ABOUT,
                        settings: <$Group>::facts(),
                    },
                )+]
            }

            fn check_each(&self) -> Result<(), InvalidSetting> {
                $( self.$field.check()?; )+
                Ok(())
            }

            fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, values: &mut A) -> Result<bool, A::Error> {
                // The groups are tried in turn until one has the name.
                Ok($( self.$field.read(name, values)? )||+)
            }
        }

        impl Serialize for Settings {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut fields = serializer.serialize_struct("Settings", Self::names().len())?;
                $( self.$field.write(&mut fields)?; )+
                fields.end()
            }
        }
    };
}

groups! {
    "Server" server: ServerSettings;
    "Data" data: DataSettings;
    "Photograph storage" storage: ObjectStorageSettings;
    "Photographs" photos: PhotoSettings;
    "Model" model: ModelSettings;
    "Accounts" accounts: AccountSettings;
    "Sign-in" sign_in: SignInSettings;
    "Mail" mail: MailSettings;
    "Payments" payments: PaymentSettings;
    "Judge" judge: JudgeSettings;
    "Suppliers" suppliers: SupplierSettings;
    "Webhooks" webhooks: WebhookSettings;
    "Web push" push: PushSettings;
    "Vehicles" vehicles: VehicleSettings;
    "Vector index" qdrant: QdrantSettings;
    "Monitoring" monitoring: MonitoringSettings;
}

impl Settings {
    /// The defaults with changes.
    pub fn with(change: impl FnOnce(&mut Self)) -> Self {
        let mut settings = Self::default();
        change(&mut settings);
        settings
    }

    /// The key of every setting.
    pub fn names() -> &'static [&'static str] {
        static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
            Settings::sections().iter().flat_map(|group| &group.settings).map(|facts| facts.name).collect()
        });
        &NAMES
    }

    /// Checks the rules.
    ///
    /// # Errors
    /// The first setting that breaks a rule.
    pub fn check(&self) -> Result<(), InvalidSetting> {
        self.check_each()?;
        self.storage.check_together()?;
        self.sign_in.check_together()?;
        self.payments.check_together()?;
        self.judge.check_together()?;
        self.suppliers.check_together()?;
        self.check_egress()
    }

    /// Recipients and sender of mails, with the values that are used if nothing is set.
    pub fn effective_mail(&self) -> MailSettings {
        let mail = &self.mail;
        MailSettings {
            smtp_url: mail.smtp_url.clone(),
            from: mail.from.clone().or_else(|| Some(self.server.support_email.clone())),
            dir: mail.dir.clone().or_else(|| Some(self.data.dir.join("mail"))),
        }
    }

    /// Contact of the server's operator for push services (RFC 8292): the sender of mails if one is set, otherwise the
    /// public address if it uses https, otherwise the support address.
    pub fn push_contact(&self) -> String {
        let page = self.server.public_url.as_ref().filter(|url| url.starts_with("https://"));
        match (&self.mail.from, page) {
            (Some(from), _) => format!("mailto:{from}"),
            (None, Some(page)) => page.trim_end_matches('/').to_owned(),
            (None, None) => format!("mailto:{}", self.server.support_email),
        }
    }

    /// The settings that name a service on another machine, by their names. The database is not among them: it is
    /// the server's own.
    pub fn outside_services(&self) -> Vec<&'static str> {
        let leads_out = |url: Option<&str>| url.is_some_and(|url| !is_on_this_machine(url));
        // Both have default addresses, and are used only if their keys are set.
        let sells = self.payments.secret_key.is_some();
        let asks_ebay = self.suppliers.ebay_client_id.is_some();
        [
            ("photo_storage", leads_out(self.storage.effective_endpoint().as_deref())),
            ("smtp_url", leads_out(self.mail.smtp_url.as_ref().map(partsight_domain::Secret::reveal))),
            ("oidc_issuer", leads_out(self.sign_in.issuer.as_deref())),
            ("qdrant_url", leads_out(self.qdrant.url.as_deref())),
            ("otlp_endpoint", leads_out(self.monitoring.otlp_endpoint.as_deref())),
            ("vin_decoder_url", leads_out(self.vehicles.vin_decoder_url.as_deref())),
            ("recalls_url", leads_out(self.vehicles.recalls_url.as_deref())),
            ("stripe_secret_key", sells && leads_out(Some(self.payments.effective_api_base()))),
            ("judge_provider", leads_out(self.judge.effective_base_url())),
            ("ebay_client_id", asks_ebay && leads_out(Some(&self.suppliers.ebay_url))),
            ("supplier_service_url", leads_out(self.suppliers.service_url.as_deref())),
            // Browsers name the push services, and all of them are external.
            ("web_push", self.push.enabled),
        ]
        .into_iter()
        .filter_map(|(name, leads_out)| leads_out.then_some(name))
        .collect()
    }

    /// With the zero-egress switch, no setting may name an external service. This is an error, and the services are not
    /// silently switched off: otherwise people would rely on mails or a judge that do not exist.
    fn check_egress(&self) -> Result<(), InvalidSetting> {
        let services = self.outside_services();
        InvalidSetting::unless(
            !self.server.zero_egress || services.is_empty(),
            "zero_egress",
            format!("true beside `{}`", services.join("`, `")),
            "false where a setting names a service on another machine; remove that setting, or this one",
        )
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FlatSettings)
    }
}

/// Reads all groups from one flat list.
struct FlatSettings;

impl<'de> Visitor<'de> for FlatSettings {
    type Value = Settings;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("settings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut values: A) -> Result<Settings, A::Error> {
        let mut settings = Settings::default();
        while let Some(name) = values.next_key::<String>()? {
            if !settings.read(&name, &mut values)? {
                return Err(A::Error::unknown_field(&name, Settings::names()));
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests;
