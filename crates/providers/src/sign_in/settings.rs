use partsight_domain::{InvalidSetting, Secret, settings};

use crate::is_encrypted_or_local;

settings! {
    /// An OpenID Connect provider that people may sign in with: all three settings, or none.
    /// It must know `<public_url>/api/login/callback`.
    pub struct SignInSettings {
        /// Address of the provider, below which its discovery document lies.
        "oidc_issuer" issuer: Option<String> = None,
            must be "an address with `https`, such as `https://accounts.google.com`"
            if |url| url.as_deref().is_none_or(is_encrypted_or_local);
        /// Client ID of this server at the provider.
        "oidc_client_id" client_id: Option<String> = None;
        /// Client secret of this server at the provider.
        "oidc_client_secret" client_secret: Option<Secret> = None;
    }
}

impl SignInSettings {
    /// Checks the rules that involve several settings.
    ///
    /// # Errors
    /// Only some of the settings.
    pub fn check_together(&self) -> Result<(), InvalidSetting> {
        let set = [self.issuer.is_some(), self.client_id.is_some(), self.client_secret.is_some()];
        InvalidSetting::unless(
            set.iter().all(|is_set| *is_set == set[0]),
            "oidc_issuer",
            "set without the other `oidc` settings, or they without it",
            "set together with `oidc_client_id` and `oidc_client_secret`",
        )
    }
}
