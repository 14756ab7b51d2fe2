//! What NHTSA listed of vehicles.

use jiff::Timestamp;
use partsight_domain::{SafetyRecords, TenantId, VehicleName};

use crate::{Error, Store, rows};

/// Vehicles of a tenant whose records are kept, the last asked ones. More than a tenant may have vehicles.
const KEPT_OF_TENANT: i64 = 300;

/// Records that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSafetyRecords {
    /// What was listed.
    pub records: SafetyRecords,
    /// When they were fetched.
    pub fetched_at: Timestamp,
}

impl Store {
    /// Keeps what was listed of a vehicle, in place of what was listed of it before.
    pub async fn keep_safety_records(
        &self,
        tenant_id: TenantId,
        kept: &KeptSafetyRecords,
    ) -> Result<(), Error> {
        let query = sql!(
            "INSERT INTO safety_record (tenant_id, vehicle, records, fetched_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (tenant_id, vehicle) \
             DO UPDATE SET records = excluded.records, fetched_at = excluded.fetched_at",
            [
                tenant_id,
                key(&kept.records.vehicle),
                rows::to_json("records", &kept.records)?,
                kept.fetched_at
            ]
        );
        self.write(query).await?;
        let query = sql!(
            // Rows are kept by name, so a vehicle that was renamed or sold leaves its own behind. Where there are
            // fewer, the subquery gives NULL and nothing is deleted.
            "DELETE FROM safety_record WHERE tenant_id = $1 AND fetched_at <= (SELECT fetched_at FROM safety_record \
             WHERE tenant_id = $1 ORDER BY fetched_at DESC LIMIT 1 OFFSET $2)",
            [tenant_id, KEPT_OF_TENANT]
        );
        self.write(query).await?;
        Ok(())
    }

    /// What was listed of a vehicle of this name.
    pub async fn find_safety_records(
        &self,
        tenant_id: TenantId,
        vehicle: &VehicleName,
    ) -> Result<Option<KeptSafetyRecords>, Error> {
        let query = sql!(
            "SELECT records, fetched_at FROM safety_record WHERE tenant_id = $1 AND vehicle = $2",
            [tenant_id, key(vehicle)]
        );
        self.find(query, |row| {
            let records = rows::json(row, "records")?;
            Ok(KeptSafetyRecords { records, fetched_at: rows::timestamp(row, "fetched_at")? })
        })
        .await
    }
}

fn key(vehicle: &VehicleName) -> String {
    vehicle.to_string().to_lowercase()
}
