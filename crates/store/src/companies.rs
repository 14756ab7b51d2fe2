use jiff::Timestamp;
use partsight_domain::{Company, CompanyId, CompanyProfile, CompanyRole, MemberId, User, UserId};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::part_references::delete_tenant;
use crate::users::hold_account;
use crate::{Error, Store, rows};

/// What went with a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletedCompany {
    /// People who were in it, the owner included.
    pub n_members: u64,
    /// Invitations that were open.
    pub n_invitations: u64,
}

/// What gives a tenant's catalogue, $1, to another one, $2, that has none yet. Indexes are told of the references by
/// their new number.
const HAND_OVER: [&str; 12] = [
    // Parts before the number of the change, as whoever changes a part locks them.
    "UPDATE shop_part SET tenant_id = $2 WHERE tenant_id = $1",
    "UPDATE part_reference_revision SET revision = revision + 1 \
     WHERE $1 <> $2 AND EXISTS (SELECT 1 FROM part_reference WHERE tenant_id = $1)",
    "UPDATE part_reference SET tenant_id = $2, revision = (SELECT revision FROM part_reference_revision) \
     WHERE tenant_id = $1",
    "UPDATE taught_part_type SET tenant_id = $2 WHERE tenant_id = $1",
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
        let mut tx = self.db.begin().await?;
        hold_account(owner.id, company.created_at, &mut tx).await?;
        sqlx::query("INSERT INTO tenant (tenant_id, created_at) VALUES ($1, $2)")
            .bind(company.tenant_id.to_string())
            .bind(company.created_at.as_millisecond())
            .execute(&mut *tx)
            .await?;
        sqlx::query(
            "INSERT INTO company (company_id, tenant_id, owner_id, name, description, logo, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(company.id.to_string())
        .bind(company.tenant_id.to_string())
        .bind(company.owner_id.to_string())
        .bind(&company.profile.name)
        .bind(company.profile.description.as_deref())
        .bind(company.logo.as_deref())
        .bind(company.created_at.as_millisecond())
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "INSERT INTO company_member (member_id, company_id, user_id, role, display_name, joined_at) \
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(member_id.to_string())
        .bind(company.id.to_string())
        .bind(company.owner_id.to_string())
        .bind(CompanyRole::Manager.as_str())
        .bind(owner.display_name())
        .bind(company.created_at.as_millisecond())
        .execute(&mut *tx)
        .await?;
        for query in HAND_OVER {
            sqlx::query(query)
                .bind(owner.tenant_id.to_string())
                .bind(company.tenant_id.to_string())
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// The company that a user is in.
    pub async fn find_company_of(&self, user_id: UserId) -> Result<Option<Company>, Error> {
        let row = sqlx::query(
            "SELECT company.* FROM company \
             JOIN company_member ON company_member.company_id = company.company_id \
             WHERE company_member.user_id = $1",
        )
        .bind(user_id.to_string())
        .fetch_optional(&self.db)
        .await?;
        row.as_ref().map(company_from_row).transpose()
    }

    /// Gives a company that this user is in another name and description, and where `logo` is given, another logo
    /// or none. Nothing is found when the user has just left it.
    pub async fn update_company(
        &self,
        user_id: UserId,
        id: CompanyId,
        profile: &CompanyProfile,
        logo: Option<Option<&str>>,
    ) -> Result<Option<Company>, Error> {
        let row = sqlx::query(
            "UPDATE company SET name = $3, description = $4, \
                 logo = CASE WHEN $5 = 1 THEN $6 ELSE logo END \
             WHERE company_id = $2 AND EXISTS (SELECT 1 FROM company_member \
                 WHERE company_member.company_id = company.company_id AND company_member.user_id = $1) \
             RETURNING *",
        )
        .bind(user_id.to_string())
        .bind(id.to_string())
        .bind(&profile.name)
        .bind(profile.description.as_deref())
        .bind(i64::from(logo.is_some()))
        .bind(logo.flatten())
        .fetch_optional(&self.db)
        .await?;
        row.as_ref().map(company_from_row).transpose()
    }

    /// Makes a member the owner of this owner's company, both managers from then on; whether it was done: it is not
    /// for somebody who is not in the company, nor by somebody who does not own it.
    ///
    /// # Errors
    /// [`Error::AccountClosing`] when the account of the new owner is about to go.
    pub async fn hand_over_company(
        &self,
        owner_id: UserId,
        id: CompanyId,
        new_owner_id: UserId,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let mut tx = self.db.begin().await?;
        hold_account(new_owner_id, now, &mut tx).await?;
        // The membership is changed first and so held: nobody who is leaving becomes the owner.
        let member =
            sqlx::query("UPDATE company_member SET role = $3 WHERE company_id = $1 AND user_id = $2")
                .bind(id.to_string())
                .bind(new_owner_id.to_string())
                .bind(CompanyRole::Manager.as_str())
                .execute(&mut *tx)
                .await?;
        let company = sqlx::query("UPDATE company SET owner_id = $3 WHERE company_id = $1 AND owner_id = $2")
            .bind(id.to_string())
            .bind(owner_id.to_string())
            .bind(new_owner_id.to_string())
            .execute(&mut *tx)
            .await?;
        let is_done = member.rows_affected() > 0 && company.rows_affected() > 0;
        if is_done {
            tx.commit().await?;
        } else {
            tx.rollback().await?;
        }
        Ok(is_done)
    }

    /// Deletes a company of this owner with all that its tenant owns. What it has spent on the judge stays with the
    /// owner.
    pub async fn delete_company(
        &self,
        owner_id: UserId,
        id: CompanyId,
    ) -> Result<Option<DeletedCompany>, Error> {
        let mut tx = self.db.begin().await?;
        // Holds back those who are joining, so that the counts are those of what goes.
        let mine = sqlx::query(
            "UPDATE company SET created_at = created_at WHERE company_id = $1 AND owner_id = $2 \
             RETURNING tenant_id",
        )
        .bind(id.to_string())
        .bind(owner_id.to_string())
        .fetch_optional(&mut *tx)
        .await?;
        let Some(mine) = mine else { return Ok(None) };
        let tenant_id: String = mine.try_get("tenant_id")?;
        let invitations = sqlx::query("DELETE FROM company_invitation WHERE company_id = $1")
            .bind(id.to_string())
            .execute(&mut *tx)
            .await?;
        let members = sqlx::query("DELETE FROM company_member WHERE company_id = $1")
            .bind(id.to_string())
            .execute(&mut *tx)
            .await?;
        sqlx::query(KEEP_SPENDING).bind(&tenant_id).bind(owner_id.to_string()).execute(&mut *tx).await?;
        delete_tenant(&tenant_id, &mut tx).await?;
        tx.commit().await?;
        Ok(Some(DeletedCompany {
            n_members: members.rows_affected(),
            n_invitations: invitations.rows_affected(),
        }))
    }
}

fn company_from_row(row: &AnyRow) -> Result<Company, Error> {
    Ok(Company {
        id: rows::parsed(row, "company_id")?,
        tenant_id: rows::parsed(row, "tenant_id")?,
        owner_id: rows::parsed(row, "owner_id")?,
        profile: CompanyProfile { name: row.try_get("name")?, description: row.try_get("description")? },
        logo: row.try_get("logo")?,
        created_at: rows::timestamp(row, "created_at")?,
    })
}
