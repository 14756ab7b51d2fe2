//! The members of companies. People join in `company_invitations.rs`.

use partsight_domain::{CompanyId, CompanyMember, CompanyRole, Membership, UserId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::companies::lock_company;
use crate::authority::lock_tenant_for;
use crate::departures::keep_names_of_parts;
use crate::transaction::retried;
use crate::{Error, Store, rows};

impl Store {
    /// The members of a company, the owner first, then in the order they joined.
    pub async fn list_company_members(&self, company_id: CompanyId) -> Result<Vec<CompanyMember>, Error> {
        let query = sql!(
            "SELECT company_member.*, app_user.email, app_user.first_name, app_user.last_name, profile_picture.picture \
             FROM company_member JOIN app_user ON app_user.user_id = company_member.user_id \
             LEFT JOIN profile_picture ON profile_picture.user_id = company_member.user_id \
             JOIN company ON company.company_id = company_member.company_id \
             WHERE company_member.company_id = $1 \
             ORDER BY CASE WHEN company.owner_id = company_member.user_id THEN 0 ELSE 1 END, \
                      company_member.joined_at, company_member.member_id",
            [company_id]
        );
        self.list(query, member_from_row).await
    }

    /// Gives a member another role, for the manager `decided_by`; `None` for somebody outside the company, or its owner.
    ///
    /// # Errors
    /// [`Error::NotManager`].
    pub async fn set_company_role(
        &self,
        decided_by: UserId,
        company: &Membership,
        user_id: UserId,
        role: CompanyRole,
    ) -> Result<Option<CompanyMember>, Error> {
        let company_id = company.company_id;
        let mut tx = self.begin().await?;
        lock_tenant_for(decided_by, company.tenant_id, &mut tx).await?;
        let query = sql!(
            // The owner is checked while the lock is held: a statement of PostgreSQL that waits for a member's row has
            // read the owner before.
            "UPDATE company_member SET role = $3 WHERE company_id = $1 AND user_id = $2 \
             AND NOT EXISTS (SELECT 1 FROM company WHERE company_id = $1 AND owner_id = $2)",
            [company_id, user_id, role]
        );
        let updated = query.execute(&mut *tx).await?;
        if updated.rows_affected() > 0 && role == CompanyRole::Member {
            withdraw_invitations_by(company_id, user_id, &mut tx).await?;
        }
        tx.commit().await?;
        if updated.rows_affected() == 0 {
            return Ok(None);
        }
        let query = sql!(
            "SELECT company_member.*, app_user.email, app_user.first_name, app_user.last_name, profile_picture.picture \
             FROM company_member JOIN app_user ON app_user.user_id = company_member.user_id \
             LEFT JOIN profile_picture ON profile_picture.user_id = company_member.user_id \
             WHERE company_member.company_id = $1 AND company_member.user_id = $2",
            [company_id, user_id]
        );
        self.find(query, member_from_row).await
    }

    /// Removes a member, but never the owner; returns whether they were in the company. They can only come back by
    /// accepting an invitation.
    pub async fn remove_company_member(&self, company_id: CompanyId, user_id: UserId) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            lock_company(company_id, &mut tx).await?;
            keep_names_of_parts(&company_id.to_string(), &user_id.to_string(), &mut tx).await?;
            let query = sql!(
                "DELETE FROM company_member WHERE company_id = $1 AND user_id = $2 \
                 AND NOT EXISTS (SELECT 1 FROM company WHERE company_id = $1 AND owner_id = $2)",
                [company_id, user_id]
            );
            let is_removed = query.execute(&mut *tx).await?.rows_affected() > 0;
            if is_removed {
                withdraw_invitations_by(company_id, user_id, &mut tx).await?;
                tx.commit().await?;
            } else {
                // The owner stays, so there are no names of parts to keep.
                tx.rollback().await?;
            }
            Ok(is_removed)
        })
        .await
    }
}

/// Withdraws the open invitations by somebody who may no longer invite: one of them could be to an address of their own.
async fn withdraw_invitations_by(
    company_id: CompanyId,
    user_id: UserId,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "DELETE FROM company_invitation WHERE company_id = $1 AND invited_by = $2",
        [company_id, user_id]
    );
    query.execute(tx).await?;
    Ok(())
}

fn member_from_row(row: &AnyRow) -> Result<CompanyMember, Error> {
    Ok(CompanyMember {
        id: rows::parsed(row, "member_id")?,
        user_id: rows::parsed(row, "user_id")?,
        role: rows::parsed(row, "role")?,
        display_name: row.try_get("display_name")?,
        joined_at: rows::timestamp(row, "joined_at")?,
        email: row.try_get("email")?,
        first_name: row.try_get("first_name")?,
        last_name: row.try_get("last_name")?,
        picture: row.try_get("picture")?,
    })
}
