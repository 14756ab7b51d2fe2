//! Whether somebody may still decide for a tenant, checked in the transaction of their decision.

use partsight_domain::{CompanyRole, TenantId, UserId};
use sqlx::AnyConnection;

use crate::{Error, Store};

/// Locks a tenant, and checks that a user may still decide for it: that it is their own, or that of a company that they
/// own or manage. What the caller knew may be older than a removal of this user.
///
/// Must be the first statement of a transaction.
///
/// # Errors
/// [`Error::NotManager`].
pub(crate) async fn lock_tenant_for(
    user_id: UserId,
    tenant_id: TenantId,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    // A change of the members of a company holds the same lock.
    Store::lock_tenant(tx, tenant_id).await?;
    let query = scalar!(
        "SELECT (SELECT COUNT(*) FROM app_user WHERE user_id = $1 AND tenant_id = $2) \
              + (SELECT COUNT(*) FROM company \
                 JOIN company_member ON company_member.company_id = company.company_id \
                 WHERE company.tenant_id = $2 AND company_member.user_id = $1 \
                   AND (company_member.role = $3 OR company.owner_id = $1))",
        [user_id, tenant_id, CompanyRole::Manager]
    );
    let n: i64 = query.fetch_one(tx).await?;
    if n == 0 { Err(Error::NotManager) } else { Ok(()) }
}
