use jiff::Timestamp;

use crate::accounts::{Feature, Membership, Password, Plan};
use crate::text::{is_invisible, short_text};
use crate::{InvalidInput, TenantId, UserId, messages};

/// Longest name that is stored, in characters.
const NAME_MAX_CHARS: usize = 80;
/// Longest e-mail address (RFC 5321, section 4.5.3.1.3: a path of 256 octets with its brackets).
const EMAIL_MAX_BYTES: usize = 254;
/// Version of the texts in the terms dialog: the later of their dates (specification 1, section 2).
///
/// People who accepted another version are asked again.
pub const TERMS_VERSION: &str = "2025-07-18";

/// An e-mail address in lower case, which identifies an account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Parses and lower-cases an address.
    ///
    /// The rule is deliberately simple: one `@`, something before it, a name with a dot after it, no spaces, and no
    /// invisible characters, which would make one address look like another. Only a mail can show whether an address
    /// exists.
    pub fn new(text: &str) -> Result<Self, InvalidInput> {
        // Hardly any mail server is case-sensitive: two such accounts would belong to one person. Lower-cased before
        // the checks, because a letter can have more bytes in lower case, and the stored address is parsed by the same
        // rule.
        let text = short_text("email", "The e-mail address", text, EMAIL_MAX_BYTES)?.to_lowercase();
        let invalid = || {
            let message = if text.is_empty() {
                "Please enter your e-mail address.".to_owned()
            } else {
                "This is not an e-mail address. It should look like name@example.com.".to_owned()
            };
            InvalidInput::new("email", message)
        };
        let (local, domain) = text.split_once('@').ok_or_else(invalid)?;
        let domain_ok = domain.contains('.')
            && domain
                .split('.')
                .all(|part| !part.is_empty() && !part.starts_with('-') && !part.ends_with('-'));
        let text_ok = text.len() <= EMAIL_MAX_BYTES
            && text.matches('@').count() == 1
            && !text.chars().any(|c| c.is_whitespace() || is_invisible(c) || "<>()[]\\,;:\"".contains(c));
        if local.is_empty() || !domain_ok || !text_ok {
            return Err(invalid());
        }
        Ok(Self(text))
    }

    /// A stored address, without checks, because it may have been accepted by an earlier rule.
    pub fn kept(text: String) -> Self {
        Self(text)
    }

    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A first or last name; may be empty, because not everybody has both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PersonName(String);

impl PersonName {
    /// A name for `field` of at most 80 characters.
    pub fn new(field: &'static str, text: &str) -> Result<Self, InvalidInput> {
        short_text(field, "The name", text, NAME_MAX_CHARS).map(Self)
    }

    /// A name from another service; empty if it is invalid here.
    pub fn or_empty(text: &str) -> Self {
        Self::new("name", text).unwrap_or_default()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Form of a sign-up, validated.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// Unique among users.
    pub email: EmailAddress,
    /// Only ever stored hashed.
    pub password: Password,
    /// May be empty.
    pub first_name: PersonName,
    /// May be empty.
    pub last_name: PersonName,
}

/// A person with an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Never changes.
    pub id: UserId,
    /// Owner of the user's vehicles and records.
    pub tenant_id: TenantId,
    /// Lower case.
    pub email: String,
    /// May be empty.
    pub first_name: String,
    /// May be empty.
    pub last_name: String,
    /// The user's own plan; a server-wide setting or a company may override it.
    pub plan: Plan,
    /// Their membership in a company.
    pub company: Option<Membership>,
    /// When the account was created.
    pub created_at: Timestamp,
    /// When the address was verified, by a mailed link or a sign-in provider.
    pub email_verified_at: Option<Timestamp>,
    /// Whether the account has a password; one created by a sign-in provider has none at first.
    pub has_password: bool,
    /// When the terms were accepted, if they were.
    pub terms_accepted_at: Option<Timestamp>,
    /// The accepted version.
    pub terms_version: Option<String>,
}

impl User {
    /// Whether the current terms were accepted.
    pub fn has_accepted_terms(&self) -> bool {
        self.terms_version.as_deref() == Some(TERMS_VERSION)
    }

    /// The user's plan: their own, or their company's.
    ///
    /// A member has the owner's plan while that includes companies, otherwise their own.
    pub fn subscribed_plan(&self) -> Plan {
        match self.company {
            // Evaluated at each use, so that the end of the owner's plan affects members at once.
            Some(company) if company.owner_plan.includes(Feature::Company) => company.owner_plan,
            _ => self.plan,
        }
    }

    /// Whether the plan of a company that the user does not own pays for their scans, so that these do not use the
    /// user's own allowance.
    pub fn is_paid_by_company(&self) -> bool {
        self.company.is_some_and(|company| !company.is_owner && company.owner_plan.includes(Feature::Company))
    }

    /// The owner of the shop's shared data, such as price lists: the company, or the user alone.
    pub fn shop_tenant(&self) -> TenantId {
        self.company.map_or(self.tenant_id, |company| company.tenant_id)
    }

    /// The tenants whose data the user sees: their own, and that of their company.
    pub fn visible_tenants(&self) -> impl Iterator<Item = TenantId> {
        // Joining a company moves no data, so that what a person taught before stays theirs and visible.
        [Some(self.tenant_id), self.company.map(|company| company.tenant_id)].into_iter().flatten()
    }

    /// The owner of what the user adds to the shop's shared data.
    ///
    /// # Errors
    /// [`messages::COMPANY_MANAGERS_ONLY`] for a member who is not a manager: they have read access only.
    pub fn shop_tenant_to_change(&self) -> Result<TenantId, &'static str> {
        match self.company {
            // Not their own tenant, because what they add there would not belong to the shop.
            Some(company) if !company.may_manage() => Err(messages::COMPANY_MANAGERS_ONLY),
            _ => Ok(self.shop_tenant()),
        }
    }

    /// Whether the user may change the shared data of a tenant: always their own, and their company's as owner or
    /// manager.
    pub fn may_change(&self, tenant_id: TenantId) -> bool {
        tenant_id == self.tenant_id || self.shop_tenant_to_change() == Ok(tenant_id)
    }

    /// Checks that the user still belongs to the shop for which feedback or a grade was given.
    ///
    /// # Errors
    /// [`messages::GIVEN_FOR_FORMER_COMPANY`] if they have left that company, where the feedback still counts.
    pub fn check_still_of(&self, shop: TenantId) -> Result<(), &'static str> {
        let is_theirs = self.visible_tenants().any(|tenant_id| tenant_id == shop);
        if is_theirs { Ok(()) } else { Err(messages::GIVEN_FOR_FORMER_COMPANY) }
    }

    /// The user's name, or their e-mail address if they have none.
    pub fn display_name(&self) -> String {
        display_name(&self.first_name, &self.last_name, &self.email)
    }
}

/// The full name; the e-mail address if both names are empty.
pub fn display_name(first_name: &str, last_name: &str, email: &str) -> String {
    let name = format!("{first_name} {last_name}");
    let name = name.trim();
    if name.is_empty() { email.to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::CompanyId;
    use crate::accounts::CompanyRole;

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
    fn an_address_that_was_taken_is_taken_again_as_it_is_kept() {
        // `İ` has two bytes, and three in lower case.
        for n in [240, 241, 242] {
            let domain = "@example.com";
            let text = format!("{}İ{domain}", "a".repeat(n - 2));
            match EmailAddress::new(&text) {
                Ok(kept) => assert_eq!(EmailAddress::new(kept.as_str()), Ok(kept), "{n}"),
                Err(error) => assert_eq!(error.field, "email", "{n}"),
            }
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
        assert_eq!(member.check_still_of(TenantId(Uuid::max())), Ok(()));
        let of_another = member.check_still_of(TenantId(Uuid::from_u128(1)));
        assert_eq!(of_another, Err(messages::GIVEN_FOR_FORMER_COMPANY));
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
    fn email_addresses_are_parsed_and_lower_cased() {
        for (text, expected) in
            [(" Ann@Example.COM ", "ann@example.com"), ("a.b+c@mail.example.org", "a.b+c@mail.example.org")]
        {
            assert_eq!(EmailAddress::new(text).map(|e| e.as_str().to_owned()), Ok(expected.to_owned()));
        }
        for bad in [
            "",
            "ann",
            "@example.com",
            "ann@",
            "ann@localhost",
            "a@b@c.de",
            "a b@c.de",
            "a@.de",
            "a@b..de",
            "a@-b.de",
            "<a@b.de>",
            "a\u{200b}nn@b.de",
            "ann@b.de\u{200b}",
            "ann\u{2060}@b.de",
            "an\u{ad}n@b.de",
            "ann@b\u{200d}.de",
            "ann\u{e0041}@b.de",
            "a@b.de\n",
        ] {
            let result = EmailAddress::new(bad.trim_end_matches(' '));
            // A trailing line break is trimmed like any space around the address.
            assert_eq!(result.is_err(), bad != "a@b.de\n", "{bad:?}");
        }
    }
}
