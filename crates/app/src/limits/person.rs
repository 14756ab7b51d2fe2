use partsight_domain::{TenantId, User, UserId};
use uuid::Uuid;

/// The person whose work something is, for fair scheduling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Person(Uuid);

impl Person {
    /// Work of the server itself or of the command line.
    pub const SERVER: Self = Self(Uuid::nil());
}

impl From<&User> for Person {
    fn from(user: &User) -> Self {
        Self(user.id.0)
    }
}

impl From<UserId> for Person {
    fn from(user_id: UserId) -> Self {
        Self(user_id.0)
    }
}

impl From<TenantId> for Person {
    fn from(tenant_id: TenantId) -> Self {
        Self(tenant_id.0)
    }
}

#[cfg(test)]
impl Person {
    /// The person of this number.
    pub(crate) const fn number(number: u128) -> Self {
        Self(Uuid::from_u128(number))
    }
}
