//! Tenants that begin with what another one had, or end with all that they own. Every room has rows of a tenant, so this
//! stands above them.

use partsight_domain::{Company, CompanyId, CompanyRole, MemberId, TenantId, User, UserId};
use sqlx::{AnyConnection, Row};

use crate::accounts::hold_account;
use crate::{Error, Store};

/// What gives a tenant's catalogue, $1, to another one, $2, that has none yet. Indexes are told of the references by
/// their new number.
const HAND_OVER: [&str; 13] = [
    // Parts before the number of the change, as whoever changes a part locks them.
    "UPDATE shop_part SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE part_reference_revision SET revision = revision + 1 \
     WHERE $1 <> $2 AND EXISTS (SELECT 1 FROM part_reference WHERE tenant_id = $1)",
    "UPDATE part_reference SET tenant_id = $2, revision = (SELECT revision FROM part_reference_revision) \
     WHERE tenant_id = $1",
    "UPDATE taught_part_type SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE look_alike SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE llm_fill SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE llm_fill_rejection SET tenant_id = $2 WHERE tenant_id = $1",
    "INSERT INTO dial_choice (tenant_id, max_wrong_hundredths, changed_at) \
     SELECT $2, max_wrong_hundredths, changed_at FROM dial_choice WHERE tenant_id = $1 \
     ON CONFLICT (tenant_id) DO NOTHING",
    "INSERT INTO judge_budget_choice (tenant_id, day_micro_dollars, month_micro_dollars, changed_at) \
     SELECT $2, day_micro_dollars, month_micro_dollars, changed_at FROM judge_budget_choice WHERE tenant_id = $1 \
     ON CONFLICT (tenant_id) DO NOTHING",
    // What was forbidden stays forbidden; that photographs may leave, a company has to say itself.
    "INSERT INTO judge_consent (tenant_id, is_allowed, changed_at) \
     SELECT $2, is_allowed, changed_at FROM judge_consent WHERE tenant_id = $1 AND is_allowed = 0 \
     ON CONFLICT (tenant_id) DO NOTHING",
    "INSERT INTO learning_choice (tenant_id, confirmed_scans_teach, refit_calibration, changed_at) \
     SELECT $2, confirmed_scans_teach, refit_calibration, changed_at FROM learning_choice WHERE tenant_id = $1 \
     ON CONFLICT (tenant_id) DO NOTHING",
    "INSERT INTO tenant_calibration (tenant_id, model_sha256, temperature, outcome, n, figures, attempted_at) \
     SELECT $2, model_sha256, temperature, outcome, n, figures, attempted_at FROM tenant_calibration \
     WHERE tenant_id = $1 ON CONFLICT (tenant_id) DO NOTHING",
    // A company begins with what its owner has spent on the judge: a budget is not had anew by making a company.
    "INSERT INTO tenant_judge_spending (tenant_id, period, micro_dollars) \
     SELECT $2, period, micro_dollars FROM tenant_judge_spending WHERE tenant_id = $1",
];

/// What keeps, of the tenant $1 that goes with a company, its spending on the judge with the owner $2.
const KEEP_SPENDING: &str = "INSERT INTO tenant_judge_spending (tenant_id, period, micro_dollars) \
     SELECT app_user.tenant_id, spending.period, spending.micro_dollars \
     FROM tenant_judge_spending AS spending JOIN app_user ON app_user.user_id = $2 WHERE spending.tenant_id = $1 \
     ON CONFLICT (tenant_id, period) DO UPDATE SET micro_dollars = \
         CASE WHEN excluded.micro_dollars > tenant_judge_spending.micro_dollars \
              THEN excluded.micro_dollars ELSE tenant_judge_spending.micro_dollars END";

/// What notes the references of a tenant, $1, for the indexes to forget.
const FORGET: [&str; 2] = [
    "UPDATE part_reference_revision SET revision = revision + 1 \
     WHERE EXISTS (SELECT 1 FROM part_reference WHERE tenant_id = $1)",
    "INSERT INTO forgotten_reference (part_reference_id, revision) \
     SELECT part_reference_id, (SELECT revision FROM part_reference_revision) FROM part_reference \
     WHERE tenant_id = $1",
];

/// What went with a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletedCompany {
    /// People who were in it, the owner included.
    pub n_members: u64,
    /// Invitations that were open.
    pub n_invitations: u64,
}

impl Store {
    /// Adds a company with a tenant of its own and its owner as the first member, all or nothing. What the owner has
    /// taught, and the parts of their shop, become the company's: they are the shop's.
    ///
    /// # Errors
    /// [`Error::Constraint`] when the owner is in a company, [`Error::AccountClosing`].
    pub async fn create_company(
        &self,
        company: &Company,
        owner: &User,
        member_id: MemberId,
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        hold_account(owner.id, company.created_at, &mut tx).await?;
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
        // After the tenant is made, which these rows refer to.
        for query in HAND_OVER {
            sql!(query, [owner.tenant_id, company.tenant_id]).execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Deletes a company of this owner with all that its tenant owns. What it has spent on the judge stays with the
    /// owner.
    pub async fn delete_company(
        &self,
        owner_id: UserId,
        id: CompanyId,
    ) -> Result<Option<DeletedCompany>, Error> {
        let mut tx = self.begin().await?;
        // Holds back those who are joining, so that the counts are those of what goes.
        let query = sql!(
            "UPDATE company SET created_at = created_at WHERE company_id = $1 AND owner_id = $2 \
             RETURNING tenant_id",
            [id, owner_id]
        );
        let mine = query.fetch_optional(&mut *tx).await?;
        let Some(mine) = mine else {
            tx.rollback().await?;
            return Ok(None);
        };
        let tenant_id: String = mine.try_get("tenant_id")?;
        // Deleted one by one for their counts; the deletion of the tenant would take them along in silence.
        let invitations =
            sql!("DELETE FROM company_invitation WHERE company_id = $1", [id]).execute(&mut *tx).await?;
        let members =
            sql!("DELETE FROM company_member WHERE company_id = $1", [id]).execute(&mut *tx).await?;
        // Before the tenant goes, whose rows these are: else a budget could be had anew by making a company and
        // deleting it.
        sql!(KEEP_SPENDING, [tenant_id, owner_id]).execute(&mut *tx).await?;
        hold_tenants(&[&tenant_id], &mut tx).await?;
        delete_held_tenant(&tenant_id, &mut tx).await?;
        tx.commit().await?;
        Ok(Some(DeletedCompany {
            n_members: members.rows_affected(),
            n_invitations: invitations.rows_affected(),
        }))
    }

    /// Deletes the user, and the tenant with all that it owns when nobody else is in it. A company of theirs that
    /// nobody else is in goes too.
    ///
    /// Whether the tenant is gone too.
    ///
    /// # Errors
    /// [`Error::OwnsCompany`] for the owner of a company with other members; nothing is deleted then.
    pub async fn delete_user(&self, id: UserId, tenant_id: TenantId) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let query = scalar!(
            "DELETE FROM company WHERE owner_id = $1 \
                 AND EXISTS (SELECT 1 FROM app_user WHERE app_user.user_id = $1 AND app_user.tenant_id = $2) \
                 AND NOT EXISTS (SELECT 1 FROM company_member \
                                 WHERE company_member.company_id = company.company_id \
                                 AND company_member.user_id <> $1) \
             RETURNING tenant_id",
            [id, tenant_id]
        );
        // Only companies without anybody else. One with other members stays, and then holds back the user below.
        let companies: Vec<String> = query.fetch_all(&mut *tx).await?;
        let own = tenant_id.to_string();
        let tenants: Vec<&str> = companies.iter().chain([&own]).map(String::as_str).collect();
        // Before the user: who teaches at this moment holds the counter, and then asks whether the user is there.
        hold_tenants(&tenants, &mut tx).await?;
        for company in &companies {
            delete_held_tenant(company, &mut tx).await?;
        }
        let deleted = sql!("DELETE FROM app_user WHERE user_id = $1 AND tenant_id = $2", [id, tenant_id])
            .execute(&mut *tx)
            .await;
        match deleted.map_err(Error::from) {
            // Of all that refers to a user, a company alone does not go with them.
            Err(Error::ReferenceMissing { .. }) => return Err(Error::OwnsCompany),
            // The tenant is not theirs, and so not to be looked at.
            Ok(deleted) if deleted.rows_affected() == 0 => return Ok(false),
            result => result?,
        };
        // A tenant outlives one of several users.
        let others: i64 = scalar!("SELECT COUNT(*) FROM app_user WHERE tenant_id = $1", [tenant_id])
            .fetch_one(&mut *tx)
            .await?;
        let is_gone = others == 0 && delete_held_tenant(&own, &mut tx).await?;
        tx.commit().await?;
        Ok(is_gone)
    }
}

/// Locks tenants that are to go, their parts and then the counter of changes, in the order in which whoever changes parts
/// or teaches locks them: who does so at this moment comes before, and what they made goes too, or after, and finds no
/// tenant.
async fn hold_tenants(tenants: &[&str], tx: &mut AnyConnection) -> Result<(), Error> {
    for tenant_id in tenants {
        for query in [
            // Updates that change nothing are locks that both databases know.
            "UPDATE tenant SET created_at = created_at WHERE tenant_id = $1",
            "UPDATE shop_part SET revision = revision WHERE tenant_id = $1",
        ] {
            sql!(query, [tenant_id]).execute(&mut *tx).await?;
        }
    }
    sqlx::query("UPDATE part_reference_revision SET revision = revision").execute(tx).await?;
    Ok(())
}

/// Deletes a tenant that is held, with all that it owns, and notes its references for the indexes to forget; tells
/// whether there was one.
async fn delete_held_tenant(tenant_id: &str, tx: &mut AnyConnection) -> Result<bool, Error> {
    // Before the deletion, whose cascade takes the references: afterwards nobody knows which ids the indexes hold.
    for query in FORGET {
        sql!(query, [tenant_id]).execute(&mut *tx).await?;
    }
    let deleted = sql!("DELETE FROM tenant WHERE tenant_id = $1", [tenant_id]).execute(tx).await?;
    Ok(deleted.rows_affected() > 0)
}
