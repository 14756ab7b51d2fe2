//! Creating tenants out of others, and deleting them with all that they own. Every room has rows of a tenant, so this
//! module is above the rooms.

use partsight_domain::{Company, CompanyId, CompanyRole, MemberId, TenantId, User, UserId};
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::accounts::{lock_open_account, lock_user};
use crate::departures::keep_names_of_parts;
use crate::plans::lock_company;
use crate::transaction::retried;
use crate::{Error, Store};

/// Moves the catalogue of tenant $1 to tenant $2, which has none. The references get a new revision, so that indexes
/// are updated.
const HAND_OVER: [&str; 21] = [
    // Parts before the counter of changes, the order in which a change of a part locks them.
    "UPDATE shop_part SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE part_reference_revision SET revision = revision + 1 \
     WHERE $1 <> $2 AND EXISTS (SELECT 1 FROM part_reference WHERE tenant_id = $1)",
    "UPDATE part_reference SET tenant_id = $2, revision = (SELECT revision FROM part_reference_revision) \
     WHERE tenant_id = $1",
    "UPDATE taught_part_type SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE look_alike SET tenant_id = $2 WHERE tenant_id = $1",
    // A list whose rows are still arriving moves too, and its publication is then refused; otherwise it would be
    // published in a tenant where nobody sees it.
    "UPDATE price_list SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE cross_reference_list SET tenant_id = $2 WHERE tenant_id = $1",
    "INSERT INTO grade_scale (tenant_id, grades) SELECT $2, grades FROM grade_scale WHERE tenant_id = $1 \
     ON CONFLICT (tenant_id) DO NOTHING",
    // The scans stay with the person who made them; the grades of the parts count for the shop.
    "UPDATE scan_grade SET shop_tenant_id = $2 WHERE COALESCE(shop_tenant_id, tenant_id) = $1",
    "UPDATE scan_feedback SET shop_tenant_id = $2 WHERE COALESCE(shop_tenant_id, tenant_id) = $1",
    // Its worker no longer finds one that is running, so another one begins it anew.
    "UPDATE evaluation SET tenant_id = $2, lease_worker = NULL, lease_until = NULL, \
                           state = CASE state WHEN 'running' THEN 'waiting' ELSE state END \
     WHERE tenant_id = $1",
    "UPDATE evaluation_photo SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE evaluation_file SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE llm_fill SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE llm_fill_rejection SET tenant_id = $2 WHERE tenant_id = $1",
    "INSERT INTO dial_choice (tenant_id, max_wrong_hundredths, changed_at) \
     SELECT $2, max_wrong_hundredths, changed_at FROM dial_choice WHERE tenant_id = $1 \
     ON CONFLICT (tenant_id) DO NOTHING",
    "INSERT INTO judge_budget_choice (tenant_id, day_micro_dollars, month_micro_dollars, changed_at) \
     SELECT $2, day_micro_dollars, month_micro_dollars, changed_at FROM judge_budget_choice WHERE tenant_id = $1 \
     ON CONFLICT (tenant_id) DO NOTHING",
    // A refusal is taken over; a consent to send photographs must be given by the company itself.
    "INSERT INTO judge_consent (tenant_id, is_allowed, changed_at) \
     SELECT $2, is_allowed, changed_at FROM judge_consent WHERE tenant_id = $1 AND is_allowed = 0 \
     ON CONFLICT (tenant_id) DO NOTHING",
    "INSERT INTO learning_choice (tenant_id, confirmed_scans_teach, refit_calibration, changed_at) \
     SELECT $2, confirmed_scans_teach, refit_calibration, changed_at FROM learning_choice WHERE tenant_id = $1 \
     ON CONFLICT (tenant_id) DO NOTHING",
    "INSERT INTO tenant_calibration (tenant_id, model_sha256, temperature, outcome, n, figures, attempted_at) \
     SELECT $2, model_sha256, temperature, outcome, n, figures, attempted_at FROM tenant_calibration \
     WHERE tenant_id = $1 ON CONFLICT (tenant_id) DO NOTHING",
    // A company starts with what its owner has spent on the judge: creating a company must not give a new budget.
    "INSERT INTO tenant_judge_spending (tenant_id, period, micro_dollars) \
     SELECT $2, period, micro_dollars FROM tenant_judge_spending WHERE tenant_id = $1",
];

/// Adds the spending on the judge of tenant $1, which is deleted with a company, to that of the owner $2.
const KEEP_SPENDING: &str = "INSERT INTO tenant_judge_spending (tenant_id, period, micro_dollars) \
     SELECT app_user.tenant_id, spending.period, spending.micro_dollars \
     FROM tenant_judge_spending AS spending JOIN app_user ON app_user.user_id = $2 WHERE spending.tenant_id = $1 \
     ORDER BY spending.period DESC ON CONFLICT (tenant_id, period) DO UPDATE SET micro_dollars = \
         CASE WHEN excluded.micro_dollars > tenant_judge_spending.micro_dollars \
              THEN excluded.micro_dollars ELSE tenant_judge_spending.micro_dollars END";

/// Writes tombstones of the references of tenant $1, for the indexes.
const FORGET: [&str; 2] = [
    "UPDATE part_reference_revision SET revision = revision + 1 \
     WHERE EXISTS (SELECT 1 FROM part_reference WHERE tenant_id = $1)",
    "INSERT INTO forgotten_reference (part_reference_id, revision) \
     SELECT part_reference_id, (SELECT revision FROM part_reference_revision) FROM part_reference \
     WHERE tenant_id = $1",
];

/// The companies of user $1, of tenant $2, without other members.
const OWNED_ALONE: &str = "owner_id = $1 \
     AND EXISTS (SELECT 1 FROM app_user WHERE app_user.user_id = $1 AND app_user.tenant_id = $2) \
     AND NOT EXISTS (SELECT 1 FROM company_member \
                     WHERE company_member.company_id = company.company_id AND company_member.user_id <> $1)";

/// Ends all access to the account of user $1, deletes rows with its address or its person, and frees the address. The
/// row itself stays until the last row that refers to it is erased: otherwise the database would update all of them at
/// once.
const LEAVE: [&str; 17] = [
    "DELETE FROM outgoing_mail WHERE user_id = $1 \
         OR recipient = (SELECT email FROM app_user WHERE user_id = $1)",
    // Messages to support that were written while signed in, and links to the address.
    "DELETE FROM contact_message WHERE user_id = $1",
    "DELETE FROM company_invitation WHERE email = (SELECT email FROM app_user WHERE user_id = $1)",
    "DELETE FROM company_refusal WHERE email = (SELECT email FROM app_user WHERE user_id = $1)",
    "DELETE FROM company_member WHERE user_id = $1",
    "DELETE FROM session WHERE user_id = $1",
    "DELETE FROM identity WHERE user_id = $1",
    "DELETE FROM mailed_link WHERE user_id = $1",
    "DELETE FROM api_key WHERE user_id = $1",
    "DELETE FROM calendar_feed WHERE user_id = $1",
    "DELETE FROM push_subscription WHERE user_id = $1",
    "DELETE FROM reminder_digest WHERE user_id = $1",
    "DELETE FROM profile_picture WHERE user_id = $1",
    "DELETE FROM scan_usage WHERE user_id = $1",
    "DELETE FROM cancellation_request WHERE user_id = $1",
    "DELETE FROM subscription WHERE user_id = $1",
    // No address ends in `.invalid` (RFC 2606).
    "UPDATE app_user SET email = user_id || '@deleted.invalid', password_hash = NULL, email_verified_at = NULL, \
                         first_name = '', last_name = '' WHERE user_id = $1",
];

/// Marks the tenant $1 as deleted, and stops what works on its rows.
const STOP: [&str; 4] = [
    "UPDATE tenant SET is_deleted = 1 WHERE tenant_id = $1",
    "UPDATE batch SET state = 'cancelled' WHERE tenant_id = $1",
    "UPDATE evaluation SET state = 'cancelled', lease_worker = NULL, lease_until = NULL \
     WHERE tenant_id = $1 AND state IN ('receiving', 'waiting', 'running')",
    "UPDATE webhook_endpoint SET is_enabled = 0 WHERE tenant_id = $1",
];

/// Locks the tenant $1: an update without a change is a lock that both databases support.
const LOCK_TENANT: &str = "UPDATE tenant SET created_at = created_at WHERE tenant_id = $1";

/// What was deleted with a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletedCompany {
    /// Number of its members, the owner included.
    pub n_members: u64,
    /// Number of open invitations.
    pub n_invitations: u64,
}

impl Store {
    /// Creates a company with a tenant of its own and its owner as the first member, in one transaction. What the
    /// owner has taught, and the parts, lists and grades of their shop, move to the company.
    ///
    /// # Errors
    /// [`Error::Constraint`] when the owner is in a company, [`Error::AccountClosing`].
    pub async fn create_company(
        &self,
        company: &Company,
        owner: &User,
        member_id: MemberId,
    ) -> Result<(), Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // Waits for concurrent changes, so that they are moved as well.
            lock_tenants(&[owner.tenant_id.to_string()], &mut tx).await?;
            lock_open_account(owner.id, self.database_time(company.created_at), &mut tx).await?;
            let query = sql!(
                "INSERT INTO tenant (tenant_id, created_at) VALUES ($1, $2)",
                [company.tenant_id, company.created_at]
            );
            query.execute(&mut *tx).await?;
            let query = sql!(
                "INSERT INTO company (company_id, tenant_id, owner_id, name, description, logo, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
                [company.id, company.tenant_id, company.owner_id, company.profile.name],
                [company.profile.description, company.logo, company.created_at]
            );
            query.execute(&mut *tx).await?;
            let query = sql!(
                "INSERT INTO company_member (member_id, company_id, user_id, role, display_name, joined_at) \
             VALUES ($1, $2, $3, $4, $5, $6)",
                [member_id, company.id, company.owner_id, CompanyRole::Manager, owner.display_name()],
                [company.created_at]
            );
            query.execute(&mut *tx).await?;
            // Only the owner's rows move to the company; those of people who join later do not. After the tenant is
            // created, because these rows refer to it.
            for query in HAND_OVER {
                sql!(query, [owner.tenant_id, company.tenant_id]).execute(&mut *tx).await?;
            }
            tx.commit().await?;
            Ok(())
        })
        .await
    }

    /// Deletes a company of this owner with all that its tenant owns. Its spending on the judge is added to the
    /// owner's.
    ///
    /// The company is deleted at once, whether or not all rows could be erased: [`Self::erase_deleted_tenants`]
    /// continues with the rest.
    pub async fn delete_company(
        &self,
        owner_id: UserId,
        id: CompanyId,
    ) -> Result<Option<DeletedCompany>, Error> {
        let deleted = retried(|| self.try_to_mark_company_deleted(owner_id, id)).await?;
        let Some((company, tenant_id)) = deleted else { return Ok(None) };
        self.erase_or_warn(&[tenant_id]).await;
        Ok(Some(company))
    }

    /// Deletes the company and marks its tenant as deleted. Returns what was deleted with it, and the tenant.
    async fn try_to_mark_company_deleted(
        &self,
        owner_id: UserId,
        id: CompanyId,
    ) -> Result<Option<(DeletedCompany, String)>, Error> {
        let mut tx = self.begin().await?;
        // Waits for people who are joining, so that the counts are right.
        lock_company(id, &mut tx).await?;
        let query =
            scalar!("SELECT tenant_id FROM company WHERE company_id = $1 AND owner_id = $2", [id, owner_id]);
        let mine: Option<String> = query.fetch_optional(&mut *tx).await?;
        let Some(tenant_id) = mine else {
            tx.rollback().await?;
            return Ok(None);
        };
        sql!(LOCK_TENANT, [tenant_id]).execute(&mut *tx).await?;
        // The owner leaves the company like the other members.
        keep_names_of_parts(&id.to_string(), "", &mut tx).await?;
        // Deleted explicitly for the counts; the deletion of the company would delete them silently.
        let invitations =
            sql!("DELETE FROM company_invitation WHERE company_id = $1", [id]).execute(&mut *tx).await?;
        let members =
            sql!("DELETE FROM company_member WHERE company_id = $1", [id]).execute(&mut *tx).await?;
        // Before the rows are erased: creating and deleting a company must not give a new budget.
        sql!(KEEP_SPENDING, [tenant_id, owner_id]).execute(&mut *tx).await?;
        sql!("DELETE FROM company WHERE company_id = $1", [id]).execute(&mut *tx).await?;
        stop(&tenant_id, &mut tx).await?;
        tx.commit().await?;
        let deleted =
            DeletedCompany { n_members: members.rows_affected(), n_invitations: invitations.rows_affected() };
        Ok(Some((deleted, tenant_id)))
    }

    /// Deletes the user, and the tenant with all that it owns if it has no other user. A company of theirs without
    /// other members is deleted too.
    ///
    /// Returns whether the tenant was deleted. The account is deleted at once, whether or not all rows could be erased:
    /// [`Self::erase_deleted_tenants`] continues with the rest.
    ///
    /// # Errors
    /// [`Error::OwnsCompany`] for the owner of a company with other members; nothing is deleted then.
    pub async fn delete_user(&self, id: UserId, tenant_id: TenantId) -> Result<bool, Error> {
        let (is_deleted, doomed) = retried(|| self.try_to_mark_user_deleted(id, tenant_id)).await?;
        self.erase_or_warn(&doomed).await;
        Ok(is_deleted)
    }

    async fn erase_or_warn(&self, tenants: &[String]) {
        for tenant_id in tenants {
            if let Err(error) = self.erase_tenant(tenant_id).await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "not all rows of a deleted account or company could be erased; this is continued within a minute"
                );
            }
        }
    }

    /// Only the first, short transaction of [`Self::delete_user`], as an interruption leaves it.
    pub async fn mark_user_deleted(&self, id: UserId, tenant_id: TenantId) -> Result<bool, Error> {
        Ok(retried(|| self.try_to_mark_user_deleted(id, tenant_id)).await?.0)
    }

    /// Ends all access to the account, frees its address, stops its running work, and marks its tenant and those of
    /// companies that are deleted with it as deleted. Returns whether its own tenant is deleted, and all deleted
    /// tenants.
    async fn try_to_mark_user_deleted(
        &self,
        id: UserId,
        tenant_id: TenantId,
    ) -> Result<(bool, Vec<String>), Error> {
        let mut tx = self.begin().await?;
        // The person's tenant before those of companies, the order in which creating a company locks them.
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let companies = format!("SELECT tenant_id FROM company WHERE {OWNED_ALONE} ORDER BY tenant_id");
        let companies: Vec<String> =
            scalar!(AssertSqlSafe(companies), [id, tenant_id]).fetch_all(&mut *tx).await?;
        for company in &companies {
            sql!(LOCK_TENANT, [company]).execute(&mut *tx).await?;
        }
        lock_user(id, &mut tx).await?;
        // Checked again while the locks are held: nobody can join a company without them.
        let alone = format!("DELETE FROM company WHERE {OWNED_ALONE} RETURNING tenant_id");
        let mut doomed: Vec<String> =
            scalar!(AssertSqlSafe(alone), [id, tenant_id]).fetch_all(&mut *tx).await?;
        let query = sql!(
            "SELECT COUNT(*) AS n_all, COUNT(CASE WHEN user_id = $1 THEN 1 END) AS n_them, \
                    (SELECT COUNT(*) FROM company WHERE owner_id = $1) AS n_companies \
             FROM app_user WHERE tenant_id = $2",
            [id, tenant_id]
        );
        let found = query.fetch_one(&mut *tx).await?;
        // The tenant is not theirs, and must not be touched.
        if found.try_get::<i64, _>("n_them")? == 0 {
            tx.rollback().await?;
            return Ok((false, Vec::new()));
        }
        // A company with other members stays, and so does its owner.
        if found.try_get::<i64, _>("n_companies")? > 0 {
            tx.rollback().await?;
            return Err(Error::OwnsCompany);
        }
        let is_alone = found.try_get::<i64, _>("n_all")? == 1;
        for query in LEAVE {
            sql!(query, [id]).execute(&mut *tx).await?;
        }
        if is_alone {
            doomed.push(tenant_id.to_string());
        } else {
            // A tenant with other users stays.
            sql!("DELETE FROM app_user WHERE user_id = $1", [id]).execute(&mut *tx).await?;
        }
        for tenant_id in &doomed {
            stop(tenant_id, &mut tx).await?;
        }
        tx.commit().await?;
        Ok((is_alone, doomed))
    }
}

/// Marks a tenant as deleted, and stops what works on its rows.
async fn stop(tenant_id: &str, tx: &mut AnyConnection) -> Result<(), Error> {
    for query in STOP {
        sql!(query, [tenant_id]).execute(&mut *tx).await?;
    }
    Ok(())
}

/// Locks tenants that are to be deleted: their parts and then the counter of changes, in the order in which changes of
/// parts and lessons lock them. A concurrent change either comes first, and its rows are deleted too, or comes later,
/// and finds no tenant.
pub(super) async fn lock_tenants(tenants: &[String], tx: &mut AnyConnection) -> Result<(), Error> {
    for tenant_id in tenants {
        for query in [LOCK_TENANT, "UPDATE shop_part SET revision = revision WHERE tenant_id = $1"] {
            sql!(query, [tenant_id]).execute(&mut *tx).await?;
        }
    }
    sqlx::query("UPDATE part_reference_revision SET revision = revision").execute(tx).await?;
    Ok(())
}

/// Deletes a locked tenant with all that it owns, and writes tombstones of its references for the indexes.
pub(super) async fn delete_locked_tenant(tenant_id: &str, tx: &mut AnyConnection) -> Result<(), Error> {
    // Before the deletion, which cascades to the references: afterwards nobody knows which ids the indexes hold.
    for query in FORGET {
        sql!(query, [tenant_id]).execute(&mut *tx).await?;
    }
    sql!("DELETE FROM tenant WHERE tenant_id = $1", [tenant_id]).execute(tx).await?;
    Ok(())
}
