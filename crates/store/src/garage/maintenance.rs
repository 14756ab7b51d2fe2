use jiff::Timestamp;
use jiff::civil::Date;
use partsight_domain::{
    Interval, ItemId, LastDone, MaintenanceItem, NewMaintenance, NewOilChange, NewRepair, OilChangeId,
    OwnerOil, RepairId, TenantId, User, UserId, VehicleId, VehicleName,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::columns::stored_mileage;
use super::oil_changes::insert_oil_change;
use super::repairs::insert_repair;
use crate::accounts::{select_users, user_from_row};
use crate::{Error, Store, rows};

/// The record that something done leaves.
#[derive(Debug, Clone)]
pub enum DoneRecord {
    /// Of an oil change.
    OilChange(OilChangeId, NewOilChange),
    /// Of anything else.
    Repair(RepairId, NewRepair),
}

impl Store {
    /// What a tenant has set for the maintenance items of one vehicle, by item.
    pub async fn list_maintenance_items(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
    ) -> Result<Vec<MaintenanceItem>, Error> {
        let rows = sqlx::query(
            "SELECT * FROM maintenance_item WHERE tenant_id = $1 AND vehicle_id = $2 ORDER BY item",
        )
        .bind(tenant_id.to_string())
        .bind(vehicle_id.to_string())
        .fetch_all(&self.db)
        .await?;
        rows.iter().map(item_from_row).collect()
    }

    /// What a tenant has set for the maintenance items of all vehicles.
    pub async fn list_all_maintenance_items(
        &self,
        tenant_id: TenantId,
    ) -> Result<Vec<(VehicleId, MaintenanceItem)>, Error> {
        let rows =
            sqlx::query("SELECT * FROM maintenance_item WHERE tenant_id = $1 ORDER BY vehicle_id, item")
                .bind(tenant_id.to_string())
                .fetch_all(&self.db)
                .await?;
        rows.iter().map(|row| Ok((rows::parsed(row, "vehicle_id")?, item_from_row(row)?))).collect()
    }

    /// Sets an item of a vehicle, without touching a snooze; false when the tenant has no such vehicle.
    pub async fn save_maintenance_item(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        item: &ItemId,
        new: &NewMaintenance,
    ) -> Result<bool, Error> {
        let done = sqlx::query(
            "INSERT INTO maintenance_item (tenant_id, vehicle_id, item, name, interval_months, interval_miles, \
                                           last_done_on, last_done_mileage, is_enabled) \
             SELECT tenant_id, vehicle_id, $3, $4, $5, $6, $7, $8, $9 FROM vehicle \
             WHERE tenant_id = $1 AND vehicle_id = $2 \
             ON CONFLICT (vehicle_id, item) DO UPDATE SET name = excluded.name, \
                 interval_months = excluded.interval_months, interval_miles = excluded.interval_miles, \
                 last_done_on = excluded.last_done_on, last_done_mileage = excluded.last_done_mileage, \
                 is_enabled = excluded.is_enabled",
        )
        .bind(tenant_id.to_string())
        .bind(vehicle_id.to_string())
        .bind(item.as_str())
        .bind(new.name.as_deref())
        .bind(new.interval.and_then(Interval::months).map(i64::from))
        .bind(new.interval.and_then(Interval::miles).map(i64::from))
        .bind(new.last_done.map(|last| last.on.to_string()))
        .bind(new.last_done.and_then(|last| last.mileage).map(|mileage| i64::from(mileage.get())))
        .bind(i64::from(new.is_enabled))
        .execute(&self.writer)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Puts an item off until a day, or takes that back; false when the tenant has no such vehicle.
    pub async fn snooze_maintenance_item(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        item: &ItemId,
        until: Option<Date>,
    ) -> Result<bool, Error> {
        let done = sqlx::query(
            "INSERT INTO maintenance_item (tenant_id, vehicle_id, item, snoozed_until) \
             SELECT tenant_id, vehicle_id, $3, $4 FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $2 \
             ON CONFLICT (vehicle_id, item) DO UPDATE SET snoozed_until = excluded.snoozed_until",
        )
        .bind(tenant_id.to_string())
        .bind(vehicle_id.to_string())
        .bind(item.as_str())
        .bind(until.map(|until| until.to_string()))
        .execute(&self.writer)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Logs that an item was done: its record, its last time and the end of its snooze, all or nothing. False
    /// when the tenant has no such vehicle.
    pub async fn record_maintenance_done(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        item: &ItemId,
        record: &DoneRecord,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let (is_saved, done) = match record {
            DoneRecord::OilChange(id, new) => (
                insert_oil_change(&mut tx, tenant_id, *id, new, now).await?.is_some(),
                LastDone { on: new.change_date, mileage: Some(new.mileage) },
            ),
            DoneRecord::Repair(id, new) => (
                insert_repair(&mut tx, tenant_id, *id, new, now).await?.is_some(),
                LastDone { on: new.repair_date, mileage: Some(new.mileage) },
            ),
        };
        if !is_saved {
            tx.rollback().await?;
            return Ok(false);
        }
        set_last_done(&mut tx, tenant_id, vehicle_id, item, done).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Takes back what was set for an item, and says whether anything was.
    pub async fn delete_maintenance_item(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        item: &ItemId,
    ) -> Result<bool, Error> {
        let done = sqlx::query(
            "DELETE FROM maintenance_item WHERE tenant_id = $1 AND vehicle_id = $2 AND item = $3",
        )
        .bind(tenant_id.to_string())
        .bind(vehicle_id.to_string())
        .bind(item.as_str())
        .execute(&self.writer)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// The owner's own oil values of a vehicle.
    pub async fn find_vehicle_oil(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
    ) -> Result<Option<OwnerOil>, Error> {
        let row = sqlx::query("SELECT * FROM vehicle_oil WHERE tenant_id = $1 AND vehicle_id = $2")
            .bind(tenant_id.to_string())
            .bind(vehicle_id.to_string())
            .fetch_optional(&self.db)
            .await?;
        row.as_ref().map(oil_from_row).transpose()
    }

    /// The own oil values of the owner's vehicle of this name, the default one first.
    pub async fn find_owner_oil(
        &self,
        tenant_id: TenantId,
        vehicle: &VehicleName,
    ) -> Result<Option<OwnerOil>, Error> {
        let row = sqlx::query(
            "SELECT vehicle_oil.* FROM vehicle_oil JOIN vehicle ON vehicle.vehicle_id = vehicle_oil.vehicle_id \
             WHERE vehicle_oil.tenant_id = $1 AND vehicle.year = $2 AND LOWER(vehicle.make) = LOWER($3) \
               AND LOWER(vehicle.model) = LOWER($4) \
             ORDER BY vehicle.is_default DESC, vehicle.created_at, vehicle.vehicle_id LIMIT 1",
        )
        .bind(tenant_id.to_string())
        .bind(i64::from(vehicle.year.get()))
        .bind(&vehicle.make)
        .bind(&vehicle.model)
        .fetch_optional(&self.db)
        .await?;
        row.as_ref().map(oil_from_row).transpose()
    }

    /// Sets the owner's own oil values; false when the tenant has no such vehicle.
    pub async fn save_vehicle_oil(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        oil: &OwnerOil,
    ) -> Result<bool, Error> {
        let done = sqlx::query(
            "INSERT INTO vehicle_oil (vehicle_id, tenant_id, oil_type, oil_capacity_hundredths, oil_filter) \
             SELECT vehicle_id, tenant_id, $3, $4, $5 FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $2 \
             ON CONFLICT (vehicle_id) DO UPDATE SET oil_type = excluded.oil_type, \
                 oil_capacity_hundredths = excluded.oil_capacity_hundredths, oil_filter = excluded.oil_filter",
        )
        .bind(tenant_id.to_string())
        .bind(vehicle_id.to_string())
        .bind(oil.oil_type.as_deref())
        .bind(oil.capacity_hundredths.map(i64::from))
        .bind(oil.oil_filter.as_deref())
        .execute(&self.writer)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Forgets the owner's own oil values of a vehicle, and says whether there were any.
    pub async fn delete_vehicle_oil(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
    ) -> Result<bool, Error> {
        let done = sqlx::query("DELETE FROM vehicle_oil WHERE tenant_id = $1 AND vehicle_id = $2")
            .bind(tenant_id.to_string())
            .bind(vehicle_id.to_string())
            .execute(&self.writer)
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Gives a person a calendar feed; one that they had before ends.
    pub async fn save_calendar_feed(
        &self,
        user_id: UserId,
        token_sha256: &str,
        now: Timestamp,
    ) -> Result<(), Error> {
        sqlx::query(
            "INSERT INTO calendar_feed (user_id, token_sha256, created_at) VALUES ($1, $2, $3) \
             ON CONFLICT (user_id) DO UPDATE SET token_sha256 = excluded.token_sha256, \
                 created_at = excluded.created_at",
        )
        .bind(user_id.to_string())
        .bind(token_sha256)
        .bind(now.as_millisecond())
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    /// When the calendar feed of a person was made, if they have one.
    pub async fn find_calendar_feed(&self, user_id: UserId) -> Result<Option<Timestamp>, Error> {
        let row = sqlx::query("SELECT created_at FROM calendar_feed WHERE user_id = $1")
            .bind(user_id.to_string())
            .fetch_optional(&self.db)
            .await?;
        row.as_ref().map(|row| rows::timestamp(row, "created_at")).transpose()
    }

    /// Whose calendar feed has this secret.
    pub async fn find_calendar_user(&self, token_sha256: &str) -> Result<Option<User>, Error> {
        let sql = select_users(
            "JOIN calendar_feed ON calendar_feed.user_id = app_user.user_id \
             WHERE calendar_feed.token_sha256 = $1",
        );
        let row = sqlx::query(AssertSqlSafe(sql)).bind(token_sha256).fetch_optional(&self.db).await?;
        row.as_ref().map(user_from_row).transpose()
    }

    /// Ends the calendar feed of a person, and says whether there was one.
    pub async fn delete_calendar_feed(&self, user_id: UserId) -> Result<bool, Error> {
        let done = sqlx::query("DELETE FROM calendar_feed WHERE user_id = $1")
            .bind(user_id.to_string())
            .execute(&self.writer)
            .await?;
        Ok(done.rows_affected() > 0)
    }
}

async fn set_last_done(
    db: &mut AnyConnection,
    tenant_id: TenantId,
    vehicle_id: VehicleId,
    item: &ItemId,
    done: LastDone,
) -> Result<(), Error> {
    // An older job that is logged late does not take the place of a newer one.
    sqlx::query(
        "INSERT INTO maintenance_item (tenant_id, vehicle_id, item, last_done_on, last_done_mileage) \
         VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (vehicle_id, item) DO UPDATE SET last_done_on = excluded.last_done_on, \
             last_done_mileage = excluded.last_done_mileage, snoozed_until = NULL \
         WHERE maintenance_item.last_done_on IS NULL \
            OR maintenance_item.last_done_on <= excluded.last_done_on",
    )
    .bind(tenant_id.to_string())
    .bind(vehicle_id.to_string())
    .bind(item.as_str())
    .bind(done.on.to_string())
    .bind(done.mileage.map(|mileage| i64::from(mileage.get())))
    .execute(db)
    .await?;
    Ok(())
}

fn item_from_row(row: &AnyRow) -> Result<MaintenanceItem, Error> {
    let interval = Interval::new(row.try_get("interval_months")?, row.try_get("interval_miles")?)
        .map_err(|error| Error::Corrupt { column: "interval_months", reason: error.message })?;
    let mileage: Option<i64> = row.try_get("last_done_mileage")?;
    let mileage = mileage.map(|miles| stored_mileage("last_done_mileage", miles)).transpose()?;
    let item: String = row.try_get("item")?;
    Ok(MaintenanceItem {
        item: item
            .parse()
            .map_err(|_| Error::Corrupt { column: "item", reason: format!("`{item}` is no item") })?,
        name: row.try_get("name")?,
        interval,
        last_done: optional_day(row, "last_done_on")?.map(|on| LastDone { on, mileage }),
        snoozed_until: optional_day(row, "snoozed_until")?,
        is_enabled: row.try_get::<i64, _>("is_enabled")? == 1,
    })
}

fn optional_day(row: &AnyRow, column: &'static str) -> Result<Option<Date>, Error> {
    let day: Option<String> = row.try_get(column)?;
    day.map(|day| day.parse())
        .transpose()
        .map_err(|error: jiff::Error| Error::Corrupt { column, reason: error.to_string() })
}

fn oil_from_row(row: &AnyRow) -> Result<OwnerOil, Error> {
    let hundredths: Option<i64> = row.try_get("oil_capacity_hundredths")?;
    Ok(OwnerOil {
        oil_type: row.try_get("oil_type")?,
        capacity_hundredths: hundredths.and_then(|hundredths| u32::try_from(hundredths).ok()),
        oil_filter: row.try_get("oil_filter")?,
    })
}
