//! What people keep when they leave a company, voluntarily or not: their scans and repairs, and the names of the
//! parts in them.

use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use crate::Error;

/// When a kept name counts as deleted: so long ago that the type can never be restored, since none of its photographs
/// is left.
const LONG_AGO: i64 = 0;

/// The part types of the company $1 that occur in the rows of the tenant $2. Each type is looked up among the scans, by an
/// index: a person may have 100,000 scans, while the company's tenant is locked.
pub(crate) const NAMES_TO_KEEP: &str = "SELECT label, name, category, created_at FROM taught_part_type AS taught \
     WHERE tenant_id = $1 AND \
         (EXISTS (SELECT 1 FROM scan WHERE scan.tenant_id = $2 AND scan.label = taught.label) \
          OR label IN (SELECT label FROM scan_feedback WHERE tenant_id = $2 AND label IS NOT NULL \
                       UNION SELECT part_label FROM repair WHERE tenant_id = $2 AND part_label IS NOT NULL)) \
     ORDER BY label";

/// What somebody keeps: the names of a company's part types that occur in the scans, feedback and repairs of people who
/// leave it: of one person ($2), or of all (an empty text), in the company $1. They are saved as deleted types of their
/// own, by which such rows are shown anyway.
///
/// To be called before they leave and before the company's tenant is deleted, with that tenant locked.
pub(crate) async fn keep_names_of_parts(
    company_id: &str,
    user_id: &str,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "SELECT company.tenant_id AS company_tenant_id, app_user.tenant_id FROM company_member \
         JOIN company ON company.company_id = company_member.company_id \
         JOIN app_user ON app_user.user_id = company_member.user_id \
         WHERE company_member.company_id = $1 AND ($2 = '' OR company_member.user_id = $2) \
         ORDER BY app_user.tenant_id",
        [company_id, user_id]
    );
    for person in query.fetch_all(&mut *tx).await? {
        let (company, own): (String, String) =
            (person.try_get("company_tenant_id")?, person.try_get("tenant_id")?);
        let query = sql!(NAMES_TO_KEEP, [company, own]);
        for part_type in query.fetch_all(&mut *tx).await? {
            let (label, name, category): (String, String, String) =
                (part_type.try_get("label")?, part_type.try_get("name")?, part_type.try_get("category")?);
            let created_at: i64 = part_type.try_get("created_at")?;
            let query = sql!(
                // A person who has a type with this label, deleted or not, keeps that one.
                "INSERT INTO taught_part_type \
                     (taught_part_type_id, tenant_id, label, name, category, created_at, deleted_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
                [Uuid::now_v7(), own, label, name, category, created_at, LONG_AGO]
            );
            query.execute(&mut *tx).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_plans::assert_plan;

    #[tokio::test]
    async fn each_part_is_looked_up_among_the_scans() {
        assert_plan(NAMES_TO_KEEP, 2, &["scan_by_label (tenant_id=? AND label=?)"]).await;
    }
}
