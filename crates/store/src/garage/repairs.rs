use jiff::Timestamp;
use partsight_domain::{Cost, NewRepair, Plan, Quota, RecordPage, Repair, RepairId, TenantId, VehicleId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::columns::{cost, mileage, page_of};
use super::vehicles::name_from_parts;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// Repairs with the names of their vehicles.
const SELECT: &str = "SELECT repair.*, vehicle.year, vehicle.make, vehicle.model FROM repair \
                      JOIN vehicle ON vehicle.vehicle_id = repair.vehicle_id";

impl Store {
    /// The newest repairs of a tenant, of one vehicle if given.
    pub async fn list_repairs(
        &self,
        tenant_id: TenantId,
        vehicle_id: Option<VehicleId>,
        page: RecordPage,
    ) -> Result<Vec<Repair>, Error> {
        let (filter, rest) = page_of("repair", "repair_date", tenant_id, vehicle_id, page);
        let sql = format!("{SELECT} {rest}");
        self.list(filter.bind(sqlx::query(AssertSqlSafe(sql))), repair_from_row).await
    }

    /// All repairs of a tenant, the oldest first, for an export.
    pub async fn export_repairs(&self, tenant_id: TenantId) -> Result<Vec<Repair>, Error> {
        let sql = format!("{SELECT} WHERE repair.tenant_id = $1 ORDER BY repair_date, repair_id");
        self.list(sql!(AssertSqlSafe(sql), [tenant_id]), repair_from_row).await
    }

    /// One repair of a tenant.
    pub async fn find_repair(&self, tenant_id: TenantId, id: RepairId) -> Result<Option<Repair>, Error> {
        let sql = format!("{SELECT} WHERE repair.tenant_id = $1 AND repair_id = $2");
        self.find(sql!(AssertSqlSafe(sql), [tenant_id, id]), repair_from_row).await
    }

    /// Inserts a repair; `None` when the tenant has no such vehicle.
    ///
    /// # Errors
    /// [`Error::QuotaReached`] for a tenant with as many records as `plan` allows.
    pub async fn create_repair(
        &self,
        tenant_id: TenantId,
        id: RepairId,
        new: &NewRepair,
        plan: Plan,
        now: Timestamp,
    ) -> Result<Option<Repair>, Error> {
        let inserted = retried(|| async {
            let mut tx = self.begin().await?;
            Self::lock_tenant(&mut tx, tenant_id).await?;
            let mut tx = tx.within_quota(tenant_id, Quota::Records, plan, 1).await?;
            let inserted = insert_repair(&mut tx, tenant_id, id, new, now).await?;
            tx.commit().await?;
            Ok(inserted)
        });
        match inserted.await? {
            Some(()) => self.find_repair(tenant_id, id).await,
            None => Ok(None),
        }
    }

    /// Replaces the details of a repair except its maintenance item; `None` when the tenant has no such repair or no
    /// such vehicle.
    pub async fn update_repair(
        &self,
        tenant_id: TenantId,
        id: RepairId,
        new: &NewRepair,
    ) -> Result<Option<Repair>, Error> {
        let query = sql!(
            "UPDATE repair SET vehicle_id = $3, mileage = $4, part_replaced = $5, notes = $6, \
                               cost_cents = $7, repair_date = $8, part_label = $9, part_number = $10, \
                               part_brand = $11 \
             WHERE tenant_id = $1 AND repair_id = $2 \
               AND EXISTS (SELECT 1 FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $3)",
            [tenant_id, id, new.vehicle_id, new.mileage.get(), new.part_replaced, new.notes],
            [new.cost.map(Cost::cents), new.repair_date, new.part_label, new.part_number, new.part_brand]
        );
        if self.write(query).await? == 0 { Ok(None) } else { self.find_repair(tenant_id, id).await }
    }

    /// Deletes a repair; returns whether there was one.
    pub async fn delete_repair(&self, tenant_id: TenantId, id: RepairId) -> Result<bool, Error> {
        let query = sql!("DELETE FROM repair WHERE tenant_id = $1 AND repair_id = $2", [tenant_id, id]);
        Ok(self.write(query).await? > 0)
    }
}

/// The inserting statement looks the vehicle up, so that one deleted meanwhile gets no record.
pub(crate) async fn insert_repair(
    db: &mut AnyConnection,
    tenant_id: TenantId,
    id: RepairId,
    new: &NewRepair,
    now: Timestamp,
) -> Result<Option<()>, Error> {
    let query = sql!(
        "INSERT INTO repair (repair_id, tenant_id, vehicle_id, mileage, part_replaced, notes, cost_cents, \
                             repair_date, created_at, part_label, part_number, part_brand, maintenance_item) \
         SELECT $2, tenant_id, vehicle_id, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 FROM vehicle \
         WHERE tenant_id = $1 AND vehicle_id = $3",
        [tenant_id, id, new.vehicle_id, new.mileage.get(), new.part_replaced, new.notes],
        [new.cost.map(Cost::cents), new.repair_date, now, new.part_label, new.part_number],
        [new.part_brand, new.maintenance_item]
    );
    let done = query.execute(db).await?;
    Ok((done.rows_affected() > 0).then_some(()))
}

fn repair_from_row(row: &AnyRow) -> Result<Repair, Error> {
    Ok(Repair {
        id: rows::parsed(row, "repair_id")?,
        details: NewRepair {
            vehicle_id: rows::parsed(row, "vehicle_id")?,
            mileage: mileage(row)?,
            part_replaced: row.try_get("part_replaced")?,
            part_label: rows::optional_label(row, "part_label")?,
            part_number: row.try_get("part_number")?,
            part_brand: row.try_get("part_brand")?,
            notes: row.try_get("notes")?,
            cost: cost(row)?,
            repair_date: rows::parsed(row, "repair_date")?,
            maintenance_item: rows::optional(row, "maintenance_item")?,
        },
        vehicle: name_from_parts(row.try_get("year")?, row.try_get("make")?, row.try_get("model")?)?,
        created_at: rows::timestamp(row, "created_at")?,
    })
}
