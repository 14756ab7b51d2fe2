mod ics;

use jiff::Timestamp;
use partsight_domain::User;

use crate::{App, Entity, Error, Result, SecretToken};

impl App {
    /// Gives the user a new private calendar address and ends the one before. The secret is shown this once.
    pub async fn create_calendar(&self, user: &User) -> Result<SecretToken> {
        let token = SecretToken::generate();
        self.store.save_calendar_feed(user.id, &token.sha256(), self.now()).await?;
        Ok(token)
    }

    /// When the user's calendar address was made, if they have one.
    pub async fn calendar_since(&self, user: &User) -> Result<Option<Timestamp>> {
        Ok(self.store.find_calendar_feed(user.id).await?)
    }

    /// Ends the user's calendar address. Ending one that does not exist is no error.
    pub async fn delete_calendar(&self, user: &User) -> Result<()> {
        self.store.delete_calendar_feed(user.id).await?;
        Ok(())
    }

    /// What is due on all vehicles of the calendar's owner, as an iCalendar file (RFC 5545).
    ///
    /// # Errors
    /// [`Error::NotFound`] for a secret that opens no calendar.
    pub async fn calendar_file(&self, token: &SecretToken) -> Result<String> {
        let user = self.store.find_calendar_user(&token.sha256()).await?;
        let user = user.ok_or(Error::NotFound { entity: Entity::CalendarFeed })?;
        let due = self.all_maintenance(&user, self.utc_today()).await?;
        Ok(ics::calendar(&due, self.now()))
    }
}
