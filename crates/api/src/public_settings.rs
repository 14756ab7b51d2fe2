//! What a page must know about the server before sign-in.

use partsight_app::Settings;
use serde::Serialize;
use utoipa::ToSchema;

/// The settings of this server that its pages need. None of them is secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct PublicSettings {
    /// The e-mail address of support.
    #[schema(example = "support@example.com")]
    support_email: String,
    /// The company in the legal texts.
    legal_entity: String,
    /// Whether sign-in with an external provider is set up.
    external_sign_in: bool,
    /// Whether this server sends mails. Without a mail server they are written to a folder for the administrator.
    mail: bool,
    /// Whether payments are set up on this server.
    payments: bool,
    /// Whether an external VIN decoder may be asked.
    vin_decoder: bool,
    /// Whether recalls and complaints are requested from an external service.
    recalls: bool,
    /// Whether this server makes no connections to other machines, so that no data leaves it.
    zero_egress: bool,
    /// Whether folders on the server may be added to a batch.
    batch_folders: bool,
    /// Stripe's publishable key; null if payments are not set up.
    #[schema(required, example = "pk_live_51MtwBwLkdIwHu7ix")]
    stripe_publishable_key: Option<String>,
    /// Largest photograph, in bytes.
    #[schema(example = 26_214_400)]
    max_photo_bytes: usize,
}

impl PublicSettings {
    pub(crate) fn new(settings: &Settings) -> Self {
        // If the settings give everybody the same plan, none is for sale.
        let key = settings.payments.publishable_key.clone().filter(|_| settings.server.plan.is_none());
        Self {
            support_email: settings.server.support_email.clone(),
            legal_entity: settings.server.legal_entity.trim().to_owned(),
            external_sign_in: settings.sign_in.issuer.is_some(),
            vin_decoder: settings.vehicles.vin_decoder_url.is_some(),
            recalls: settings.vehicles.recalls_url.is_some(),
            zero_egress: settings.server.zero_egress,
            mail: settings.mail.smtp_url.is_some(),
            batch_folders: settings.model.batch_dir.is_some(),
            payments: key.is_some(),
            // A publishable key is meant for pages: nobody can be charged with it.
            stripe_publishable_key: key,
            max_photo_bytes: settings.photos.max_bytes,
        }
    }
}

impl PublicSettings {
    /// Whether payments are set up on this server.
    pub(crate) fn has_payments(&self) -> bool {
        self.payments
    }
}
