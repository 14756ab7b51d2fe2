use jiff::Timestamp;
use partsight_domain::{Cost, NewRepair, PartLabel, RecordPage, Repair, RepairId, TenantId, VehicleId};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::columns::{cost, mileage, page_start};
use super::vehicles::name_from_parts;
use crate::{Error, Store, rows};

impl Store {
    /// The newest repairs of a tenant, of one vehicle where given.
    pub async fn list_repairs(
        &self,
        tenant_id: TenantId,
        vehicle_id: Option<VehicleId>,
        page: RecordPage,
    ) -> Result<Vec<Repair>, Error> {
        let (day, id) = page_start(page);
        let query = match vehicle_id {
            Some(vehicle_id) => sqlx::query(
                "SELECT repair.*, vehicle.year, vehicle.make, vehicle.model FROM repair \
                 JOIN vehicle ON vehicle.vehicle_id = repair.vehicle_id \
                 WHERE repair.tenant_id = $1 AND repair.vehicle_id = $5 \
                 AND (repair_date < $2 OR (repair_date = $2 AND repair_id < $3)) \
                 ORDER BY repair_date DESC, repair_id DESC LIMIT $4",
            )
            .bind(tenant_id.to_string())
            .bind(day)
            .bind(id)
            .bind(i64::from(page.limit))
            .bind(vehicle_id.to_string()),
            None => sqlx::query(
                "SELECT repair.*, vehicle.year, vehicle.make, vehicle.model FROM repair \
                 JOIN vehicle ON vehicle.vehicle_id = repair.vehicle_id \
                 WHERE repair.tenant_id = $1 \
                 AND (repair_date < $2 OR (repair_date = $2 AND repair_id < $3)) \
                 ORDER BY repair_date DESC, repair_id DESC LIMIT $4",
            )
            .bind(tenant_id.to_string())
            .bind(day)
            .bind(id)
            .bind(i64::from(page.limit)),
        };
        query.fetch_all(&self.db).await?.iter().map(repair_from_row).collect()
    }

    /// All repairs of a tenant, the oldest first, for an export.
    pub async fn export_repairs(&self, tenant_id: TenantId) -> Result<Vec<Repair>, Error> {
        let rows = sqlx::query(
            "SELECT repair.*, vehicle.year, vehicle.make, vehicle.model FROM repair \
             JOIN vehicle ON vehicle.vehicle_id = repair.vehicle_id \
             WHERE repair.tenant_id = $1 ORDER BY repair_date, repair_id",
        )
        .bind(tenant_id.to_string())
        .fetch_all(&self.db)
        .await?;
        rows.iter().map(repair_from_row).collect()
    }

    /// One repair of a tenant.
    pub async fn find_repair(&self, tenant_id: TenantId, id: RepairId) -> Result<Option<Repair>, Error> {
        let row = sqlx::query(
            "SELECT repair.*, vehicle.year, vehicle.make, vehicle.model FROM repair \
             JOIN vehicle ON vehicle.vehicle_id = repair.vehicle_id \
             WHERE repair.tenant_id = $1 AND repair_id = $2",
        )
        .bind(tenant_id.to_string())
        .bind(id.to_string())
        .fetch_optional(&self.db)
        .await?;
        row.as_ref().map(repair_from_row).transpose()
    }

    /// Logs a repair; `None` when the tenant has no such vehicle.
    pub async fn create_repair(
        &self,
        tenant_id: TenantId,
        id: RepairId,
        new: &NewRepair,
        now: Timestamp,
    ) -> Result<Option<Repair>, Error> {
        let mut connection = self.writer.acquire().await?;
        if insert_repair(&mut connection, tenant_id, id, new, now).await?.is_none() {
            return Ok(None);
        }
        drop(connection);
        self.find_repair(tenant_id, id).await
    }

    /// Replaces what a repair says; `None` when the tenant has no such repair or no such vehicle.
    pub async fn update_repair(
        &self,
        tenant_id: TenantId,
        id: RepairId,
        new: &NewRepair,
    ) -> Result<Option<Repair>, Error> {
        let done = sqlx::query(
            "UPDATE repair SET vehicle_id = $3, mileage = $4, part_replaced = $5, notes = $6, \
                               cost_cents = $7, repair_date = $8, part_label = $9, part_number = $10, \
                               part_brand = $11 \
             WHERE tenant_id = $1 AND repair_id = $2 \
               AND EXISTS (SELECT 1 FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $3)",
        )
        .bind(tenant_id.to_string())
        .bind(id.to_string())
        .bind(new.vehicle_id.to_string())
        .bind(i64::from(new.mileage.get()))
        .bind(&new.part_replaced)
        .bind(new.notes.as_deref())
        .bind(new.cost.map(Cost::cents))
        .bind(new.repair_date.to_string())
        .bind(new.part_label.as_ref().map(ToString::to_string))
        .bind(new.part_number.as_deref())
        .bind(new.part_brand.as_deref())
        .execute(&self.writer)
        .await?;
        if done.rows_affected() == 0 { Ok(None) } else { self.find_repair(tenant_id, id).await }
    }

    /// Deletes a repair and says whether there was one.
    pub async fn delete_repair(&self, tenant_id: TenantId, id: RepairId) -> Result<bool, Error> {
        let done = sqlx::query("DELETE FROM repair WHERE tenant_id = $1 AND repair_id = $2")
            .bind(tenant_id.to_string())
            .bind(id.to_string())
            .execute(&self.writer)
            .await?;
        Ok(done.rows_affected() > 0)
    }
}

/// The vehicle is looked up by the statement that inserts, so that one deleted meanwhile gets no record.
pub(crate) async fn insert_repair(
    db: &mut AnyConnection,
    tenant_id: TenantId,
    id: RepairId,
    new: &NewRepair,
    now: Timestamp,
) -> Result<Option<()>, Error> {
    let done = sqlx::query(
        "INSERT INTO repair (repair_id, tenant_id, vehicle_id, mileage, part_replaced, notes, cost_cents, \
                             repair_date, created_at, part_label, part_number, part_brand) \
         SELECT $2, tenant_id, vehicle_id, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM vehicle \
         WHERE tenant_id = $1 AND vehicle_id = $3",
    )
    .bind(tenant_id.to_string())
    .bind(id.to_string())
    .bind(new.vehicle_id.to_string())
    .bind(i64::from(new.mileage.get()))
    .bind(&new.part_replaced)
    .bind(new.notes.as_deref())
    .bind(new.cost.map(Cost::cents))
    .bind(new.repair_date.to_string())
    .bind(now.as_millisecond())
    .bind(new.part_label.as_ref().map(ToString::to_string))
    .bind(new.part_number.as_deref())
    .bind(new.part_brand.as_deref())
    .execute(db)
    .await?;
    Ok((done.rows_affected() > 0).then_some(()))
}

fn repair_from_row(row: &AnyRow) -> Result<Repair, Error> {
    Ok(Repair {
        id: rows::parsed(row, "repair_id")?,
        details: NewRepair {
            vehicle_id: rows::parsed(row, "vehicle_id")?,
            mileage: mileage(row)?,
            part_replaced: row.try_get("part_replaced")?,
            part_label: part_label(row)?,
            part_number: row.try_get("part_number")?,
            part_brand: row.try_get("part_brand")?,
            notes: row.try_get("notes")?,
            cost: cost(row)?,
            repair_date: rows::parsed(row, "repair_date")?,
        },
        vehicle: name_from_parts(row.try_get("year")?, row.try_get("make")?, row.try_get("model")?)?,
        created_at: rows::timestamp(row, "created_at")?,
    })
}

fn part_label(row: &AnyRow) -> Result<Option<PartLabel>, Error> {
    let label: Option<String> = row.try_get("part_label")?;
    label.map(|label| PartLabel::new(&label)).transpose().map_err(|error| rows::corrupt("part_label", &error))
}
