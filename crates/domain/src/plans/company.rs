use jiff::{SignedDuration, Timestamp};

use crate::accounts::{CompanyRole, EmailAddress, Plan};
use crate::text::{long_text, required_text};
use crate::{CompanyId, InvalidInput, InvitationId, MemberId, TenantId, UserId, messages};

/// Longest name of a company or a member, in characters.
const NAME_MAX_CHARS: usize = 100;
/// Longest description of a company, in characters.
const DESCRIPTION_MAX_CHARS: usize = 1000;
/// Maximum of members and open invitations of a company, which limits how many people share one plan.
pub const MAX_COMPANY_MEMBERS: u32 = 200;
/// How long an invitation can be accepted.
pub const INVITATION_VALID_FOR: SignedDuration = SignedDuration::from_hours(14 * 24);
/// How long a company cannot invite a person again who has declined: see docs/decisions/0089-consent-to-join.md.
pub const REFUSAL_HOLDS_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Maximum size of an uploaded logo, in bytes (specification 2, section 9).
pub const LOGO_MAX_BYTES: usize = 5 * 1024 * 1024;

/// Name and description of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyProfile {
    /// 1 to 100 characters.
    pub name: String,
    /// At most 1,000 characters; may have several lines.
    pub description: Option<String>,
}

impl CompanyProfile {
    /// Validates both texts.
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

/// A team that shares one Business plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// Never changes.
    pub id: CompanyId,
    /// Owner of the team's shared data, which does not include the members' garages.
    pub tenant_id: TenantId,
    /// The owner, whose plan applies to all.
    pub owner_id: UserId,
    /// Name and description.
    pub profile: CompanyProfile,
    /// A data URL of a PNG or JPEG, at most 512 pixels a side.
    pub logo: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A member of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyMember {
    /// Id of the membership.
    pub id: MemberId,
    /// The user.
    pub user_id: UserId,
    /// Their role.
    pub role: CompanyRole,
    /// Their name in the company.
    pub display_name: String,
    /// When they joined.
    pub joined_at: Timestamp,
    /// E-mail address of the account, lower case.
    pub email: String,
    /// From the account; may be empty.
    pub first_name: String,
    /// From the account; may be empty.
    pub last_name: String,
    /// Profile picture of the account, copied from its sign-in provider: a data URL of a PNG or JPEG.
    pub picture: Option<String>,
}

/// An open invitation to a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyInvitation {
    /// Becomes the id of the membership.
    pub id: InvitationId,
    /// Recipient of the mail, lower case.
    pub email: String,
    /// Their future role.
    pub role: CompanyRole,
    /// Their name in the company.
    pub display_name: String,
    /// When the invitation was sent.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// An invitation as shown to the invited person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenInvitation {
    /// Id of the invitation.
    pub id: InvitationId,
    /// Tenant of the company, whose consent to the judge applies to its members.
    pub company_tenant_id: TenantId,
    /// The name of the company.
    pub company_name: String,
    /// The plan of the company's owner; nobody can join if it no longer includes companies.
    pub owner_plan: Plan,
    /// Name of the inviter.
    pub invited_by: String,
    /// E-mail address of the inviter, which is harder to fake than a name; lower case.
    pub inviter_email: String,
    /// Recipient of the mail, lower case.
    pub email: String,
    /// Their future role.
    pub role: CompanyRole,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// Form of an invitation, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMember {
    /// Where the invitation goes.
    pub email: EmailAddress,
    /// 1 to 100 characters.
    pub display_name: String,
    /// Their role.
    pub role: CompanyRole,
}

impl NewMember {
    /// Validates the form.
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
            // The shared rule names its own field, which has another name in this form.
            EmailAddress::new(email).map_err(|error| InvalidInput::new("userEmail", error.message))?;
        // The role with fewer rights is the default.
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
