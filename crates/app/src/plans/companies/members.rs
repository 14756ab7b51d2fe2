use partsight_domain::{
    Company, CompanyId, CompanyInvitation, CompanyMember, CompanyRole, Feature, InvitationId, NewMember,
    User, UserId, messages,
};
use partsight_store::{Invite, NewInvitation, NewMail};
use uuid::Uuid;

use super::{company_of, mails, managed_company};
use crate::error::Entity;
use crate::plans::Plans;
use crate::{Caller, Error, Result, SecretToken};

/// Members and open invitations of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyMembers {
    /// The owner first, then by time of joining.
    pub members: Vec<CompanyMember>,
    /// Open invitations, oldest first.
    pub invitations: Vec<CompanyInvitation>,
}

/// A new invitation.
#[derive(Debug)]
pub struct Invited {
    /// The invitation.
    pub invitation: CompanyInvitation,
    /// Secret of its link, for the inviter to hand over, if no mail server is set up that could deliver it. Only its
    /// hash is stored.
    pub token: Option<SecretToken>,
}

impl Plans {
    /// Members and open invitations of the user's company.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the user is not a member.
    pub async fn company_members(&self, user: &User, id: CompanyId) -> Result<CompanyMembers> {
        company_of(user, id)?;
        Ok(CompanyMembers {
            members: self.store.list_company_members(id).await?,
            invitations: self.store.list_company_invitations(id, self.clock.now()).await?,
        })
    }

    /// Invites somebody to a company, by a link that is mailed, or that the inviter hands over if no mail server is set
    /// up. They become a member when they accept, with an existing or a new account.
    ///
    /// Response and response time are the same whether or not the address has an account, so that a caller cannot
    /// probe for accounts.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the user is not a member; [`Error::Forbidden`] for a member who is no manager, for a
    /// lapsed plan, and for a user with an unverified address on a server that sends mails; [`Error::Conflict`] for
    /// somebody who is a member, is invited already, or declined in the last 30 days, and for a full company;
    /// [`Error::TooManyAttempts`].
    pub async fn invite_to_company(
        &self,
        user: &User,
        id: CompanyId,
        new: &NewMember,
        caller: &Caller,
    ) -> Result<Invited> {
        let company = managed_company(user, id)?;
        self.check_paid(company.owner_plan)?;
        let refuse = |message| Err(Error::Conflict { field: "userEmail", message });
        if new.email.as_str() == user.email {
            return refuse(messages::MEMBER_SELF);
        }
        // The mail names the inviter's address, which anybody could claim if it were not verified. A server that sends
        // no mails cannot verify addresses.
        if self.accounts.services.sends_mails && user.email_verified_at.is_none() {
            return Err(Error::Forbidden { message: messages::COMPANY_ADDRESS_UNPROVED });
        }
        // Limited, because each call may send a mail that contains user input.
        self.accounts.services.limits.take_mail(caller.address, self.clock.steady())?;
        self.accounts.services.limits.take_invitation_by(user.id, self.clock.steady())?;
        // With a mail server, the secret of the link is replaced when the mail is sent.
        let (invitation_id, token) = (InvitationId(Uuid::now_v7()), SecretToken::generate());
        let invitation = NewInvitation {
            company,
            id: invitation_id,
            invited_by: user.id,
            token_sha256: &token.sha256(),
            now: self.clock.now(),
        };
        let mail = if self.accounts.services.sends_mails {
            Some(self.invitation_mail(user, new, invitation_id).await?)
        } else {
            None
        };
        self.accounts.services.limits.take_invitation(&new.email, self.clock.steady())?;
        let invited = self.store.invite_to_company(invitation, new, mail.as_slice()).await;
        if !matches!(invited, Ok(Invite::Invited(_))) {
            // A refused invitation sends no mail.
            self.accounts.services.limits.give_back_invitation(&new.email);
        }
        match invited? {
            Invite::Invited(invitation) => Ok(Invited { invitation, token: mail.is_none().then_some(token) }),
            Invite::IsMember => refuse(messages::MEMBER_EXISTS),
            Invite::IsInvited => refuse(messages::MEMBER_INVITED),
            Invite::HasDeclined => refuse(messages::MEMBER_DECLINED),
            Invite::IsFull => refuse(messages::COMPANY_FULL),
        }
    }

    async fn invitation_mail(&self, user: &User, new: &NewMember, id: InvitationId) -> Result<NewMail> {
        let company = self.company(user).await?;
        let name = company.map(|company| company.profile.name).unwrap_or_default();
        Ok(mails::invitation(&new.email, &self.accounts.services.base_url, &name, user, id))
    }

    /// Changes the role of a member.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown company or member; [`Error::Forbidden`] for a user who is no manager, and for
    /// the role of the owner.
    pub async fn set_company_role(
        &self,
        user: &User,
        id: CompanyId,
        member: UserId,
        role: CompanyRole,
    ) -> Result<CompanyMember> {
        let company = managed_company(user, id)?;
        if let Some(member) = self.store.set_company_role(user.id, company, member, role).await? {
            return Ok(member);
        }
        Err(self.not_a_member(user, member).await?)
    }

    /// Transfers ownership to a member, whose plan then applies to the company. Both are managers afterwards.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown company or member; [`Error::Forbidden`] for anybody but the owner, and for a
    /// new owner whose own plan does not include companies; [`Error::Conflict`] if `member` is the owner.
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
        // Otherwise the whole team would lose its plan at once.
        if !self.accounts.plan_for_all.unwrap_or(new_owner.plan).includes(Feature::Company) {
            return Err(Error::Forbidden { message: messages::COMPANY_NEW_OWNER_PLAN });
        }
        if !self.store.hand_over_company(user.id, id, member, self.clock.now()).await? {
            return Err(missing());
        }
        self.company(user).await?.ok_or_else(missing)
    }

    /// Removes a member by their user id, or an invitation by its id. Any member except the owner may remove
    /// themselves.
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
        // Ids are unique over both tables, so at most one of the deletions finds a row.
        if self.store.remove_company_member(id, UserId(member)).await?
            || self.store.delete_company_invitation(id, InvitationId(member)).await?
        {
            return Ok(());
        }
        Err(self.not_a_member(user, UserId(member)).await?)
    }

    /// Why a member could not be changed or removed: it is the owner, or there is no such member.
    async fn not_a_member(&self, user: &User, member: UserId) -> Result<Error> {
        let company = self.company(user).await?;
        Ok(if company.is_some_and(|company| company.owner_id == member) {
            Error::Forbidden { message: messages::MEMBER_OWNER }
        } else {
            Error::NotFound { entity: Entity::CompanyMember }
        })
    }
}
