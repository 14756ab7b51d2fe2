//! The condition of scanned parts.

use jiff::civil::date;
use jiff::{Span, Timestamp};
use partsight_domain::{BatchId, GradeTotal, ScanGrade, ScanId, TenantId, UserId, display_name};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::filter::Filter;
use crate::{Error, Store, rows};

/// The tenant whose shop a grade counts for: the one it was given for, or else the person's own.
const SHOP: &str = "COALESCE(scan_grade.shop_tenant_id, scan_grade.tenant_id)";
/// The condition that two photographs of a batch, `own` and `other`, are of one item. Those that are discarded are another
/// entry of the list.
const SAME_ITEM: &str = "other.batch_id = own.batch_id AND other.group_id = own.group_id \
                         AND other.is_discarded = own.is_discarded";
/// The condition that a grade `first` counts before `scan_grade`, and is not of a photograph that shows no part by its
/// feedback, which counts as none.
const COUNTS_FIRST: &str = "first.scan_id < scan_grade.scan_id AND NOT EXISTS \
     (SELECT 1 FROM scan_feedback AS said WHERE said.scan_id = first.scan_id AND said.label IS NULL)";
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// Which grades are counted.
#[derive(Debug, Clone, Copy)]
pub struct GradeRange {
    /// From this time on.
    pub from: Timestamp,
    /// Before this time.
    pub until: Timestamp,
    /// Offset of the shop's clocks from UTC, in milliseconds.
    pub offset_millis: i64,
}

/// What a scan's grade was given for, and which it may keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenGrade {
    /// The shop that it counts for.
    pub shop: TenantId,
    /// The name of the grade, and of the one before it if there was another.
    pub names: Vec<String>,
}

impl Store {
    /// The grades of a tenant, if it has chosen any.
    pub async fn find_grade_scale(&self, tenant_id: TenantId) -> Result<Option<Vec<String>>, Error> {
        let query = sql!("SELECT grades FROM grade_scale WHERE tenant_id = $1", [tenant_id]);
        self.find(query, |row| rows::json(row, "grades")).await
    }

    /// Sets the grades of a tenant.
    pub async fn set_grade_scale(&self, tenant_id: TenantId, grades: &[String]) -> Result<(), Error> {
        let query = sql!(
            "INSERT INTO grade_scale (tenant_id, grades) VALUES ($1, $2) \
             ON CONFLICT (tenant_id) DO UPDATE SET grades = $2",
            [tenant_id, rows::to_json("grades", &grades)?]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Sets the grade of a tenant's scan; returns whether there is such a scan.
    pub async fn set_scan_grade(
        &self,
        tenant_id: TenantId,
        id: ScanId,
        user_id: UserId,
        shop: TenantId,
        grade: &ScanGrade,
    ) -> Result<bool, Error> {
        let query = sql!(
            "INSERT INTO scan_grade (scan_id, tenant_id, user_id, shop_tenant_id, grade, damage, note, graded_at) \
             SELECT scan_id, tenant_id, $3, $4, $5, $6, $7, $8 FROM scan WHERE tenant_id = $1 AND scan_id = $2 \
             ON CONFLICT (scan_id) DO UPDATE SET user_id = $3, shop_tenant_id = $4, grade = $5, damage = $6, \
                 note = $7, graded_at = $8, \
                 earlier_grade = CASE WHEN scan_grade.grade = $5 THEN scan_grade.earlier_grade \
                                      ELSE scan_grade.grade END",
            [tenant_id, id, user_id, shop, grade.grade, rows::to_json("damage", &grade.damage)?],
            [grade.note, grade.graded_at]
        );
        Ok(self.write(query).await? > 0)
    }

    /// The grade of a tenant's scan, if it has one.
    pub async fn find_given_grade(
        &self,
        tenant_id: TenantId,
        id: ScanId,
    ) -> Result<Option<GivenGrade>, Error> {
        let sql = format!(
            "SELECT {SHOP} AS shop, grade, earlier_grade FROM scan_grade WHERE tenant_id = $1 AND scan_id = $2"
        );
        let given = |row: &AnyRow| {
            let earlier: Option<String> = row.try_get("earlier_grade")?;
            let names = [row.try_get("grade")?].into_iter().chain(earlier).collect();
            Ok(GivenGrade { shop: rows::parsed(row, "shop")?, names })
        };
        self.find(sql!(AssertSqlSafe(sql), [tenant_id, id]), given).await
    }

    /// Deletes the grade of a tenant's scan; returns whether it had one.
    pub async fn delete_scan_grade(&self, tenant_id: TenantId, id: ScanId) -> Result<bool, Error> {
        let query = sql!("DELETE FROM scan_grade WHERE tenant_id = $1 AND scan_id = $2", [tenant_id, id]);
        Ok(self.write(query).await? > 0)
    }

    /// The grades of those of these scans of a tenant that have one.
    pub async fn list_scan_grades(
        &self,
        tenant_id: TenantId,
        ids: &[ScanId],
    ) -> Result<Vec<(ScanId, ScanGrade)>, Error> {
        let mut filter = Filter::new("tenant_id", tenant_id);
        filter.and(|f| f.one_of("scan_id", ids));
        let sql = format!("SELECT * FROM scan_grade WHERE {}", filter.condition());
        self.list(filter.bind(sqlx::query(AssertSqlSafe(sql))), grade_from_row).await
    }

    /// The grades of all scans of a tenant.
    pub async fn list_all_scan_grades(&self, tenant_id: TenantId) -> Result<Vec<(ScanId, ScanGrade)>, Error> {
        self.list(sql!("SELECT * FROM scan_grade WHERE tenant_id = $1", [tenant_id]), grade_from_row).await
    }

    /// Numbers of graded parts by day, person, part and grade: those of a whole shop, or if `is_whole_shop` is false
    /// only of the tenant's own scans. Several photographs of one item count as one part, also after their batch was
    /// deleted, and one that shows no part by its feedback counts as none.
    pub async fn count_grades(
        &self,
        tenant_id: TenantId,
        is_whole_shop: bool,
        range: GradeRange,
    ) -> Result<Vec<GradeTotal>, Error> {
        let owner = if is_whole_shop { SHOP } else { "scan_grade.tenant_id" };
        let sql = format!(
            // The day is the number of days since 1970 by the shop's clock: the two databases have no date function
            // in common.
            "SELECT (scan_grade.graded_at + $4) / $5 AS day, scan_grade.user_id AS user_id, \
                    app_user.first_name AS first_name, app_user.last_name AS last_name, \
                    app_user.email AS email, \
                    COALESCE(scan_feedback.label, scan.label) AS label, scan_grade.grade AS grade, COUNT(*) AS n \
             FROM scan_grade JOIN scan ON scan.scan_id = scan_grade.scan_id \
             LEFT JOIN scan_feedback ON scan_feedback.scan_id = scan_grade.scan_id \
             LEFT JOIN app_user ON app_user.user_id = scan_grade.user_id \
             WHERE {owner} = $1 AND scan_grade.graded_at >= $2 AND scan_grade.graded_at < $3 \
               AND (scan_feedback.scan_id IS NULL OR scan_feedback.label IS NOT NULL) \
               AND NOT EXISTS \
                 (SELECT 1 FROM batch_item AS own JOIN batch_item AS other ON {SAME_ITEM} \
                  JOIN scan_grade AS first ON first.scan_id = other.scan_id \
                  WHERE own.scan_id = scan_grade.scan_id AND {COUNTS_FIRST}) \
               AND NOT EXISTS \
                 (SELECT 1 FROM scan_grade AS first WHERE first.item_id = scan_grade.item_id AND {COUNTS_FIRST}) \
             GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1 DESC, 3, 4, 2, 6, 7"
        );
        let query =
            sql!(AssertSqlSafe(sql), [tenant_id, range.from, range.until, range.offset_millis, DAY_MILLIS]);
        self.list(query, |row| {
            let days: i64 = row.try_get("day")?;
            // Checked, because a damaged row must lead to an error and not to a panic.
            let day = Span::new().try_days(days).and_then(|days| date(1970, 1, 1).checked_add(days));
            let first: Option<String> = row.try_get("first_name")?;
            let last: Option<String> = row.try_get("last_name")?;
            let email: Option<String> = row.try_get("email")?;
            Ok(GradeTotal {
                day: day.map_err(|error| rows::corrupt("graded_at", &error))?,
                user_id: rows::optional(row, "user_id")?,
                person: first
                    .zip(last)
                    .zip(email)
                    .map(|((first, last), email)| display_name(&first, &last, &email)),
                label: rows::label(row, "label")?,
                grade: row.try_get("grade")?,
                n: rows::count(row, "n")?,
            })
        })
        .await
    }
}

/// Keeps which grades of a batch that is about to be deleted are those of one item.
pub(super) async fn keep_items_of_grades(
    tenant_id: TenantId,
    batch_id: BatchId,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let sql = format!(
        // The first photograph of an item stands for it, as in the list.
        "UPDATE scan_grade SET item_id = \
             (SELECT MIN(other.batch_item_id) FROM batch_item AS own JOIN batch_item AS other ON {SAME_ITEM} \
              WHERE own.batch_id = $2 AND own.scan_id = scan_grade.scan_id) \
         WHERE tenant_id = $1 AND scan_id IN \
             (SELECT batch_item.scan_id FROM batch_item \
              WHERE batch_item.tenant_id = $1 AND batch_item.batch_id = $2 AND batch_item.group_id IS NOT NULL)"
    );
    sql!(AssertSqlSafe(sql), [tenant_id, batch_id]).execute(tx).await?;
    Ok(())
}

fn grade_from_row(row: &AnyRow) -> Result<(ScanId, ScanGrade), Error> {
    let grade = ScanGrade {
        grade: row.try_get("grade")?,
        damage: rows::json(row, "damage")?,
        note: row.try_get("note")?,
        graded_at: rows::timestamp(row, "graded_at")?,
    };
    Ok((rows::parsed(row, "scan_id")?, grade))
}
