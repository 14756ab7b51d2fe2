use jiff::civil::Date;
use partsight_domain::{
    MAX_SHOP_PARTS, MaintenanceItem, OdometerReading, OilChange, OwnerOil, Repair, Scan, ShopPart, User,
    Vehicle, VehicleId,
};

use crate::{App, Result};

/// Everything that a tenant owns, whatever the plan shows of it: it is theirs.
#[derive(Debug, Clone)]
pub struct TenantData {
    /// The default one first, each with the owner's own oil values.
    pub vehicles: Vec<(Vehicle, Option<OwnerOil>)>,
    /// The oldest first.
    pub oil_changes: Vec<OilChange>,
    /// The oldest first.
    pub repairs: Vec<Repair>,
    /// What the owner set for the items of a vehicle.
    pub maintenance: Vec<(VehicleId, MaintenanceItem)>,
    /// Also those that came with oil changes and repairs.
    pub odometer_readings: Vec<(VehicleId, OdometerReading)>,
    /// The newest first.
    pub scans: Vec<Scan>,
    /// The newest first; those of a company are the company's.
    pub shop_parts: Vec<ShopPart>,
}

impl App {
    /// All data of the user's tenant.
    pub async fn export_tenant(&self, user: &User) -> Result<TenantData> {
        let tenant_id = user.tenant_id;
        let mut vehicles = Vec::new();
        for vehicle in self.store.list_vehicles(tenant_id).await? {
            let oil = self.store.find_vehicle_oil(tenant_id, vehicle.id).await?;
            vehicles.push((vehicle, oil));
        }
        Ok(TenantData {
            vehicles,
            oil_changes: self.store.export_oil_changes(tenant_id).await?,
            repairs: self.store.export_repairs(tenant_id).await?,
            maintenance: self.store.list_all_maintenance_items(tenant_id).await?,
            odometer_readings: self.store.list_all_odometer_readings(tenant_id, Date::ZERO).await?,
            scans: self.store.list_recent_scans(tenant_id, None, u32::MAX).await?,
            shop_parts: self.store.list_shop_parts(tenant_id, None, None, MAX_SHOP_PARTS).await?,
        })
    }
}
