use crate::accounts::Plan;
use crate::{CompanyId, InvalidInput, TenantId};

named! {
    /// What a member may do in a company.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum CompanyRole {
        /// Uses what the company shares.
        Member = "member",
        /// Also adds and removes people, and edits the company.
        Manager = "manager",
    }
}

impl CompanyRole {
    /// The role of this name.
    ///
    /// # Errors
    /// Names the field `role` and the valid roles.
    pub fn named(name: &str) -> Result<Self, InvalidInput> {
        Self::from_name(name)
            .ok_or_else(|| InvalidInput::new("role", "The role must be `member` or `manager`."))
    }
}

/// A person's membership in a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Membership {
    /// The company.
    pub company_id: CompanyId,
    /// Owner of the company's shared data.
    pub tenant_id: TenantId,
    /// Their role; the owner is a manager.
    pub role: CompanyRole,
    /// Whether they own the company.
    pub is_owner: bool,
    /// The plan of the owner.
    pub owner_plan: Plan,
}

impl Membership {
    /// Whether they may add and remove people, and edit the company.
    pub fn may_manage(&self) -> bool {
        // The owner is a manager, regardless of the role in their membership.
        self.is_owner || self.role == CompanyRole::Manager
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

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
    fn owners_and_managers_manage() {
        let member = membership(Plan::Business);
        assert!(!member.may_manage());
        assert!(Membership { role: CompanyRole::Manager, ..member }.may_manage());
        assert!(Membership { is_owner: true, ..member }.may_manage());
    }
}
