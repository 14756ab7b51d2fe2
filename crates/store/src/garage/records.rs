//! Odometer readings, and the import of records of every kind.

use jiff::Timestamp;
use jiff::civil::Date;
use partsight_domain::{
    NewOilChange, NewRepair, NewVehicle, OdometerReading, OilChangeId, Plan, Quota, RepairId, TenantId,
    VehicleId,
};
use sqlx::Row;
use sqlx::any::AnyRow;

use super::columns::mileage;
use super::oil_changes::insert_oil_change;
use super::repairs::insert_repair;
use super::vehicles::insert_vehicle;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// Records to be imported together.
#[derive(Debug, Clone)]
pub enum RecordBatch {
    /// Oil changes.
    OilChanges(Vec<(OilChangeId, NewOilChange)>),
    /// Repairs.
    Repairs(Vec<(RepairId, NewRepair)>),
    /// Vehicles; the first of a tenant becomes the default.
    Vehicles(Vec<(VehicleId, NewVehicle)>),
    /// Odometer readings.
    Readings(Vec<(VehicleId, OdometerReading)>),
}

impl RecordBatch {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::OilChanges(changes) => changes.len(),
            Self::Repairs(repairs) => repairs.len(),
            Self::Vehicles(vehicles) => vehicles.len(),
            Self::Readings(readings) => readings.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The result of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportRecords {
    /// All records are saved.
    Saved,
    /// One of their vehicles was deleted; nothing was saved.
    VehicleGone,
    /// A record of this kind was added or deleted since the mark was taken; nothing was saved.
    Changed,
}

/// The number of a tenant's records of a kind, and the newest of them. If both are unchanged, none was added or
/// deleted in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordMark {
    n: i64,
    last: Option<String>,
}

/// A kind of records that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// Oil changes.
    OilChanges,
    /// Repairs.
    Repairs,
    /// Vehicles.
    Vehicles,
    /// Odometer readings of no other record.
    Readings,
}

impl RecordBatch {
    /// The kind of the records.
    pub fn kind(&self) -> RecordKind {
        match self {
            Self::OilChanges(_) => RecordKind::OilChanges,
            Self::Repairs(_) => RecordKind::Repairs,
            Self::Vehicles(_) => RecordKind::Vehicles,
            Self::Readings(_) => RecordKind::Readings,
        }
    }
}

impl Store {
    /// The mark of a tenant's records of a kind, to be taken before they are compared with an import.
    pub async fn mark_records(&self, tenant_id: TenantId, kind: RecordKind) -> Result<RecordMark, Error> {
        mark(&mut *self.db.acquire().await?, tenant_id, kind).await
    }

    /// The odometer readings of one vehicle since `since`, those of its records included, in no order.
    pub async fn list_odometer_readings(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        since: Date,
    ) -> Result<Vec<OdometerReading>, Error> {
        let query = sql!(
            "SELECT change_date AS read_on, mileage FROM oil_change \
             WHERE tenant_id = $1 AND vehicle_id = $2 AND change_date >= $3 \
             UNION ALL SELECT repair_date, mileage FROM repair \
             WHERE tenant_id = $1 AND vehicle_id = $2 AND repair_date >= $3 \
             UNION ALL SELECT read_on, mileage FROM odometer_reading \
             WHERE tenant_id = $1 AND vehicle_id = $2 AND read_on >= $3",
            [tenant_id, vehicle_id, since]
        );
        self.list(query, reading_from_row).await
    }

    /// The odometer readings of all vehicles of a tenant since `since`, in no order.
    pub async fn list_all_odometer_readings(
        &self,
        tenant_id: TenantId,
        since: Date,
    ) -> Result<Vec<(VehicleId, OdometerReading)>, Error> {
        let query = sql!(
            "SELECT vehicle_id, change_date AS read_on, mileage FROM oil_change \
             WHERE tenant_id = $1 AND change_date >= $2 \
             UNION ALL SELECT vehicle_id, repair_date, mileage FROM repair \
             WHERE tenant_id = $1 AND repair_date >= $2 \
             UNION ALL SELECT vehicle_id, read_on, mileage FROM odometer_reading \
             WHERE tenant_id = $1 AND read_on >= $2",
            [tenant_id, since]
        );
        self.list(query, |row| Ok((rows::parsed(row, "vehicle_id")?, reading_from_row(row)?))).await
    }

    /// Saves an odometer reading in place of others of that day, so that a mistyped one can be corrected. False when
    /// the tenant has no such vehicle.
    ///
    /// # Errors
    /// [`Error::QuotaReached`] for a tenant with as many records as `plan` allows.
    pub async fn add_odometer_reading(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        reading: OdometerReading,
        plan: Plan,
    ) -> Result<bool, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            Self::lock_tenant(&mut tx, tenant_id).await?;
            let mut tx = tx.within_quota(tenant_id, Quota::Records, plan, 1).await?;
            let query = sql!(
                "DELETE FROM odometer_reading WHERE tenant_id = $1 AND vehicle_id = $2 AND read_on = $3",
                [tenant_id, vehicle_id, reading.on]
            );
            query.execute(&mut *tx).await?;
            let is_there = insert_reading(&mut tx, tenant_id, vehicle_id, reading).await?;
            tx.commit().await?;
            Ok(is_there)
        })
        .await
    }

    /// The odometer readings of a vehicle that belong to no other record, the newest first.
    pub async fn list_noted_readings(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
    ) -> Result<Vec<OdometerReading>, Error> {
        let query = sql!(
            "SELECT read_on, mileage FROM odometer_reading WHERE tenant_id = $1 AND vehicle_id = $2 \
             ORDER BY read_on DESC, mileage DESC",
            [tenant_id, vehicle_id]
        );
        self.list(query, reading_from_row).await
    }

    /// Deletes an odometer reading. False when the tenant has no such reading.
    pub async fn delete_odometer_reading(
        &self,
        tenant_id: TenantId,
        vehicle_id: VehicleId,
        reading: OdometerReading,
    ) -> Result<bool, Error> {
        let query = sql!(
            "DELETE FROM odometer_reading \
             WHERE tenant_id = $1 AND vehicle_id = $2 AND read_on = $3 AND mileage = $4",
            [tenant_id, vehicle_id, reading.on, reading.mileage.get()]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Saves a batch in one transaction, if the records still match the mark `seen`: of two concurrent imports of one
    /// file, the second must find what the first has saved.
    ///
    /// # Errors
    /// [`Error::QuotaReached`] for more than `plan` allows; nothing was saved.
    pub async fn import_records(
        &self,
        tenant_id: TenantId,
        batch: &RecordBatch,
        seen: &RecordMark,
        plan: Plan,
        now: Timestamp,
    ) -> Result<ImportRecords, Error> {
        let mut tx = self.begin().await?;
        Self::lock_tenant(&mut tx, tenant_id).await?;
        // The file was compared with the records outside the transaction; the mark tells under the lock whether that
        // result still holds.
        if mark(&mut tx, tenant_id, batch.kind()).await? != *seen {
            tx.rollback().await?;
            return Ok(ImportRecords::Changed);
        }
        let quota = match batch {
            RecordBatch::Vehicles(_) => Quota::Vehicles,
            RecordBatch::OilChanges(_) | RecordBatch::Repairs(_) | RecordBatch::Readings(_) => Quota::Records,
        };
        let mut tx = tx.within_quota(tenant_id, quota, plan, batch.len()).await?;
        // The loops continue after a missing vehicle; the rollback below undoes what they saved.
        let mut is_whole = true;
        match batch {
            RecordBatch::OilChanges(changes) => {
                for (id, new) in changes {
                    is_whole &= insert_oil_change(&mut tx, tenant_id, *id, new, now).await?.is_some();
                }
            }
            RecordBatch::Repairs(repairs) => {
                for (id, new) in repairs {
                    is_whole &= insert_repair(&mut tx, tenant_id, *id, new, now).await?.is_some();
                }
            }
            RecordBatch::Vehicles(vehicles) => {
                for (id, new) in vehicles {
                    insert_vehicle(&mut tx, tenant_id, *id, new, now).await?;
                }
            }
            RecordBatch::Readings(readings) => {
                for (vehicle_id, reading) in readings {
                    is_whole &= insert_reading(&mut tx, tenant_id, *vehicle_id, *reading).await?;
                }
            }
        }
        if is_whole {
            tx.commit().await?;
            Ok(ImportRecords::Saved)
        } else {
            tx.rollback().await?;
            Ok(ImportRecords::VehicleGone)
        }
    }
}

async fn mark(
    db: &mut sqlx::AnyConnection,
    tenant_id: TenantId,
    kind: RecordKind,
) -> Result<RecordMark, Error> {
    // Ids begin with their time of creation, so the greatest is the newest.
    let sql = match kind {
        RecordKind::OilChanges => {
            "SELECT COUNT(*) AS n, MAX(oil_change_id) AS last FROM oil_change WHERE tenant_id = $1"
        }
        RecordKind::Repairs => {
            "SELECT COUNT(*) AS n, MAX(repair_id) AS last FROM repair WHERE tenant_id = $1"
        }
        RecordKind::Vehicles => {
            "SELECT COUNT(*) AS n, MAX(vehicle_id) AS last FROM vehicle WHERE tenant_id = $1"
        }
        RecordKind::Readings => {
            "SELECT COUNT(*) AS n, MAX(read_on) AS last FROM odometer_reading WHERE tenant_id = $1"
        }
    };
    let row = sql!(sql, [tenant_id]).fetch_one(db).await?;
    Ok(RecordMark { n: row.try_get("n")?, last: row.try_get("last")? })
}

async fn insert_reading(
    db: &mut sqlx::AnyConnection,
    tenant_id: TenantId,
    vehicle_id: VehicleId,
    reading: OdometerReading,
) -> Result<bool, Error> {
    // The update without a change tells an existing reading from a missing vehicle.
    let query = sql!(
        "INSERT INTO odometer_reading (tenant_id, vehicle_id, read_on, mileage) \
         SELECT tenant_id, vehicle_id, $3, $4 FROM vehicle WHERE tenant_id = $1 AND vehicle_id = $2 \
         ON CONFLICT (vehicle_id, read_on, mileage) DO UPDATE SET mileage = excluded.mileage",
        [tenant_id, vehicle_id, reading.on, reading.mileage.get()]
    );
    let done = query.execute(db).await?;
    Ok(done.rows_affected() > 0)
}

fn reading_from_row(row: &AnyRow) -> Result<OdometerReading, Error> {
    Ok(OdometerReading { on: rows::parsed(row, "read_on")?, mileage: mileage(row)? })
}
