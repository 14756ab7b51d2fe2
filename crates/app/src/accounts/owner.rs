//! Ownership: by a person alone, a company, or all tenants; and who decides for a company.

use partsight_domain::{TenantId, User, UserId};
use uuid::Uuid;

use crate::limits::person::Person;
use crate::{Error, Result};

/// The owner of what is taught: a person alone, their company, or the server's operator for all tenants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// The tenant that owns the references; `None` for all tenants.
    pub tenant_id: Option<TenantId>,
    /// The user who acts, if it is one.
    pub user_id: Option<UserId>,
    /// The tenants whose references are visible beside the shared ones.
    visible: [Option<TenantId>; 2],
}

impl Owner {
    /// All tenants of the server.
    pub const ALL_TENANTS: Self = Self { tenant_id: None, user_id: None, visible: [None; 2] };

    /// The shop of a user: their company if they may change what it shares, else they alone.
    pub fn of(user: &User) -> Self {
        let mut visible = user.visible_tenants();
        Self {
            tenant_id: Some(user.shop_tenant_to_change().unwrap_or(user.tenant_id)),
            user_id: Some(user.id),
            visible: [visible.next(), visible.next()],
        }
    }

    /// The same user, for rows of this tenant.
    pub(crate) fn in_tenant(self, tenant_id: TenantId) -> Self {
        Self { tenant_id: Some(tenant_id), ..self }
    }

    /// The shop of a user regardless of their role, for what a company itself decided to take from its members: their
    /// company, or they alone.
    pub(crate) fn shop_of(user: &User) -> Self {
        Self { tenant_id: Some(user.shop_tenant()), ..Self::of(user) }
    }

    /// The tenant whose choices apply to its scans: their company, or they alone; `None` for all tenants.
    pub(crate) fn shop_tenant(&self) -> Option<TenantId> {
        self.visible[1].or(self.visible[0])
    }

    /// Whether it may change what this tenant owns; only the server's operator may change shared rows.
    pub(crate) fn may_change(&self, tenant_id: Option<TenantId>) -> bool {
        tenant_id == self.tenant_id || (tenant_id.is_some() && tenant_id == self.visible[0])
    }

    /// The tenants whose references it may see. For all tenants this is the nil id, which no tenant has, so that only
    /// shared ones are seen.
    pub(crate) fn visible_tenants(&self) -> impl Iterator<Item = TenantId> + use<> {
        let nobody = self.visible[0].is_none().then_some(TenantId(Uuid::nil()));
        self.visible.into_iter().flatten().chain(nobody)
    }
}

impl From<&Owner> for Person {
    fn from(owner: &Owner) -> Self {
        let user = owner.user_id.map(Self::from);
        user.or(owner.tenant_id.map(Self::from)).unwrap_or(Self::SERVER)
    }
}

/// The tenant that owns what a user adds to their shop.
///
/// # Errors
/// [`Error::Forbidden`] for a member of a company who is no manager.
pub(crate) fn shop_to_change(user: &User) -> Result<TenantId> {
    user.shop_tenant_to_change().map_err(|message| Error::Forbidden { message })
}

/// Refuses members of a company who do not manage it: they may not decide for all members.
pub(crate) fn may_decide(user: &User) -> Result<()> {
    shop_to_change(user).map(drop)
}
