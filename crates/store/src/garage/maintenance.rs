use jiff::Timestamp;
use jiff::civil::Date;
use partsight_domain::{
    Interval, ItemId, LastDone, MaintenanceItem, NewMaintenance, NewOilChange, NewRepair, OilChangeId,
    OwnerOil, Plan, Quota, RepairId, TenantId, User, UserId, VehicleId, VehicleName,
};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use super::columns::{mileage, stored_mileage};
use super::oil_changes::insert_oil_change;
use super::repairs::insert_repair;
use crate::accounts::{select_users, user_from_row};
use crate::transaction::{Transaction, retried};
use crate::{Error, Store, rows};

/// The record of a maintenance item that was done.
#[derive(Debug, Clone)]
pub enum DoneRecord {
    /// Of an oil change.
    OilChange(OilChangeId, NewOilChange),
    /// Of anything else.
    Repair(RepairId, NewRepair),
}

impl Store {
    /// The settings of a tenant for the maintenance items of one vehicle, by item.
    pub async fn list_maintenance_items(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
    ) -> Result<Vec<MaintenanceItem>, Error> {
        let query = sql!(
            "SELECT * FROM maintenance_item WHERE tenant_id = $1 AND vehicle_id = $2 ORDER BY item",
            [tenant_id, vehicle_id]
        );
        self.list(query, item_from_row).await
    }

    /// The settings of a tenant for the maintenance items of all vehicles.
    pub async fn list_all_maintenance_items(
        &self,
        tenant_id: TenantId,
    ) -> Result<Vec<(VehicleId, MaintenanceItem)>, Error> {
        let query = sql!(
            "SELECT * FROM maintenance_item WHERE tenant_id = $1 ORDER BY vehicle_id, item",
            [tenant_id]
        );
        self.list(query, |row| Ok((rows::parsed(row, "vehicle_id")?, item_from_row(row)?))).await
    }

    /// Sets an item of a vehicle, without touching a snooze; false when the tenant has no such vehicle.
    ///
    /// # Errors
    /// [`Error::QuotaReached`] for a tenant with as many items as `plan` allows; existing ones can still be changed.
    pub async fn save_maintenance_item(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        item: &ItemId,
        new: &NewMaintenance,
        plan: Plan,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin_item(tenant_id, vehicle_id, item, plan).await?;
            let query = sql!(
                // Selected from the vehicle, so that one statement checks ownership and inserts.
                "INSERT INTO maintenance_item (tenant_id, vehicle_id, item, name, interval_months, interval_miles, \
                                               last_done_on, last_done_mileage, is_enabled) \
                 SELECT tenant_id, vehicle_id, $3, $4, $5, $6, $7, $8, $9 FROM vehicle \
                 WHERE tenant_id = $1 AND vehicle_id = $2 \
                 ON CONFLICT (vehicle_id, item) DO UPDATE SET name = excluded.name, \
                     interval_months = excluded.interval_months, interval_miles = excluded.interval_miles, \
                     last_done_on = excluded.last_done_on, last_done_mileage = excluded.last_done_mileage, \
                     is_enabled = excluded.is_enabled",
                [tenant_id, vehicle_id, item, new.name, new.interval.and_then(Interval::months)],
                [new.interval.and_then(Interval::miles), new.last_done.map(|last| last.on)],
                [new.last_done.and_then(|last| last.mileage).map(|mileage| i64::from(mileage.get()))],
                [new.is_enabled]
            );
            let saved = query.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(saved.rows_affected() > 0)
        })
        .await
    }

    /// Snoozes an item until a day, or ends its snooze; false when the tenant has no such vehicle.
    ///
    /// # Errors
    /// As for [`Store::save_maintenance_item`].
    pub async fn snooze_maintenance_item(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        item: &ItemId,
        until: Option<Date>,
        plan: Plan,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin_item(tenant_id, vehicle_id, item, plan).await?;
            let query = sql!(
                "INSERT INTO maintenance_item (tenant_id, vehicle_id, item, snoozed_until) \
                 SELECT tenant_id, vehicle_id, $3, $4 FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $2 \
                 ON CONFLICT (vehicle_id, item) DO UPDATE SET snoozed_until = excluded.snoozed_until",
                [tenant_id, vehicle_id, item, until]
            );
            let saved = query.execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(saved.rows_affected() > 0)
        })
        .await
    }

    /// Begins a transaction that saves an item, with its tenant locked.
    ///
    /// # Errors
    /// [`Error::QuotaReached`] if it is a further item of a tenant with as many as `plan` allows.
    async fn begin_item(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        item: &ItemId,
        plan: Plan,
    ) -> Result<Transaction, Error> {
        let mut tx = self.begin().await?;
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let existing = sql!(
            "SELECT item FROM maintenance_item WHERE tenant_id = $1 AND vehicle_id = $2 AND item = $3",
            [tenant_id, vehicle_id, item]
        );
        if existing.fetch_optional(&mut *tx).await?.is_some() {
            return Ok(tx);
        }
        tx.within_quota(tenant_id, Quota::MaintenanceItems, plan, 1).await
    }

    /// Records that an item was done and ends its snooze, in one transaction. False when the tenant has no such
    /// vehicle.
    ///
    /// # Errors
    /// [`Error::QuotaReached`] for a tenant with as many records as `plan` allows.
    pub async fn record_maintenance_done(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        item: &ItemId,
        record: &DoneRecord,
        plan: Plan,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let mut tx = tx.within_quota(tenant_id, Quota::Records, plan, 1).await?;
        // The insertion of the record checks the vehicle; the rest relies on that.
        let is_saved = match record {
            DoneRecord::OilChange(id, new) => {
                insert_oil_change(&mut tx, tenant_id, *id, new, now).await?.is_some()
            }
            DoneRecord::Repair(id, new) => insert_repair(&mut tx, tenant_id, *id, new, now).await?.is_some(),
        };
        if !is_saved {
            tx.rollback().await?;
            return Ok(false);
        }
        let query = sql!(
            "UPDATE maintenance_item SET snoozed_until = NULL \
             WHERE tenant_id = $1 AND vehicle_id = $2 AND item = $3",
            [tenant_id, vehicle_id, item]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The last repair, up to a day, of each item of a tenant's vehicle that has repairs.
    pub async fn latest_repairs_of_items(
        &self,
        tenant_id: TenantId,
        until: Date,
    ) -> Result<Vec<(VehicleId, (ItemId, LastDone))>, Error> {
        let query = sql!(
            // If there are two on one day, the higher mileage is the later one.
            "SELECT vehicle_id, maintenance_item, repair_date, MAX(mileage) AS mileage FROM repair AS this \
             WHERE tenant_id = $1 AND maintenance_item IS NOT NULL AND repair_date <= $2 \
               AND NOT EXISTS (SELECT 1 FROM repair AS later \
                   WHERE later.tenant_id = $1 AND later.vehicle_id = this.vehicle_id \
                     AND later.maintenance_item = this.maintenance_item \
                     AND later.repair_date > this.repair_date AND later.repair_date <= $2) \
             GROUP BY vehicle_id, maintenance_item, repair_date",
            [tenant_id, until]
        );
        self.list(query, |row| {
            let last = LastDone { on: rows::parsed(row, "repair_date")?, mileage: Some(mileage(row)?) };
            Ok((rows::parsed(row, "vehicle_id")?, (rows::parsed(row, "maintenance_item")?, last)))
        })
        .await
    }

    /// Deletes the settings of an item; returns whether there were any.
    pub async fn delete_maintenance_item(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        item: &ItemId,
    ) -> Result<bool, Error> {
        let query = sql!(
            "DELETE FROM maintenance_item WHERE tenant_id = $1 AND vehicle_id = $2 AND item = $3",
            [tenant_id, vehicle_id, item]
        );
        Ok(self.write(query).await? > 0)
    }

    /// The owner's own oil values of a vehicle.
    pub async fn find_vehicle_oil(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
    ) -> Result<Option<OwnerOil>, Error> {
        let query = sql!(
            "SELECT * FROM vehicle_oil WHERE tenant_id = $1 AND vehicle_id = $2",
            [tenant_id, vehicle_id]
        );
        self.find(query, oil_from_row).await
    }

    /// The owner's own oil values for a vehicle with this name, the default vehicle first.
    pub async fn find_owner_oil(
        &self,
        tenant_id: TenantId,
        vehicle: &VehicleName,
    ) -> Result<Option<OwnerOil>, Error> {
        let query = sql!(
            // By name and not by id: oil tables are queried by make and model, without a vehicle.
            "SELECT vehicle_oil.*, vehicle.make, vehicle.model \
             FROM vehicle_oil JOIN vehicle ON vehicle.vehicle_id = vehicle_oil.vehicle_id \
             WHERE vehicle_oil.tenant_id = $1 AND vehicle.year = $2 \
             ORDER BY vehicle.is_default DESC, vehicle.created_at, vehicle.vehicle_id",
            [tenant_id, vehicle.year.get()]
        );
        let of_year = self
            .list(query, |row| {
                let name: (String, String) = (row.try_get("make")?, row.try_get("model")?);
                Ok((name, oil_from_row(row)?))
            })
            .await?;
        // Compared here, because SQLite folds only ASCII letters.
        let folded = |make: &str, model: &str| (make.to_lowercase(), model.to_lowercase());
        let wanted = folded(&vehicle.make, &vehicle.model);
        Ok(of_year.into_iter().find(|((make, model), _)| folded(make, model) == wanted).map(|(_, oil)| oil))
    }

    /// Sets the owner's own oil values; false when the tenant has no such vehicle.
    pub async fn save_vehicle_oil(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        oil: &OwnerOil,
    ) -> Result<bool, Error> {
        let query = sql!(
            "INSERT INTO vehicle_oil (vehicle_id, tenant_id, oil_type, oil_capacity_hundredths, oil_filter) \
             SELECT vehicle_id, tenant_id, $3, $4, $5 FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $2 \
             ON CONFLICT (vehicle_id) DO UPDATE SET oil_type = excluded.oil_type, \
                 oil_capacity_hundredths = excluded.oil_capacity_hundredths, oil_filter = excluded.oil_filter",
            [tenant_id, vehicle_id, oil.oil_type, oil.capacity_hundredths, oil.oil_filter]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Deletes the owner's own oil values of a vehicle; returns whether there were any.
    pub async fn delete_vehicle_oil(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
    ) -> Result<bool, Error> {
        let query =
            sql!("DELETE FROM vehicle_oil WHERE tenant_id = $1 AND vehicle_id = $2", [tenant_id, vehicle_id]);
        Ok(self.write(query).await? > 0)
    }

    /// Creates the calendar feed of a person, and ends an earlier one.
    pub async fn save_calendar_feed(
        &self,
        user_id: UserId,
        token_sha256: &str,
        now: Timestamp,
    ) -> Result<(), Error> {
        let query = sql!(
            // One feed for each person: a new one ends one whose address was leaked.
            "INSERT INTO calendar_feed (user_id, token_sha256, created_at) VALUES ($1, $2, $3) \
             ON CONFLICT (user_id) DO UPDATE SET token_sha256 = excluded.token_sha256, \
                 created_at = excluded.created_at",
            [user_id, token_sha256, now]
        );
        self.write(query).await?;
        Ok(())
    }

    /// When the calendar feed of a person was created, if they have one.
    pub async fn find_calendar_feed(&self, user_id: UserId) -> Result<Option<Timestamp>, Error> {
        let query = sql!("SELECT created_at FROM calendar_feed WHERE user_id = $1", [user_id]);
        self.find(query, |row| rows::timestamp(row, "created_at")).await
    }

    /// The person whose calendar feed has this secret.
    pub async fn find_calendar_user(&self, token_sha256: &str) -> Result<Option<User>, Error> {
        let sql = select_users(
            "JOIN calendar_feed ON calendar_feed.user_id = app_user.user_id \
             WHERE calendar_feed.token_sha256 = $1",
        );
        self.find(sql!(AssertSqlSafe(sql), [token_sha256]), user_from_row).await
    }

    /// Deletes the calendar feed of a person; returns whether there was one.
    pub async fn delete_calendar_feed(&self, user_id: UserId) -> Result<bool, Error> {
        let query = sql!("DELETE FROM calendar_feed WHERE user_id = $1", [user_id]);
        Ok(self.write(query).await? > 0)
    }
}

fn item_from_row(row: &AnyRow) -> Result<MaintenanceItem, Error> {
    let interval = Interval::new(row.try_get("interval_months")?, row.try_get("interval_miles")?)
        .map_err(|error| Error::Corrupt { column: "interval_months", reason: error.message })?;
    let mileage: Option<i64> = row.try_get("last_done_mileage")?;
    let mileage = mileage.map(|miles| stored_mileage("last_done_mileage", miles)).transpose()?;
    Ok(MaintenanceItem {
        item: rows::parsed(row, "item")?,
        name: row.try_get("name")?,
        interval,
        last_done: rows::optional(row, "last_done_on")?.map(|on| LastDone { on, mileage }),
        snoozed_until: rows::optional(row, "snoozed_until")?,
        is_enabled: rows::flag(row, "is_enabled")?,
    })
}

fn oil_from_row(row: &AnyRow) -> Result<OwnerOil, Error> {
    let hundredths: Option<i64> = row.try_get("oil_capacity_hundredths")?;
    Ok(OwnerOil {
        oil_type: row.try_get("oil_type")?,
        capacity_hundredths: hundredths.and_then(|hundredths| u32::try_from(hundredths).ok()),
        oil_filter: row.try_get("oil_filter")?,
    })
}
