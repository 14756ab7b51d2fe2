//! Pictures of people, copied from their sign-in provider.

use jiff::Timestamp;
use partsight_domain::UserId;
use sqlx::Row;

use crate::{Error, Store, rows};

/// A copied picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfilePicture {
    /// A data URL of a PNG or JPEG.
    pub picture: String,
    /// Where it was copied from.
    pub source_url: String,
    /// When it was copied.
    pub copied_at: Timestamp,
}

impl Store {
    /// Replaces a person's picture; `None` deletes it.
    pub async fn set_profile_picture(
        &self,
        user_id: UserId,
        picture: Option<&ProfilePicture>,
    ) -> Result<(), Error> {
        let Some(picture) = picture else {
            self.write(sql!("DELETE FROM profile_picture WHERE user_id = $1", [user_id])).await?;
            return Ok(());
        };
        let query = sql!(
            "INSERT INTO profile_picture (user_id, picture, source_url, copied_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (user_id) DO UPDATE SET picture = excluded.picture, source_url = excluded.source_url, \
             copied_at = excluded.copied_at",
            [user_id, picture.picture.as_str(), picture.source_url.as_str(), picture.copied_at]
        );
        self.write(query).await?;
        Ok(())
    }

    /// A person's picture.
    pub async fn find_profile_picture(&self, user_id: UserId) -> Result<Option<ProfilePicture>, Error> {
        let query = sql!("SELECT * FROM profile_picture WHERE user_id = $1", [user_id]);
        self.find(query, |row| {
            Ok(ProfilePicture {
                picture: row.try_get("picture")?,
                source_url: row.try_get("source_url")?,
                copied_at: rows::timestamp(row, "copied_at")?,
            })
        })
        .await
    }
}
