//! Cached recalls and complaints of NHTSA.

use jiff::Timestamp;
use partsight_domain::{SafetyRecords, TenantId, VehicleName};

use crate::{Error, Store, rows};

/// Cached vehicles of a tenant, the last queried ones; more than a tenant may have.
const KEPT_OF_TENANT: i64 = 300;

/// Cached records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSafetyRecords {
    /// The recalls and complaints.
    pub records: SafetyRecords,
    /// When they were fetched.
    pub fetched_at: Timestamp,
}

impl Store {
    /// Caches the records of a vehicle, in place of older ones.
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
            // Rows are cached by name, so a renamed or sold vehicle leaves its row behind. If there are fewer rows,
            // the subquery is NULL and nothing is deleted.
            "DELETE FROM safety_record WHERE tenant_id = $1 AND fetched_at <= (SELECT fetched_at FROM safety_record \
             WHERE tenant_id = $1 ORDER BY fetched_at DESC LIMIT 1 OFFSET $2)",
            [tenant_id, KEPT_OF_TENANT]
        );
        self.write(query).await?;
        Ok(())
    }

    /// The cached records of a vehicle with this name.
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
