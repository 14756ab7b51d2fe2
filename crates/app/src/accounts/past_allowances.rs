//! The scans that an account had used when it was deleted, so that a new account with the same address does not get a
//! new allowance each time.
//!
//! The stored row names nobody, and is deleted after a month. It is found by an HMAC of the address with a key of
//! this installation.

use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, Timestamp};
use partsight_domain::User;
use partsight_store::Store;
use rand::RngCore;
use sha2::Sha256;

use crate::accounts::Accounts;
use crate::{Result, logged};

const REMEMBERED_FOR: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Name in the database and length in bytes of the HMAC key.
const KEY_NAME: &str = "past-allowances";
const KEY_BYTES: usize = 32;

/// Stores the used scans of an account that is about to be deleted, if its address was verified: with somebody else's
/// address, nobody may use up the owner's allowance.
pub(crate) async fn remember_scans(store: &Store, user: &User, now: Timestamp) -> Result<()> {
    if user.email_verified_at.is_none() {
        return Ok(());
    }
    let key = if let Some(kept) = store.find_server_key(KEY_NAME).await? {
        kept
    } else {
        let mut key = [0_u8; KEY_BYTES];
        rand::rng().fill_bytes(&mut key);
        store.keep_server_key(KEY_NAME, &key, now).await?
    };
    Ok(store.remember_scans_used(user.id, &address_hmac(&key, &user.email), now + REMEMBERED_FOR).await?)
}

impl Accounts {
    /// Adds the scans of an earlier account with its address to a new account. A failure is only logged.
    pub(super) async fn count_earlier_scans(&self, user: &User) {
        if let Err(error) = self.try_to_count_earlier_scans(user).await {
            tracing::warn!(error = logged(&error), "the scans of an earlier account could not be counted");
        }
    }

    async fn try_to_count_earlier_scans(&self, user: &User) -> Result<()> {
        // Without a key nothing was ever stored.
        let Some(key) = self.store.find_server_key(KEY_NAME).await? else { return Ok(()) };
        let address_hmac = address_hmac(&key, &user.email);
        Ok(self.store.count_remembered_scans(user.id, &address_hmac, self.clock.now()).await?)
    }

    /// Deletes the rows of accounts that were deleted a month ago; returns how many.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn forget_past_allowances(&self) -> Result<u64> {
        Ok(self.store.forget_scans_used(self.clock.now()).await?)
    }
}

/// HMAC-SHA256 of a lower-case address, in hexadecimal.
///
/// # Panics
/// Never: HMAC takes keys of any length.
fn address_hmac(key: &[u8], address: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("BUG: HMAC takes keys of any length");
    mac.update(address.as_bytes());
    hex::encode(mac.finalize().into_bytes())
}
