use jiff::Timestamp;
use partsight_domain::UserId;

use crate::{Error, Store};

impl Store {
    /// Stores until `forget_at`, under the HMAC of their address, how many scans a user has used; nothing if none.
    pub async fn remember_scans_used(
        &self,
        id: UserId,
        address_mac: &str,
        forget_at: Timestamp,
    ) -> Result<(), Error> {
        let query = sql!(
            "INSERT INTO past_allowance (address_mac, scans_used, forget_at) \
             SELECT CAST($2 AS TEXT), scans_used, CAST($3 AS BIGINT) FROM app_user \
             WHERE user_id = $1 AND scans_used > 0 \
             ON CONFLICT (address_mac) DO UPDATE SET \
                 scans_used = excluded.scans_used, forget_at = excluded.forget_at",
            [id, address_mac, forget_at]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Adds to a new user's count the scans that are stored at `now` under the HMAC of their address.
    pub async fn count_remembered_scans(
        &self,
        id: UserId,
        address_mac: &str,
        now: Timestamp,
    ) -> Result<(), Error> {
        let query = sql!(
            "UPDATE app_user SET scans_used = scans_used + COALESCE( \
                 (SELECT past_allowance.scans_used FROM past_allowance \
                  WHERE past_allowance.address_mac = $2 AND past_allowance.forget_at > $3), 0) \
             WHERE user_id = $1",
            [id, address_mac, now]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Deletes the rows that have expired at `now`, and returns how many.
    pub async fn forget_scans_used(&self, now: Timestamp) -> Result<u64, Error> {
        let query = sql!("DELETE FROM past_allowance WHERE forget_at <= $1", [now]);
        self.write(query).await
    }
}
