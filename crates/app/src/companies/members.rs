use partsight_domain::{
    Company, CompanyId, CompanyInvitation, CompanyMember, CompanyRole, Feature, InvitationId, NewMember,
    User, UserId, messages,
};
use partsight_store::{AddMember, MemberPlace};
use uuid::Uuid;

use super::{company_of, mails, managed_company};
use crate::error::Entity;
use crate::{App, Caller, Error, Result, SecretToken};

/// Who is in a company and who is asked into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyMembers {
    /// The owner first, then the longest in it.
    pub members: Vec<CompanyMember>,
    /// Open invitations, the oldest first.
    pub invitations: Vec<CompanyInvitation>,
}

/// Somebody who was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddedMember {
    /// They have an account and are in.
    Joined(CompanyMember),
    /// They got a mail with a link.
    Invited(CompanyInvitation),
}

impl App {
    /// Who is in a company of the user's.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a company that the user is not in.
    pub async fn company_members(&self, user: &User, id: CompanyId) -> Result<CompanyMembers> {
        company_of(user, id)?;
        Ok(CompanyMembers {
            members: self.store.list_company_members(id).await?,
            invitations: self.store.list_company_invitations(id, self.now()).await?,
        })
    }

    /// Adds somebody to a company: an account with this address joins at once, anybody else gets an invitation by
    /// mail.
    ///
    /// An account whose address was never proved may be somebody else's than the address: where this server sends
    /// mails, it is invited like one that does not exist, and only whoever reads the mail can join. A server without
    /// a mail server can prove no address, and takes the owner's word for it.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for those who may not; [`Error::Conflict`] for somebody who is
    /// in or invited already; [`Error::TooManyAttempts`].
    pub async fn add_company_member(
        &self,
        user: &User,
        id: CompanyId,
        new: &NewMember,
        caller: &Caller,
    ) -> Result<AddedMember> {
        let company = managed_company(user, id)?;
        if !self.is_paid(company) {
            return Err(Error::Forbidden { message: messages::COMPANY_PLAN_LAPSED });
        }
        let refuse = |message| Err(Error::Conflict { field: "userEmail", message });
        if new.email.as_str() == user.email {
            return refuse(messages::MEMBER_SELF);
        }
        // Each call tells whether an address has an account, and may send a mail.
        self.accounts.limits.take_mail(caller.address, self.now())?;
        let token = SecretToken::generate();
        let place = MemberPlace {
            company,
            id: Uuid::now_v7(),
            trusts_unproved: !self.accounts.sends_mails,
            token_sha256: &token.sha256(),
            now: self.now(),
        };
        match self.store.add_company_member(place, new).await? {
            AddMember::Joined(member) => Ok(AddedMember::Joined(member)),
            AddMember::Invited(invitation) => {
                if let Err(error) = self.accounts.limits.take_invitation(&new.email, self.now()) {
                    // Nobody waits for a mail that does not come.
                    self.store.delete_company_invitation(id, invitation.id).await?;
                    return Err(error);
                }
                self.mail_invitation(user, new, &token).await?;
                Ok(AddedMember::Invited(invitation))
            }
            AddMember::IsMember => refuse(messages::MEMBER_EXISTS),
            AddMember::IsInvited => refuse(messages::MEMBER_INVITED),
            AddMember::IsElsewhere => refuse(messages::MEMBER_ELSEWHERE),
            AddMember::IsFull => refuse(messages::COMPANY_FULL),
        }
    }

    async fn mail_invitation(&self, user: &User, new: &NewMember, token: &SecretToken) -> Result<()> {
        let company = self.company(user).await?;
        let name = company.map(|company| company.profile.name).unwrap_or_default();
        let mail = mails::invitation(&new.email, &self.accounts.base_url, &name, &user.display_name(), token);
        self.accounts.outbox.send(mail);
        Ok(())
    }

    /// Gives a member another role.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a company or a person that is not there; [`Error::Forbidden`] for those who may not,
    /// and for the owner's role.
    pub async fn set_company_role(
        &self,
        user: &User,
        id: CompanyId,
        member: UserId,
        role: CompanyRole,
    ) -> Result<CompanyMember> {
        managed_company(user, id)?;
        if let Some(member) = self.store.set_company_role(id, member, role).await? {
            return Ok(member);
        }
        Err(self.not_a_member(user, member).await?)
    }

    /// Makes a member the owner, whose plan holds for the company from then on. Both are managers afterwards.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a company or a person that is not there; [`Error::Forbidden`] for anybody but the
    /// owner, and for a new owner whose own plan includes no company; [`Error::Conflict`] for the owner themselves.
    pub async fn hand_over_company(&self, user: &User, id: CompanyId, member: UserId) -> Result<Company> {
        if !company_of(user, id)?.is_owner {
            return Err(Error::Forbidden { message: messages::COMPANY_OWNER_ONLY });
        }
        if member == user.id {
            return Err(Error::Conflict { field: "userId", message: messages::COMPANY_OWNED_ALREADY });
        }
        let missing = || Error::NotFound { entity: Entity::CompanyMember };
        let is_in = |found: &User| found.company.is_some_and(|company| company.company_id == id);
        let new_owner = self.store.find_user(member).await?.map(|found| found.user);
        let new_owner = new_owner.filter(is_in).ok_or_else(missing)?;
        // Without this the whole team would lose its plan at this moment.
        if !self.plan_for_all.unwrap_or(new_owner.plan).includes(Feature::Company) {
            return Err(Error::Forbidden { message: messages::COMPANY_NEW_OWNER_PLAN });
        }
        if !self.store.hand_over_company(user.id, id, member, self.now()).await? {
            return Err(missing());
        }
        self.company(user).await?.ok_or_else(missing)
    }

    /// Takes somebody out of a company: a member by their user id, or an invitation by its own. Anybody but the
    /// owner may so leave.
    ///
    /// # Errors
    /// As [`set_company_role`](Self::set_company_role).
    pub async fn remove_company_member(&self, user: &User, id: CompanyId, member: Uuid) -> Result<()> {
        let is_oneself = user.id == UserId(member);
        if is_oneself {
            company_of(user, id)?;
        } else {
            managed_company(user, id)?;
        }
        if self.store.remove_company_member(id, UserId(member)).await?
            || self.store.delete_company_invitation(id, InvitationId(member)).await?
        {
            return Ok(());
        }
        Err(self.not_a_member(user, UserId(member)).await?)
    }

    /// Why a member of the user's company was not found: because it is the owner, or because there is none.
    async fn not_a_member(&self, user: &User, member: UserId) -> Result<Error> {
        let company = self.company(user).await?;
        Ok(if company.is_some_and(|company| company.owner_id == member) {
            Error::Forbidden { message: messages::MEMBER_OWNER }
        } else {
            Error::NotFound { entity: Entity::CompanyMember }
        })
    }
}
