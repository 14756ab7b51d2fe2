//! The parts on the photographs of scans.

use partsight_domain::{ScanId, ScanRegions, TenantId};
use sqlx::any::AnyRow;

use crate::{Error, Store, rows};

impl Store {
    /// Saves the regions of a tenant's scan in place of earlier ones; returns whether there is such a scan.
    pub async fn save_regions(
        &self,
        tenant_id: TenantId,
        id: ScanId,
        regions: &ScanRegions,
    ) -> Result<bool, Error> {
        let query = sql!(
            "INSERT INTO scan_regions (scan_id, tenant_id, regions, changed_at) \
             SELECT scan_id, tenant_id, $3, $4 FROM scan WHERE tenant_id = $1 AND scan_id = $2 \
             ON CONFLICT (scan_id) DO UPDATE SET regions = excluded.regions, changed_at = excluded.changed_at",
            [tenant_id, id, rows::to_json("regions", &regions.regions)?, regions.changed_at]
        );
        Ok(self.write(query).await? > 0)
    }

    /// The regions of a tenant's scan; `None` if they were never located.
    pub async fn find_regions(&self, tenant_id: TenantId, id: ScanId) -> Result<Option<ScanRegions>, Error> {
        let query = sql!(
            "SELECT regions, changed_at FROM scan_regions WHERE tenant_id = $1 AND scan_id = $2",
            [tenant_id, id]
        );
        self.find(query, regions_from_row).await
    }

    /// The regions of all scans of a tenant.
    pub async fn list_regions(&self, tenant_id: TenantId) -> Result<Vec<(ScanId, ScanRegions)>, Error> {
        let query = sql!("SELECT * FROM scan_regions WHERE tenant_id = $1", [tenant_id]);
        self.list(query, |row| Ok((rows::parsed(row, "scan_id")?, regions_from_row(row)?))).await
    }
}

fn regions_from_row(row: &AnyRow) -> Result<ScanRegions, Error> {
    Ok(ScanRegions { regions: rows::json(row, "regions")?, changed_at: rows::timestamp(row, "changed_at")? })
}
