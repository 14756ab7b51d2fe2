use partsight_domain::{
    ContactMessage, ContactMessageId, ContactTrap, EmailAddress, NewContactMessage, UserId,
};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::{Error, Store, rows};

impl Store {
    /// Keeps what somebody wrote to support.
    pub async fn save_contact_message(&self, message: &ContactMessage) -> Result<(), Error> {
        sqlx::query(
            "INSERT INTO contact_message (message_id, user_id, name, email, subject, message, trapped_by, \
                                          created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(message.id.to_string())
        .bind(message.user_id.map(|id| id.to_string()))
        .bind(&message.details.name)
        .bind(message.details.email.as_str())
        .bind(message.details.subject.as_deref())
        .bind(&message.details.message)
        .bind(message.trapped_by.map(ContactTrap::as_str))
        .bind(message.created_at.as_millisecond())
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// The newest `limit` messages to support, of all people; what was taken for spam only where asked for.
    pub async fn list_contact_messages(
        &self,
        with_trapped: bool,
        limit: u32,
    ) -> Result<Vec<ContactMessage>, Error> {
        let rows = sqlx::query(
            "SELECT * FROM contact_message WHERE $1 = 1 OR trapped_by IS NULL \
             ORDER BY created_at DESC, message_id DESC LIMIT $2",
        )
        .bind(i64::from(with_trapped))
        .bind(i64::from(limit))
        .fetch_all(&self.db)
        .await?;
        rows.iter().map(message_from_row).collect()
    }

    /// All that a user wrote to support while signed in, the oldest first.
    pub async fn list_contact_messages_of(&self, user_id: UserId) -> Result<Vec<ContactMessage>, Error> {
        let rows =
            sqlx::query("SELECT * FROM contact_message WHERE user_id = $1 ORDER BY created_at, message_id")
                .bind(user_id.to_string())
                .fetch_all(&self.db)
                .await?;
        rows.iter().map(message_from_row).collect()
    }

    /// One message to support.
    pub async fn find_contact_message(&self, id: ContactMessageId) -> Result<Option<ContactMessage>, Error> {
        let row = sqlx::query("SELECT * FROM contact_message WHERE message_id = $1")
            .bind(id.to_string())
            .fetch_optional(&self.db)
            .await?;
        row.as_ref().map(message_from_row).transpose()
    }
}

fn message_from_row(row: &AnyRow) -> Result<ContactMessage, Error> {
    let email: String = row.try_get("email")?;
    let user_id: Option<String> = row.try_get("user_id")?;
    let trapped_by: Option<String> = row.try_get("trapped_by")?;
    Ok(ContactMessage {
        id: rows::parsed(row, "message_id")?,
        user_id: user_id
            .map(|id| id.parse())
            .transpose()
            .map_err(|error| rows::corrupt("user_id", &error))?,
        details: NewContactMessage {
            name: row.try_get("name")?,
            email: EmailAddress::new(&email).map_err(|error| rows::corrupt("email", &error.message))?,
            subject: row.try_get("subject")?,
            message: row.try_get("message")?,
        },
        trapped_by: trapped_by
            .map(|name| ContactTrap::from_name(&name).ok_or_else(|| rows::corrupt("trapped_by", &name)))
            .transpose()?,
        created_at: rows::timestamp(row, "created_at")?,
    })
}
