use jiff::{SignedDuration, Timestamp};

use crate::text::{long_text, short_text};
use crate::{
    CompanyId, EmailAddress, Feature, InvalidInput, InvitationId, MemberId, Plan, TenantId, User, UserId,
    messages,
};

/// Longest name of a company or a member, in characters.
const NAME_MAX_CHARS: usize = 100;
/// Longest description of a company, in characters.
const DESCRIPTION_MAX_CHARS: usize = 1000;
/// Members and open invitations that a company may have: a bound on what one plan can be stretched to.
pub const MAX_COMPANY_MEMBERS: u32 = 200;
/// How long an invitation can be accepted.
pub const INVITATION_VALID_FOR: SignedDuration = SignedDuration::from_hours(14 * 24);
/// Largest file that a logo may come in, in bytes (specification 2, section 9).
pub const LOGO_MAX_BYTES: usize = 5 * 1024 * 1024;

/// What a member may do in a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompanyRole {
    /// Uses what the company shares.
    Member,
    /// Also adds and removes people, and edits the company.
    Manager,
}

impl CompanyRole {
    /// The name in the database and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Manager => "manager",
        }
    }

    /// The role whose [`CompanyRole::as_str`] is `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Member, Self::Manager].into_iter().find(|role| role.as_str() == name)
    }

    /// The role of this name.
    ///
    /// # Errors
    /// Names the field `role` and the roles that there are.
    pub fn named(name: &str) -> Result<Self, InvalidInput> {
        Self::from_name(name)
            .ok_or_else(|| InvalidInput::new("role", "The role must be `member` or `manager`."))
    }
}

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
        let name = short_text("name", "The company name", name, NAME_MAX_CHARS)?;
        if name.is_empty() {
            return Err(InvalidInput::new("name", messages::COMPANY_NAME_MISSING));
        }
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

/// What a person may do in the company they are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Membership {
    /// Which company.
    pub company_id: CompanyId,
    /// Owns what it shares.
    pub tenant_id: TenantId,
    /// The role; the owner's is that of a manager.
    pub role: CompanyRole,
    /// Whether it is their company.
    pub is_owner: bool,
    /// What the owner has subscribed to.
    pub owner_plan: Plan,
}

impl Membership {
    /// Whether people may be added and removed, and the company be edited.
    pub fn may_manage(&self) -> bool {
        self.is_owner || self.role == CompanyRole::Manager
    }
}

impl User {
    /// The plan that the user has by themselves or through their company.
    ///
    /// A member has what the owner has as long as the owner's plan includes companies, and falls back to their own
    /// at once when it does not.
    pub fn subscribed_plan(&self) -> Plan {
        match self.company {
            Some(company) if company.owner_plan.includes(Feature::Company) => company.owner_plan,
            _ => self.plan,
        }
    }

    /// Who owns what a shop shares, such as price lists: the company, or the user alone.
    pub fn shop_tenant(&self) -> TenantId {
        self.company.map_or(self.tenant_id, |company| company.tenant_id)
    }

    /// Whose shared things the user sees: their own, and those of their company.
    pub fn visible_tenants(&self) -> impl Iterator<Item = TenantId> {
        [Some(self.tenant_id), self.company.map(|company| company.tenant_id)].into_iter().flatten()
    }

    /// Who owns what the user adds to what the shop shares.
    ///
    /// # Errors
    /// [`messages::COMPANY_MANAGERS_ONLY`] for a member of a company who is no manager: they only read.
    pub fn shop_tenant_to_change(&self) -> Result<TenantId, &'static str> {
        match self.company {
            Some(company) if !company.may_manage() => Err(messages::COMPANY_MANAGERS_ONLY),
            _ => Ok(self.shop_tenant()),
        }
    }

    /// Whether the user may change what is shared in a tenant: their own always, their company's as its owner or a
    /// manager.
    pub fn may_change(&self, tenant_id: TenantId) -> bool {
        tenant_id == self.tenant_id || self.shop_tenant_to_change() == Ok(tenant_id)
    }

    /// What people call the user: their name, or their e-mail address without one.
    pub fn display_name(&self) -> String {
        let name = format!("{} {}", self.first_name, self.last_name);
        let name = name.trim();
        if name.is_empty() { self.email.clone() } else { name.to_owned() }
    }
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

/// What somebody sees of an invitation before they accept it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenInvitation {
    /// The name of the company.
    pub company_name: String,
    /// Where the link went; lower case.
    pub email: String,
    /// What they will be able to do.
    pub role: CompanyRole,
    /// From when on it opens nothing.
    pub expires_at: Timestamp,
}

/// Somebody to add to a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMember {
    /// By which an account is found, or an invitation sent.
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
        let display_name = short_text("userName", "The name", name, NAME_MAX_CHARS)?;
        if display_name.is_empty() {
            return Err(InvalidInput::new("userName", messages::MEMBER_NAME_MISSING));
        }
        let email =
            EmailAddress::new(email).map_err(|error| InvalidInput::new("userEmail", error.message))?;
        let role = role.map_or(Ok(CompanyRole::Member), CompanyRole::named)?;
        Ok(Self { email, display_name, role })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn user(plan: Plan, company: Option<Membership>) -> User {
        User {
            id: UserId(Uuid::nil()),
            tenant_id: TenantId(Uuid::nil()),
            email: "ann@example.com".to_owned(),
            first_name: String::new(),
            last_name: String::new(),
            plan,
            company,
            created_at: Timestamp::UNIX_EPOCH,
            email_verified_at: None,
            has_password: true,
            terms_accepted_at: None,
            terms_version: None,
        }
    }

    fn membership(owner_plan: Plan) -> Membership {
        Membership {
            company_id: CompanyId(Uuid::max()),
            tenant_id: TenantId(Uuid::max()),
            role: CompanyRole::Member,
            is_owner: false,
            owner_plan,
        }
    }

    #[test]
    fn a_member_has_the_plan_of_a_company_while_it_is_paid() {
        let cases = [
            (Plan::Basic, None, Plan::Basic),
            (Plan::Basic, Some(Plan::Business), Plan::Business),
            (Plan::Pro, Some(Plan::Business), Plan::Business),
            (Plan::Pro, Some(Plan::Basic), Plan::Pro),
            (Plan::Basic, Some(Plan::Pro), Plan::Basic),
        ];
        for (own, owner, expected) in cases {
            assert_eq!(user(own, owner.map(membership)).subscribed_plan(), expected, "{own:?} {owner:?}");
        }
    }

    #[test]
    fn what_a_shop_shares_belongs_to_the_company() {
        assert_eq!(user(Plan::Basic, None).shop_tenant(), TenantId(Uuid::nil()));
        let member = user(Plan::Basic, Some(membership(Plan::Basic)));
        assert_eq!(member.shop_tenant(), TenantId(Uuid::max()));
        assert_eq!(member.display_name(), "ann@example.com");
        assert_eq!(member.shop_tenant_to_change(), Err(messages::COMPANY_MANAGERS_ONLY));
        assert_eq!(
            member.visible_tenants().collect::<Vec<_>>(),
            [TenantId(Uuid::nil()), TenantId(Uuid::max())]
        );
        let (own, of_company) = (TenantId(Uuid::nil()), TenantId(Uuid::max()));
        assert_eq!([member.may_change(own), member.may_change(of_company)], [true, false]);
        let manager = Membership { role: CompanyRole::Manager, ..membership(Plan::Basic) };
        assert!(user(Plan::Basic, Some(manager)).may_change(of_company));
        assert!(!user(Plan::Basic, None).may_change(of_company));
        assert_eq!(user(Plan::Basic, Some(manager)).shop_tenant_to_change(), Ok(TenantId(Uuid::max())));
        assert_eq!(user(Plan::Basic, None).shop_tenant_to_change(), Ok(TenantId(Uuid::nil())));
    }

    #[test]
    fn owners_and_managers_manage() {
        let member = membership(Plan::Business);
        assert!(!member.may_manage());
        assert!(Membership { role: CompanyRole::Manager, ..member }.may_manage());
        assert!(Membership { is_owner: true, ..member }.may_manage());
    }

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
        assert_eq!(field(NewMember::new("b@c.de", "Bob", Some("admin"))), "role");
    }
}
