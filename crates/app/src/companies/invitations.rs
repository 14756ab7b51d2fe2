use partsight_domain::{Company, InvalidInput, OpenInvitation, User, messages};
use partsight_store::JoinCompany;

use crate::error::Entity;
use crate::{App, Error, Result, SecretToken};

impl App {
    /// What the invitation of this secret asks into, for whoever holds the link, be they signed in or not.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invitation that is not open any more.
    pub async fn invitation(&self, token: &SecretToken) -> Result<OpenInvitation> {
        let found = self.store.find_invitation(&token.sha256(), self.now()).await?;
        found.ok_or_else(|| InvalidInput::new("token", messages::INVITATION_NOT_VALID).into())
    }

    /// Lets the user into the company whose invitation this secret opens. Whoever reads the mail may come, with
    /// whichever account they have.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invitation that is not open any more; [`Error::Conflict`] for somebody who is in
    /// a company, whose invitation stays open.
    pub async fn accept_invitation(&self, user: &User, token: &SecretToken) -> Result<Company> {
        match self.store.accept_invitation(user.id, &token.sha256(), self.now()).await? {
            JoinCompany::Joined => {
                self.company(user).await?.ok_or(Error::NotFound { entity: Entity::Company })
            }
            JoinCompany::NotOpen => Err(InvalidInput::new("token", messages::INVITATION_NOT_VALID).into()),
            JoinCompany::IsElsewhere => {
                Err(Error::Conflict { field: "token", message: messages::INVITATION_ELSEWHERE })
            }
        }
    }
}
