use partsight_domain::{Company, InvalidInput, InvitationId, OpenInvitation, User, messages};
use partsight_store::{InvitationKey, JoinCompany};

use crate::error::Entity;
use crate::plans::Plans;
use crate::{Error, Result, SecretToken};

/// An invitation, and its consequences for the photographs of the person who accepts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyOffer {
    /// The invitation.
    pub invitation: OpenInvitation,
    /// Host to which the company allows unsure photographs to be sent; `None` if they stay here. A member may refuse
    /// it for their own.
    pub photos_go_to: Option<String>,
}

/// A judge on another machine, to which a company may allow photographs of its members to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JudgeElsewhere {
    pub(crate) host: String,
    /// Whether that is allowed if the company has not chosen.
    pub(crate) is_allowed_by_default: bool,
}

/// How a person identifies the invitation that they answer.
#[derive(Debug, Clone)]
pub enum NamedInvitation {
    /// By the secret of the link.
    Link(SecretToken),
    /// By its id, for the account with the address that it was sent to, if that is verified.
    Id(InvitationId),
}

impl Plans {
    /// The open invitations to the verified address of the user's account.
    ///
    /// The list is empty for an unverified address: the account may not belong to its owner, who has the link.
    pub async fn invitations_to(&self, user: &User) -> Result<Vec<CompanyOffer>> {
        let found = self.store.list_invitations_to(user.id, self.clock.now()).await?;
        let mut offers = Vec::with_capacity(found.len());
        for invitation in found {
            offers.push(self.offer(invitation).await?);
        }
        Ok(offers)
    }

    /// Deletes expired invitations and refusals.
    pub async fn purge_invitations(&self) -> Result<()> {
        Ok(self.store.purge_invitations(self.clock.now()).await?)
    }

    /// The invitation with this secret, for anybody who has the link, signed in or not.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invitation that is no longer open.
    pub async fn invitation(&self, token: &SecretToken) -> Result<CompanyOffer> {
        let found =
            self.store.find_invitation(InvitationKey::Link(&token.sha256()), self.clock.now()).await?;
        self.offer(found.ok_or_else(not_valid)?).await
    }

    /// Makes the user a member of the company that invites them, with their consent. Anybody who has the link may join,
    /// with any account.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invitation that is no longer open, or not theirs; [`Error::Conflict`] for somebody who
    /// is in a company, and [`Error::Forbidden`] while the owner's plan does not include companies: the invitation
    /// stays open.
    pub async fn accept_invitation(&self, user: &User, named: &NamedInvitation) -> Result<Company> {
        // The hash has to live as long as the key, which borrows it.
        let secret = secret_of(named);
        let key = key(named, Some(user), &secret).ok_or_else(not_valid)?;
        let open = self.store.find_invitation(key, self.clock.now()).await?.ok_or_else(not_valid)?;
        self.check_paid(open.owner_plan)?;
        match self.store.accept_invitation(user.id, key, self.clock.now()).await? {
            JoinCompany::Joined => {
                self.company(user).await?.ok_or(Error::NotFound { entity: Entity::Company })
            }
            JoinCompany::NotOpen => Err(not_valid()),
            JoinCompany::IsElsewhere => {
                Err(Error::Conflict { field: "token", message: messages::INVITATION_ELSEWHERE })
            }
        }
    }

    /// Declines an invitation, after which its company cannot invite the same address again for 30 days. With the link
    /// no account is needed.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invitation that is no longer open, or not theirs.
    pub async fn decline_invitation(&self, user: Option<&User>, named: &NamedInvitation) -> Result<()> {
        let secret = secret_of(named);
        let key = key(named, user, &secret).ok_or_else(not_valid)?;
        let declined = self.store.decline_invitation(key, self.clock.now()).await?;
        if declined { Ok(()) } else { Err(not_valid()) }
    }

    async fn offer(&self, invitation: OpenInvitation) -> Result<CompanyOffer> {
        let photos_go_to = match &self.judge_elsewhere {
            Some(judge) => {
                // Only the company's choice: the person has not been asked yet.
                let said = self.store.judge_consent(invitation.company_tenant_id).await?;
                said.unwrap_or(judge.is_allowed_by_default).then(|| judge.host.clone())
            }
            None => None,
        };
        Ok(CompanyOffer { invitation, photos_go_to })
    }
}

/// The key of the invitation; `None` if it is named by its id and nobody is signed in.
fn key<'k>(named: &NamedInvitation, user: Option<&User>, secret: &'k str) -> Option<InvitationKey<'k>> {
    match named {
        NamedInvitation::Link(_) => Some(InvitationKey::Link(secret)),
        NamedInvitation::Id(id) => user.map(|user| InvitationKey::Address { id: *id, user_id: user.id }),
    }
}

fn secret_of(named: &NamedInvitation) -> String {
    match named {
        NamedInvitation::Link(token) => token.sha256(),
        NamedInvitation::Id(_) => String::new(),
    }
}

fn not_valid() -> Error {
    InvalidInput::new("token", messages::INVITATION_NOT_VALID).into()
}
