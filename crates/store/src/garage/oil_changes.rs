use jiff::Timestamp;
use jiff::civil::Date;
use partsight_domain::{
    Cost, LastDone, NewOilChange, OIL_CHANGE, OilChange, OilChangeId, Plan, Quota, RecordPage, TenantId,
    VehicleId,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::columns::{cost, mileage, page_of};
use crate::{Error, Store, rows};

impl Store {
    /// The newest oil changes of a tenant, of one vehicle if given.
    pub async fn list_oil_changes(
        &self,
        tenant_id: TenantId,
        vehicle_id: Option<VehicleId>,
        page: RecordPage,
    ) -> Result<Vec<OilChange>, Error> {
        let (filter, rest) = page_of("oil_change", "change_date", tenant_id, vehicle_id, page);
        let sql = format!("SELECT * FROM oil_change {rest}");
        self.list(filter.bind(sqlx::query(AssertSqlSafe(sql))), oil_change_from_row).await
    }

    /// All oil changes of a tenant, the oldest first, for an export.
    pub async fn export_oil_changes(&self, tenant_id: TenantId) -> Result<Vec<OilChange>, Error> {
        let query = sql!(
            "SELECT * FROM oil_change WHERE tenant_id = $1 ORDER BY change_date, oil_change_id",
            [tenant_id]
        );
        self.list(query, oil_change_from_row).await
    }

    /// The last oil change up to a day of each vehicle of a tenant that has any: a later one is an appointment.
    pub async fn latest_oil_changes(
        &self,
        tenant_id: TenantId,
        until: Date,
    ) -> Result<Vec<(VehicleId, LastDone)>, Error> {
        let query = sql!(
            // If there are two on one day, the higher mileage is the later one.
            "SELECT vehicle_id, change_date, MAX(mileage) AS mileage FROM oil_change AS this \
             WHERE tenant_id = $1 AND change_date <= $2 AND NOT EXISTS (SELECT 1 FROM oil_change AS later \
                   WHERE later.vehicle_id = this.vehicle_id AND later.change_date > this.change_date \
                     AND later.change_date <= $2) \
             GROUP BY vehicle_id, change_date",
            [tenant_id, until]
        );
        self.list(query, |row| {
            let on = rows::parsed(row, "change_date")?;
            Ok((rows::parsed(row, "vehicle_id")?, LastDone { on, mileage: Some(mileage(row)?) }))
        })
        .await
    }

    /// One oil change of a tenant.
    pub async fn find_oil_change(
        &self,
        tenant_id: TenantId,
        id: OilChangeId,
    ) -> Result<Option<OilChange>, Error> {
        let query =
            sql!("SELECT * FROM oil_change WHERE tenant_id = $1 AND oil_change_id = $2", [tenant_id, id]);
        self.find(query, oil_change_from_row).await
    }

    /// Inserts an oil change, and ends the snooze of the next one; `None` when the tenant has no such vehicle.
    ///
    /// # Errors
    /// [`Error::QuotaReached`] for a tenant with as many records as `plan` allows.
    pub async fn create_oil_change(
        &self,
        tenant_id: TenantId,
        id: OilChangeId,
        new: &NewOilChange,
        plan: Plan,
        now: Timestamp,
    ) -> Result<Option<OilChange>, Error> {
        let mut tx = self.begin().await?;
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let mut tx = tx.within_quota(tenant_id, Quota::Records, plan, 1).await?;
        let row = insert_oil_change(&mut tx, tenant_id, id, new, now).await?;
        let query = sql!(
            // Also if the vehicle was not found and nothing was inserted: then it has no snooze either.
            "UPDATE maintenance_item SET snoozed_until = NULL \
             WHERE tenant_id = $1 AND vehicle_id = $2 AND item = $3",
            [tenant_id, new.vehicle_id, OIL_CHANGE]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        row.as_ref().map(oil_change_from_row).transpose()
    }

    /// Replaces the details of an oil change; `None` when the tenant has no such oil change or no such vehicle.
    pub async fn update_oil_change(
        &self,
        tenant_id: TenantId,
        id: OilChangeId,
        new: &NewOilChange,
    ) -> Result<Option<OilChange>, Error> {
        let mut tx = self.begin().await?;
        let query = sql!(
            "UPDATE oil_change SET vehicle_id = $3, mileage = $4, oil_type = $5, oil_brand = $6, \
                                   filter_brand = $7, notes = $8, cost_cents = $9, change_date = $10 \
             WHERE tenant_id = $1 AND oil_change_id = $2 \
               AND EXISTS (SELECT 1 FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $3) \
             RETURNING *",
            [tenant_id, id, new.vehicle_id, new.mileage.get(), new.oil_type, new.oil_brand],
            [new.filter_brand, new.notes, new.cost.map(Cost::cents), new.change_date]
        );
        let row = query.fetch_optional(&mut *tx).await?;
        tx.commit().await?;
        row.as_ref().map(oil_change_from_row).transpose()
    }

    /// Deletes an oil change; returns whether there was one.
    pub async fn delete_oil_change(&self, tenant_id: TenantId, id: OilChangeId) -> Result<bool, Error> {
        let query =
            sql!("DELETE FROM oil_change WHERE tenant_id = $1 AND oil_change_id = $2", [tenant_id, id]);
        Ok(self.write(query).await? > 0)
    }
}

/// The inserting statement looks the vehicle up, so that one deleted meanwhile gets no record.
pub(crate) async fn insert_oil_change(
    db: &mut AnyConnection,
    tenant_id: TenantId,
    id: OilChangeId,
    new: &NewOilChange,
    now: Timestamp,
) -> Result<Option<AnyRow>, Error> {
    let query = sql!(
        "INSERT INTO oil_change (oil_change_id, tenant_id, vehicle_id, mileage, oil_type, oil_brand, \
                                 filter_brand, notes, cost_cents, change_date, created_at) \
         SELECT $2, tenant_id, vehicle_id, $4, $5, $6, $7, $8, $9, $10, $11 FROM vehicle \
         WHERE tenant_id = $1 AND vehicle_id = $3 RETURNING *",
        [tenant_id, id, new.vehicle_id, new.mileage.get(), new.oil_type, new.oil_brand, new.filter_brand],
        [new.notes, new.cost.map(Cost::cents), new.change_date, now]
    );
    let row = query.fetch_optional(db).await?;
    Ok(row)
}

pub(crate) fn oil_change_from_row(row: &AnyRow) -> Result<OilChange, Error> {
    Ok(OilChange {
        id: rows::parsed(row, "oil_change_id")?,
        details: NewOilChange {
            vehicle_id: rows::parsed(row, "vehicle_id")?,
            mileage: mileage(row)?,
            oil_type: row.try_get("oil_type")?,
            oil_brand: row.try_get("oil_brand")?,
            filter_brand: row.try_get("filter_brand")?,
            notes: row.try_get("notes")?,
            cost: cost(row)?,
            change_date: rows::parsed(row, "change_date")?,
        },
        created_at: rows::timestamp(row, "created_at")?,
    })
}
