use jiff::Timestamp;
use partsight_domain::{
    DeletedVehicle, ModelYear, NewVehicle, Plan, Quota, TenantId, Vehicle, VehicleId, VehicleName, Vin,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::transaction::retried;
use crate::{Error, Store, rows};

impl Store {
    /// All vehicles of a tenant, the default first, then in the order they were added.
    pub async fn list_vehicles(&self, tenant_id: TenantId) -> Result<Vec<Vehicle>, Error> {
        let query = sql!(
            "SELECT * FROM vehicle WHERE tenant_id = $1 ORDER BY is_default DESC, created_at, vehicle_id",
            [tenant_id]
        );
        self.list(query, vehicle_from_row).await
    }

    /// A page of a tenant's vehicles: the default first, then in the order they were added; after the vehicle `after`
    /// if given.
    pub async fn list_vehicles_after(
        &self,
        tenant_id: TenantId,
        after: Option<VehicleId>,
        limit: u32,
    ) -> Result<Vec<Vehicle>, Error> {
        // Ids grow with time, so a deleted vehicle still marks where its page ended.
        let query = sql!(
            "SELECT * FROM vehicle WHERE tenant_id = $1 AND ($2 = '' OR is_default = 0 AND vehicle_id > $2) \
             ORDER BY is_default DESC, vehicle_id LIMIT $3",
            [tenant_id, after.map_or_else(String::new, |id| id.to_string()), limit]
        );
        self.list(query, vehicle_from_row).await
    }

    /// One vehicle of a tenant.
    pub async fn find_vehicle(&self, tenant_id: TenantId, id: VehicleId) -> Result<Option<Vehicle>, Error> {
        let query = sql!("SELECT * FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $2", [tenant_id, id]);
        self.find(query, vehicle_from_row).await
    }

    /// The default vehicle of a tenant.
    pub async fn find_default_vehicle(&self, tenant_id: TenantId) -> Result<Option<Vehicle>, Error> {
        let query = sql!("SELECT * FROM vehicle WHERE tenant_id = $1 AND is_default = 1", [tenant_id]);
        self.find(query, vehicle_from_row).await
    }

    /// Saves a vehicle; the first of a tenant becomes the default.
    ///
    /// # Errors
    /// [`Error::QuotaReached`] for a tenant with as many vehicles as `plan` allows.
    pub async fn create_vehicle(
        &self,
        tenant_id: TenantId,
        id: VehicleId,
        new: &NewVehicle,
        plan: Plan,
        now: Timestamp,
    ) -> Result<Vehicle, Error> {
        let mut tx = self.begin().await?;
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let mut tx = tx.within_quota(tenant_id, Quota::Vehicles, plan, 1).await?;
        let vehicle = insert_vehicle(&mut tx, tenant_id, id, new, now).await?;
        tx.commit().await?;
        Ok(vehicle)
    }

    /// Replaces all details of a vehicle; `None` when the tenant has no such vehicle.
    pub async fn update_vehicle(
        &self,
        tenant_id: TenantId,
        id: VehicleId,
        details: &NewVehicle,
    ) -> Result<Option<Vehicle>, Error> {
        let mut tx = self.begin().await?;
        let query = sql!(
            "UPDATE vehicle SET make = $3, model = $4, year = $5, engine = $6, transmission = $7, vin = $8, \
                                license_plate = $9 \
             WHERE tenant_id = $1 AND vehicle_id = $2 RETURNING *",
            [tenant_id, id, details.name.make, details.name.model, details.name.year.get()],
            [details.engine, details.transmission, details.vin, details.license_plate]
        );
        let row = query.fetch_optional(&mut *tx).await?;
        tx.commit().await?;
        row.as_ref().map(vehicle_from_row).transpose()
    }

    /// Makes a vehicle the only default of its owner; `None` when the tenant has no such vehicle.
    pub async fn set_default_vehicle(
        &self,
        tenant_id: TenantId,
        id: VehicleId,
    ) -> Result<Option<Vehicle>, Error> {
        let mut tx = self.begin().await?;
        // Exactly one default is a rule over several rows, so the tenant is locked.
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let query = sql!(
            // The old default goes first, since an index allows one at a time.
            "UPDATE vehicle SET is_default = 0 WHERE tenant_id = $1 AND is_default = 1 AND vehicle_id <> $2",
            [tenant_id, id]
        );
        query.execute(&mut *tx).await?;
        let query = sql!(
            "UPDATE vehicle SET is_default = 1 WHERE tenant_id = $1 AND vehicle_id = $2 RETURNING *",
            [tenant_id, id]
        );
        let row = query.fetch_optional(&mut *tx).await?;
        let Some(row) = row else {
            tx.rollback().await?;
            return Ok(None);
        };
        tx.commit().await?;
        vehicle_from_row(&row).map(Some)
    }

    /// Deletes a vehicle with its records; `None` when the tenant has no such vehicle.
    ///
    /// Scans stay, with the name that the vehicle had. When it was the default, the one that was added first
    /// becomes the default.
    pub async fn delete_vehicle(
        &self,
        tenant_id: TenantId,
        id: VehicleId,
    ) -> Result<Option<DeletedVehicle>, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            Self::lock_tenant(&mut tx, tenant_id).await?;
            let query = sql!(
                // Counted before the deletion: its cascade does not report how many rows it deleted.
                "SELECT (SELECT COUNT(*) FROM oil_change WHERE vehicle_id = $2) AS n_oil_changes, \
                    (SELECT COUNT(*) FROM repair WHERE vehicle_id = $2) AS n_repairs, \
                    (SELECT COUNT(*) FROM maintenance_item WHERE vehicle_id = $2) AS n_maintenance_items, \
                    (SELECT COUNT(*) FROM odometer_reading WHERE vehicle_id = $2) AS n_odometer_readings, \
                    (SELECT COUNT(*) FROM vehicle_oil WHERE vehicle_id = $2) AS n_own_oil \
             FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $2",
                [tenant_id, id]
            );
            let counts = query.fetch_optional(&mut *tx).await?;
            let Some(counts) = counts else {
                tx.rollback().await?;
                return Ok(None);
            };
            // Records go by cascade; scans keep the vehicle's name in columns of their own.
            sql!("DELETE FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $2", [tenant_id, id])
                .execute(&mut *tx)
                .await?;
            let query = sql!(
                "UPDATE vehicle SET is_default = 1 \
             WHERE vehicle_id = (SELECT vehicle_id FROM vehicle WHERE tenant_id = $1 \
                                 ORDER BY created_at, vehicle_id LIMIT 1) \
               AND NOT EXISTS (SELECT 1 FROM vehicle WHERE tenant_id = $1 AND is_default = 1)",
                [tenant_id]
            );
            query.execute(&mut *tx).await?;
            let default = sql!("SELECT * FROM vehicle WHERE tenant_id = $1 AND is_default = 1", [tenant_id])
                .fetch_optional(&mut *tx)
                .await?;
            tx.commit().await?;
            let count = |column| counts.try_get::<i64, _>(column).map(i64::unsigned_abs);
            Ok(Some(DeletedVehicle {
                n_oil_changes: count("n_oil_changes")?,
                n_repairs: count("n_repairs")?,
                n_maintenance_items: count("n_maintenance_items")?,
                n_odometer_readings: count("n_odometer_readings")?,
                had_own_oil: count("n_own_oil")? > 0,
                default: default.as_ref().map(vehicle_from_row).transpose()?,
            }))
        })
        .await
    }
}

/// Inserts a vehicle, as the default when the tenant has none. The caller must hold the lock of the tenant.
pub(crate) async fn insert_vehicle(
    db: &mut AnyConnection,
    tenant_id: TenantId,
    id: VehicleId,
    new: &NewVehicle,
    now: Timestamp,
) -> Result<Vehicle, Error> {
    let query = sql!(
        "INSERT INTO vehicle (vehicle_id, tenant_id, make, model, year, engine, transmission, vin, \
                              license_plate, is_default, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, \
                 CASE WHEN EXISTS (SELECT 1 FROM vehicle WHERE tenant_id = $2 AND is_default = 1) \
                      THEN 0 ELSE 1 END, $10) \
         RETURNING *",
        [id, tenant_id, new.name.make, new.name.model, new.name.year.get(), new.engine, new.transmission],
        [new.vin, new.license_plate, now]
    );
    let row = query.fetch_one(db).await?;
    vehicle_from_row(&row)
}

fn vehicle_from_row(row: &AnyRow) -> Result<Vehicle, Error> {
    let vin: Option<String> = row.try_get("vin")?;
    Ok(Vehicle {
        id: rows::parsed(row, "vehicle_id")?,
        details: NewVehicle {
            name: name_from_parts(row.try_get("year")?, row.try_get("make")?, row.try_get("model")?)?,
            engine: row.try_get("engine")?,
            transmission: row.try_get("transmission")?,
            vin: vin
                .map(|vin| Vin::new(&vin))
                .transpose()
                .map_err(|error| Error::Corrupt { column: "vin", reason: error.message })?,
            license_plate: row.try_get("license_plate")?,
        },
        is_default: rows::flag(row, "is_default")?,
        created_at: rows::timestamp(row, "created_at")?,
    })
}

pub(crate) fn name_from_parts(year: i64, make: String, model: String) -> Result<VehicleName, Error> {
    let year = ModelYear::new(year)
        .map_err(|_| Error::Corrupt { column: "year", reason: format!("`{year}` is no year") })?;
    Ok(VehicleName { year, make, model })
}
