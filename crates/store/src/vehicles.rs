use jiff::Timestamp;
use partsight_domain::{ModelYear, NewVehicle, UserId, Vehicle, VehicleId, VehicleName, Vin};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::{Error, Store, rows};

impl Store {
    /// All vehicles of a user, the default first, then in the order they were added.
    pub async fn list_vehicles(&self, user_id: UserId) -> Result<Vec<Vehicle>, Error> {
        let rows = sqlx::query(
            "SELECT * FROM vehicle WHERE user_id = $1 ORDER BY is_default DESC, created_at, vehicle_id",
        )
        .bind(user_id.to_string())
        .fetch_all(&self.db)
        .await?;
        rows.iter().map(vehicle_from_row).collect()
    }

    /// One vehicle of a user.
    pub async fn find_vehicle(&self, user_id: UserId, id: VehicleId) -> Result<Option<Vehicle>, Error> {
        let row = sqlx::query("SELECT * FROM vehicle WHERE user_id = $1 AND vehicle_id = $2")
            .bind(user_id.to_string())
            .bind(id.to_string())
            .fetch_optional(&self.db)
            .await?;
        row.as_ref().map(vehicle_from_row).transpose()
    }

    /// The default vehicle of a user.
    pub async fn find_default_vehicle(&self, user_id: UserId) -> Result<Option<Vehicle>, Error> {
        let row = sqlx::query("SELECT * FROM vehicle WHERE user_id = $1 AND is_default = 1")
            .bind(user_id.to_string())
            .fetch_optional(&self.db)
            .await?;
        row.as_ref().map(vehicle_from_row).transpose()
    }

    /// Saves a vehicle; the first of a user becomes the default.
    pub async fn create_vehicle(
        &self,
        user_id: UserId,
        id: VehicleId,
        new: &NewVehicle,
        now: Timestamp,
    ) -> Result<Vehicle, Error> {
        let insert = || async {
            sqlx::query(
                "INSERT INTO vehicle (vehicle_id, user_id, make, model, year, engine, transmission, vin, \
                                      license_plate, is_default, created_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, \
                         CASE WHEN EXISTS (SELECT 1 FROM vehicle WHERE user_id = $2 AND is_default = 1) \
                              THEN 0 ELSE 1 END, $10) \
                 RETURNING *",
            )
            .bind(id.to_string())
            .bind(user_id.to_string())
            .bind(&new.name.make)
            .bind(&new.name.model)
            .bind(i64::from(new.name.year.get()))
            .bind(new.engine.as_deref())
            .bind(new.transmission.as_deref())
            .bind(new.vin.as_ref().map(Vin::as_str))
            .bind(new.license_plate.as_deref())
            .bind(now.as_millisecond())
            .fetch_one(&self.db)
            .await
            .map_err(Error::from)
        };
        let row = match insert().await {
            // Two first vehicles at once: the other one has become the default meanwhile.
            Err(Error::Constraint { .. }) => insert().await?,
            result => result?,
        };
        vehicle_from_row(&row)
    }

    /// Makes a vehicle the only default of its owner; `None` when the user has no such vehicle.
    pub async fn set_default_vehicle(
        &self,
        user_id: UserId,
        id: VehicleId,
    ) -> Result<Option<Vehicle>, Error> {
        let mut tx = self.db.begin().await?;
        // The write comes first: in SQLite a transaction that reads before it writes can fail as busy at once.
        sqlx::query(
            "UPDATE vehicle SET is_default = 0 WHERE user_id = $1 AND is_default = 1 AND vehicle_id <> $2",
        )
        .bind(user_id.to_string())
        .bind(id.to_string())
        .execute(&mut *tx)
        .await?;
        let row = sqlx::query(
            "UPDATE vehicle SET is_default = 1 WHERE user_id = $1 AND vehicle_id = $2 RETURNING *",
        )
        .bind(user_id.to_string())
        .bind(id.to_string())
        .fetch_optional(&mut *tx)
        .await?;
        let Some(row) = row else {
            tx.rollback().await?;
            return Ok(None);
        };
        tx.commit().await?;
        vehicle_from_row(&row).map(Some)
    }
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
        is_default: row.try_get::<i64, _>("is_default")? == 1,
        created_at: rows::timestamp(row, "created_at")?,
    })
}

pub(crate) fn name_from_parts(year: i64, make: String, model: String) -> Result<VehicleName, Error> {
    let year = ModelYear::new(year)
        .map_err(|_| Error::Corrupt { column: "year", reason: format!("`{year}` is no year") })?;
    Ok(VehicleName { year, make, model })
}
