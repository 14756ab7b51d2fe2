use jiff::{SignedDuration, Timestamp};

use crate::accounts::{CompanyRole, EmailAddress, Plan};
use crate::text::{long_text, required_text};
use crate::{CompanyId, InvalidInput, InvitationId, MemberId, TenantId, UserId, messages};

/// Longest name of a company or a member, in characters.
const NAME_MAX_CHARS: usize = 100;
/// Longest description of a company, in characters.
const DESCRIPTION_MAX_CHARS: usize = 1000;
/// Members and open invitations that a company may have: a bound on what one plan can be stretched to.
pub const MAX_COMPANY_MEMBERS: u32 = 200;
/// How long an invitation can be accepted.
pub const INVITATION_VALID_FOR: SignedDuration = SignedDuration::from_hours(14 * 24);
/// How long a company cannot ask somebody again who has declined: see docs/decisions/0089-consent-to-join.md.
pub const REFUSAL_HOLDS_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Largest file that a logo may come in, in bytes (specification 2, section 9).
pub const LOGO_MAX_BYTES: usize = 5 * 1024 * 1024;

/// What a company says of itself, beside its logo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyProfile {
    /// 1 to 100 characters.
    pub name: String,
    /// At most 1,000 characters; may have several lines.
    pub description: Option<String>,
}

impl CompanyProfile {
    /// Checks both texts.
    ///
    /// # Errors
    /// Names the field and what to do.
    pub fn new(name: &str, description: Option<&str>) -> Result<Self, InvalidInput> {
        let name =
            required_text("name", "The company name", name, NAME_MAX_CHARS, messages::COMPANY_NAME_MISSING)?;
        let description = long_text("description", "The description", description, DESCRIPTION_MAX_CHARS)?;
        Ok(Self { name, description })
    }
}

/// A team under one Business plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// Never changes.
    pub id: CompanyId,
    /// Owns what the team shares. The garages of the members are not among it.
    pub tenant_id: TenantId,
    /// Whose plan holds for all.
    pub owner_id: UserId,
    /// Name and description.
    pub profile: CompanyProfile,
    /// A data URL of a PNG or JPEG, at most 512 pixels a side.
    pub logo: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A person in a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyMember {
    /// Of the membership.
    pub id: MemberId,
    /// Who.
    pub user_id: UserId,
    /// What they may do.
    pub role: CompanyRole,
    /// What the company calls them.
    pub display_name: String,
    /// Since when.
    pub joined_at: Timestamp,
    /// Of the account; lower case.
    pub email: String,
    /// Of the account; may be empty.
    pub first_name: String,
    /// Of the account; may be empty.
    pub last_name: String,
    /// Of the account, copied from its sign-in provider: a data URL of a PNG or JPEG.
    pub picture: Option<String>,
}

/// A person who was asked into a company and has not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyInvitation {
    /// Becomes the id of the membership.
    pub id: InvitationId,
    /// Where the link went; lower case.
    pub email: String,
    /// What they will be able to do.
    pub role: CompanyRole,
    /// What the company calls them.
    pub display_name: String,
    /// When the link was sent.
    pub created_at: Timestamp,
    /// From when on it opens nothing.
    pub expires_at: Timestamp,
}

/// What somebody sees of an invitation before they answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenInvitation {
    /// Which one.
    pub id: InvitationId,
    /// Owns what the company shares, and has said whether photographs may leave.
    pub company_tenant_id: TenantId,
    /// The name of the company.
    pub company_name: String,
    /// The plan of the company's owner, by which nobody can join once it includes no company any more.
    pub owner_plan: Plan,
    /// What people call whoever asks.
    pub invited_by: String,
    /// The address of whoever asks, which is harder to make up than a name; lower case.
    pub inviter_email: String,
    /// Where the link went; lower case.
    pub email: String,
    /// What they will be able to do.
    pub role: CompanyRole,
    /// From when on it opens nothing.
    pub expires_at: Timestamp,
}

/// Somebody to ask into a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMember {
    /// Where the invitation goes.
    pub email: EmailAddress,
    /// 1 to 100 characters.
    pub display_name: String,
    /// What they may do.
    pub role: CompanyRole,
}

impl NewMember {
    /// Checks the form.
    ///
    /// # Errors
    /// Names the field (`userEmail`, `userName`, `role`) and what to do.
    pub fn new(email: &str, name: &str, role: Option<&str>) -> Result<Self, InvalidInput> {
        let display_name =
            required_text("userName", "The name", name, NAME_MAX_CHARS, messages::MEMBER_NAME_MISSING)?;
        if email.trim().is_empty() {
            return Err(InvalidInput::new("userEmail", messages::MEMBER_EMAIL_MISSING));
        }
        let email =
            // The shared rule names its own field; this form calls it otherwise.
            EmailAddress::new(email).map_err(|error| InvalidInput::new("userEmail", error.message))?;
        // The lesser role: more rights have to be asked for.
        let role = role.map_or(Ok(CompanyRole::Member), CompanyRole::named)?;
        Ok(Self { email, display_name, role })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_company_needs_a_name_within_limits() {
        let profile = CompanyProfile::new(" Lee's Garage ", Some("two\r\nlines ")).unwrap();
        assert_eq!(profile.name, "Lee's Garage");
        assert_eq!(profile.description.as_deref(), Some("two\nlines"));
        for (name, description, field) in
            [(" ", None, "name"), ("a\nb", None, "name"), ("a", Some("x".repeat(1001)), "description")]
        {
            let error = CompanyProfile::new(name, description.as_deref()).unwrap_err();
            assert_eq!(error.field, field);
        }
    }

    #[test]
    fn a_new_member_needs_name_and_address() {
        let member = NewMember::new("Bob@Example.com", " Bob ", None).unwrap();
        assert_eq!((member.email.as_str(), member.display_name.as_str()), ("bob@example.com", "Bob"));
        assert_eq!(member.role, CompanyRole::Member);
        assert_eq!(NewMember::new("b@c.de", "B", Some("manager")).unwrap().role, CompanyRole::Manager);
        let field = |result: Result<NewMember, InvalidInput>| result.unwrap_err().field;
        assert_eq!(field(NewMember::new("b@c.de", "", None)), "userName");
        assert_eq!(field(NewMember::new("bob", "Bob", None)), "userEmail");
        let missing = NewMember::new(" ", "Bob", None).unwrap_err();
        assert_eq!((missing.field, missing.message.as_ref()), ("userEmail", messages::MEMBER_EMAIL_MISSING));
        assert_eq!(field(NewMember::new("b@c.de", "Bob", Some("admin"))), "role");
    }
}
