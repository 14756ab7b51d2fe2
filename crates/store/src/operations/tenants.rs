//! Tenants that begin with what another one had, or end with all that they own. Every room has rows of a tenant, so this
//! stands above them.

use std::slice;

use partsight_domain::{Company, CompanyId, CompanyRole, MemberId, TenantId, User, UserId};
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::accounts::hold_account;
use crate::departures::keep_names_of_parts;
use crate::plans::lock_company;
use crate::transaction::retried;
use crate::{Error, Store};

/// What gives a tenant's catalogue, $1, to another one, $2, that has none yet. Indexes are told of the references by
/// their new number.
const HAND_OVER: [&str; 18] = [
    // Parts before the number of the change, as whoever changes a part locks them.
    "UPDATE shop_part SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE part_reference_revision SET revision = revision + 1 \
     WHERE $1 <> $2 AND EXISTS (SELECT 1 FROM part_reference WHERE tenant_id = $1)",
    "UPDATE part_reference SET tenant_id = $2, revision = (SELECT revision FROM part_reference_revision) \
     WHERE tenant_id = $1",
    "UPDATE taught_part_type SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE look_alike SET tenant_id = $2 WHERE tenant_id = $1",
    // One whose rows still arrive goes along and is refused at its end; it would be published where nobody sees it.
    "UPDATE price_list SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE cross_reference_list SET tenant_id = $2 WHERE tenant_id = $1",
    "INSERT INTO grade_scale (tenant_id, grades) SELECT $2, grades FROM grade_scale WHERE tenant_id = $1 \
     ON CONFLICT (tenant_id) DO NOTHING",
    // The scans stay their maker's; what was found out about the parts counts for the shop.
    "UPDATE scan_grade SET shop_tenant_id = $2 WHERE COALESCE(shop_tenant_id, tenant_id) = $1",
    "UPDATE scan_feedback SET shop_tenant_id = $2 WHERE COALESCE(shop_tenant_id, tenant_id) = $1",
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
     ORDER BY spending.period DESC ON CONFLICT (tenant_id, period) DO UPDATE SET micro_dollars = \
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

/// The companies of a user, $1, of this tenant, $2, that nobody else is in.
const OWNED_ALONE: &str = "owner_id = $1 \
     AND EXISTS (SELECT 1 FROM app_user WHERE app_user.user_id = $1 AND app_user.tenant_id = $2) \
     AND NOT EXISTS (SELECT 1 FROM company_member \
                     WHERE company_member.company_id = company.company_id AND company_member.user_id <> $1)";

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
    /// taught, and the parts, lists and grades of their shop, become the company's: they are the shop's.
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
            // What is saved at this moment is waited for, so that it is handed over as well.
            hold_tenants(&[owner.tenant_id.to_string()], &mut tx).await?;
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
            // What the owner taught is the shop's from now on; nobody's who joins later is moved. After the tenant is made,
            // which these rows refer to.
            for query in HAND_OVER {
                sql!(query, [owner.tenant_id, company.tenant_id]).execute(&mut *tx).await?;
            }
            tx.commit().await?;
            Ok(())
        })
        .await
    }

    /// Deletes a company of this owner with all that its tenant owns. What it has spent on the judge stays with the
    /// owner.
    pub async fn delete_company(
        &self,
        owner_id: UserId,
        id: CompanyId,
    ) -> Result<Option<DeletedCompany>, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // Holds back those who are joining, so that the counts are those of what goes.
            lock_company(id, &mut tx).await?;
            let query = scalar!(
                "SELECT tenant_id FROM company WHERE company_id = $1 AND owner_id = $2",
                [id, owner_id]
            );
            let mine: Option<String> = query.fetch_optional(&mut *tx).await?;
            let Some(tenant_id) = mine else {
                tx.rollback().await?;
                return Ok(None);
            };
            hold_tenants(slice::from_ref(&tenant_id), &mut tx).await?;
            // The owner leaves it as the others do.
            keep_names_of_parts(&id.to_string(), "", &mut tx).await?;
            // Deleted one by one for their counts; the deletion of the tenant would take them along in silence.
            let invitations =
                sql!("DELETE FROM company_invitation WHERE company_id = $1", [id]).execute(&mut *tx).await?;
            let members =
                sql!("DELETE FROM company_member WHERE company_id = $1", [id]).execute(&mut *tx).await?;
            // Before the tenant goes, whose rows these are: else a budget could be had anew by making a company and
            // deleting it.
            sql!(KEEP_SPENDING, [tenant_id, owner_id]).execute(&mut *tx).await?;
            delete_held_tenant(&tenant_id, &mut tx).await?;
            tx.commit().await?;
            Ok(Some(DeletedCompany {
                n_members: members.rows_affected(),
                n_invitations: invitations.rows_affected(),
            }))
        })
        .await
    }

    /// Deletes the user, and the tenant with all that it owns when nobody else is in it. A company of theirs that
    /// nobody else is in goes too.
    ///
    /// Whether the tenant is gone too.
    ///
    /// # Errors
    /// [`Error::OwnsCompany`] for the owner of a company with other members; nothing is deleted then.
    pub async fn delete_user(&self, id: UserId, tenant_id: TenantId) -> Result<bool, Error> {
        retried(|| self.try_to_delete_user(id, tenant_id)).await
    }

    async fn try_to_delete_user(&self, id: UserId, tenant_id: TenantId) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        // The person's tenant before those of companies: whoever makes a company holds it.
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let companies = format!("SELECT tenant_id FROM company WHERE {OWNED_ALONE} ORDER BY tenant_id");
        let mut tenants: Vec<String> =
            scalar!(AssertSqlSafe(companies), [id, tenant_id]).fetch_all(&mut *tx).await?;
        let own = tenant_id.to_string();
        tenants.push(own.clone());
        // Before the user: who teaches at this moment holds the counter, and then asks whether the user is there.
        hold_tenants(&tenants, &mut tx).await?;
        // Asked again behind the locks, which nobody joins a company without. One with other members stays, and then
        // holds back the user below.
        let alone = format!("DELETE FROM company WHERE {OWNED_ALONE} RETURNING tenant_id");
        let companies: Vec<String> =
            scalar!(AssertSqlSafe(alone), [id, tenant_id]).fetch_all(&mut *tx).await?;
        for company in &companies {
            delete_held_tenant(company, &mut tx).await?;
        }
        let query = sql!(
            "SELECT COUNT(*) AS n_all, COUNT(CASE WHEN user_id = $1 THEN 1 END) AS n_them \
             FROM app_user WHERE tenant_id = $2",
            [id, tenant_id]
        );
        let users = query.fetch_one(&mut *tx).await?;
        // The tenant is not theirs, and so not to be looked at.
        if users.try_get::<i64, _>("n_them")? == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        for query in [
            // What was written while signed in, and what waits for the address.
            "DELETE FROM contact_message WHERE user_id = $1",
            "DELETE FROM company_invitation WHERE email = (SELECT email FROM app_user WHERE user_id = $1)",
            "DELETE FROM company_refusal WHERE email = (SELECT email FROM app_user WHERE user_id = $1)",
        ] {
            sql!(query, [id]).execute(&mut *tx).await?;
        }
        // A tenant outlives one of several users. Else it takes its only one along: a row that refers to both locks the
        // tenant first, and would hold it while it waits for a user who is deleted already.
        let is_alone = users.try_get::<i64, _>("n_all")? == 1;
        let deleted = if is_alone {
            delete_held_tenant(&own, &mut tx).await
        } else {
            let query = sql!("DELETE FROM app_user WHERE user_id = $1 AND tenant_id = $2", [id, tenant_id]);
            query.execute(&mut *tx).await.map(|_| ()).map_err(Error::from)
        };
        match deleted {
            // Of all that refers to a user, a company alone does not go with them.
            Err(Error::ReferenceMissing { .. }) => return Err(Error::OwnsCompany),
            result => result?,
        }
        tx.commit().await?;
        Ok(is_alone)
    }
}

/// Locks tenants that are to go, their parts and then the counter of changes, in the order in which whoever changes parts
/// or teaches locks them: who does so at this moment comes before, and what they made goes too, or after, and finds no
/// tenant.
async fn hold_tenants(tenants: &[String], tx: &mut AnyConnection) -> Result<(), Error> {
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

/// Deletes a tenant that is held, with all that it owns, and notes its references for the indexes to forget.
async fn delete_held_tenant(tenant_id: &str, tx: &mut AnyConnection) -> Result<(), Error> {
    // Before the deletion, whose cascade takes the references: afterwards nobody knows which ids the indexes hold.
    for query in FORGET {
        sql!(query, [tenant_id]).execute(&mut *tx).await?;
    }
    sql!("DELETE FROM tenant WHERE tenant_id = $1", [tenant_id]).execute(tx).await?;
    Ok(())
}
