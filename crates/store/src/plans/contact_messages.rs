use partsight_domain::{ContactMessage, ContactMessageId, EmailAddress, NewContactMessage, UserId};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::accounts::NewMail;
use crate::{Error, Store, rows};

impl Store {
    /// Inserts a message to support, and queues `mails` about it.
    pub async fn save_contact_message(
        &self,
        message: &ContactMessage,
        mails: &[NewMail],
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        let query = sql!(
            "INSERT INTO contact_message (message_id, user_id, name, email, subject, message, trapped_by, \
                                          created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            [message.id, message.user_id, message.details.name, message.details.email],
            [message.details.subject, message.details.message, message.trapped_by, message.created_at]
        );
        query.execute(&mut *tx).await?;
        self.insert_mails(message.user_id, mails, message.created_at, &mut tx).await?;
        tx.commit().await
    }

    /// The newest `limit` messages to support, of all people; suspected spam only if requested.
    pub async fn list_contact_messages(
        &self,
        with_trapped: bool,
        limit: u32,
    ) -> Result<Vec<ContactMessage>, Error> {
        let query = sql!(
            "SELECT * FROM contact_message WHERE $1 = 1 OR trapped_by IS NULL \
             ORDER BY created_at DESC, message_id DESC LIMIT $2",
            [with_trapped, limit]
        );
        self.list(query, message_from_row).await
    }

    /// All that a user wrote to support while signed in, the oldest first.
    pub async fn list_contact_messages_of(&self, user_id: UserId) -> Result<Vec<ContactMessage>, Error> {
        let query = sql!(
            "SELECT * FROM contact_message WHERE user_id = $1 ORDER BY created_at, message_id",
            [user_id]
        );
        self.list(query, message_from_row).await
    }

    /// One message to support.
    pub async fn find_contact_message(&self, id: ContactMessageId) -> Result<Option<ContactMessage>, Error> {
        self.find(sql!("SELECT * FROM contact_message WHERE message_id = $1", [id]), message_from_row).await
    }
}

fn message_from_row(row: &AnyRow) -> Result<ContactMessage, Error> {
    Ok(ContactMessage {
        id: rows::parsed(row, "message_id")?,
        user_id: rows::optional(row, "user_id")?,
        details: NewContactMessage {
            name: row.try_get("name")?,
            email: EmailAddress::kept(row.try_get("email")?),
            subject: row.try_get("subject")?,
            message: row.try_get("message")?,
        },
        trapped_by: rows::optional(row, "trapped_by")?,
        created_at: rows::timestamp(row, "created_at")?,
    })
}
