//! Companies. They are created and deleted in `operations/tenants.rs`, since rows of every room are moved or deleted
//! with them.

use jiff::Timestamp;
use partsight_domain::{Company, CompanyId, CompanyProfile, CompanyRole, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::accounts::lock_open_account;
use crate::transaction::retried;
use crate::{Error, Store, rows};

impl Store {
    /// The company that a user is in.
    pub async fn find_company_of(&self, user_id: UserId) -> Result<Option<Company>, Error> {
        let query = sql!(
            "SELECT company.* FROM company \
             JOIN company_member ON company_member.company_id = company.company_id \
             WHERE company_member.user_id = $1",
            [user_id]
        );
        self.find(query, company_from_row).await
    }

    /// Changes a company that this user is in: its name, its description unless that is kept, and if `logo` is given,
    /// its logo. `None` when the user has just left it, or manages it no longer.
    pub async fn update_company(
        &self,
        user_id: UserId,
        id: CompanyId,
        profile: &CompanyProfile,
        keeps_description: bool,
        logo: Option<Option<&str>>,
    ) -> Result<Option<Company>, Error> {
        let mut tx = self.begin().await?;
        let query = sql!(
            "UPDATE company SET name = $3, \
                 description = CASE WHEN $5 = 1 THEN description ELSE $4 END, \
                 logo = CASE WHEN $6 = 1 THEN $7 ELSE logo END \
             WHERE company_id = $2 AND EXISTS (SELECT 1 FROM company_member \
                 WHERE company_member.company_id = company.company_id AND company_member.user_id = $1 \
                   AND (company_member.role = $8 OR company.owner_id = $1)) \
             RETURNING *",
            [user_id, id, profile.name, profile.description, keeps_description],
            [logo.is_some(), logo.flatten(), CompanyRole::Manager]
        );
        let row = query.fetch_optional(&mut *tx).await?;
        tx.commit().await?;
        row.as_ref().map(company_from_row).transpose()
    }

    /// Makes a member the owner of this owner's company; both are managers from then on. Returns whether it was done:
    /// false if the new owner is not a member, or the caller is not the owner.
    ///
    /// # Errors
    /// [`Error::AccountClosing`] when the account of the new owner is being deleted.
    pub async fn hand_over_company(
        &self,
        owner_id: UserId,
        id: CompanyId,
        new_owner_id: UserId,
        now: Timestamp,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            lock_company(id, &mut tx).await?;
            // A deleted account would leave the company without an owner.
            lock_open_account(new_owner_id, self.database_time(now), &mut tx).await?;
            let query = sql!(
                "UPDATE company_member SET role = $3 WHERE company_id = $1 AND user_id = $2",
                [id, new_owner_id, CompanyRole::Manager]
            );
            let member = query.execute(&mut *tx).await?;
            let query = sql!(
                "UPDATE company SET owner_id = $3 WHERE company_id = $1 AND owner_id = $2",
                [id, owner_id, new_owner_id]
            );
            let company = query.execute(&mut *tx).await?;
            let is_done = member.rows_affected() > 0 && company.rows_affected() > 0;
            if is_done {
                tx.commit().await?;
            } else {
                tx.rollback().await?;
            }
            Ok(is_done)
        })
        .await
    }
}

/// Locks a company against other changes of its members, owner or existence, until the transaction ends.
///
/// It locks the tenant and not the company: inserting rows that refer to a company does not wait for a change of it.
/// Must be the first statement of a transaction.
pub(crate) async fn lock_company(id: CompanyId, tx: &mut AnyConnection) -> Result<(), Error> {
    let query = sql!(
        "UPDATE tenant SET created_at = created_at \
         WHERE tenant_id IN (SELECT tenant_id FROM company WHERE company_id = $1)",
        [id]
    );
    query.execute(tx).await?;
    Ok(())
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
