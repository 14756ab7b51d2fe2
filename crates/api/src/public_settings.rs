//! What a page must know about the server before sign-in.

use partsight_app::Settings;
use serde::Serialize;
use utoipa::ToSchema;

/// The settings of this server that its pages show or obey. None is a secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct PublicSettings {
    /// Where people who need help write to.
    #[schema(example = "support@example.com")]
    support_email: String,
    /// The company that the legal texts name.
    legal_entity: String,
    /// Whether sign-in with an account elsewhere is set up.
    external_sign_in: bool,
    /// Whether mails leave this server. Without a mail server they are put into a folder, for whoever runs it.
    mail: bool,
    /// Whether plans can be paid for here.
    payments: bool,
    /// Whether a VIN decoder elsewhere may be asked.
    vin_decoder: bool,
    /// Whether recalls and complaints are asked for elsewhere.
    recalls: bool,
    /// Whether this server is set to speak with no other machine: nothing that it is given leaves it.
    zero_egress: bool,
    /// Whether folders of the server may be added to a batch.
    batch_folders: bool,
    /// The key that pages show to Stripe; null where plans cannot be paid for here.
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
    /// Whether plans can be paid for here.
    pub(crate) fn has_payments(&self) -> bool {
        self.payments
    }
}
