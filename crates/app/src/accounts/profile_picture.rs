//! A person's picture, copied from their sign-in provider.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::SignedDuration;
use partsight_domain::User;
use partsight_store::ProfilePicture;

use super::Accounts;
use crate::drawn_picture;
use crate::{Error, Result, logged};

/// A picture from the same address is copied again only after this time.
const FRESH_FOR: SignedDuration = SignedDuration::from_hours(24);
/// Longer side, in pixels: twice what the account page shows.
const SIDE: u32 = 128;

impl Accounts {
    /// The picture of a user as a data URL, where their sign-in provider has one.
    pub async fn profile_picture(&self, user: &User) -> Result<Option<String>> {
        Ok(self.store.find_profile_picture(user.id).await?.map(|found| found.picture))
    }

    /// Copies the picture at `url`; without one, deletes the copy. If the picture cannot be fetched, the old copy
    /// stays.
    pub(super) async fn copy_profile_picture(&self, user: &User, url: Option<&str>) {
        if let Err(error) = self.try_copy_profile_picture(user, url).await {
            tracing::warn!(error = logged(&error), "a profile picture could not be copied");
        }
    }

    async fn try_copy_profile_picture(&self, user: &User, url: Option<&str>) -> Result<()> {
        let Some(provider) = &self.services.provider else { return Ok(()) };
        // At many providers people may put any address into their profile, even one inside our network. See
        // docs/decisions/0134-copy-profile-pictures.md.
        let Some(url) = url.filter(|url| provider.is_own_picture(url)) else {
            return Ok(self.store.set_profile_picture(user.id, None).await?);
        };
        let now = self.clock.now();
        let kept = self.store.find_profile_picture(user.id).await?;
        if kept.is_some_and(|kept| kept.source_url == url && kept.copied_at > now - FRESH_FOR) {
            return Ok(());
        }
        let bytes = provider.picture(url).await.map_err(Error::Provider)?;
        // The stated type does not matter: `redraw` detects the format from the bytes.
        let data_url = format!("data:image/any;base64,{}", STANDARD.encode(bytes));
        let picture = drawn_picture::redraw(data_url, SIDE, user.into(), &self.on_decoding_threads).await?;
        let picture = ProfilePicture { picture, source_url: url.to_owned(), copied_at: now };
        Ok(self.store.set_profile_picture(user.id, Some(&picture)).await?)
    }
}
