//! The option `--vehicle` of `scan` and `eval --cascade`.

use std::sync::Arc;

use partsight_app::{Catalog, Settings, VehiclePrior, vehicle_reference};
use partsight_domain::VehicleName;

use crate::tell;

/// Parses the vehicle. One that our vehicle facts lack is no error, as in the app, because the facts are incomplete:
/// only a message is printed.
pub(crate) fn vehicle(
    name: Option<&VehicleName>,
    settings: &Settings,
    catalog: &Arc<Catalog>,
) -> anyhow::Result<Option<VehiclePrior>> {
    let Some(name) = name else { return Ok(None) };
    let reference = vehicle_reference::load(&settings.data.dir)?;
    let vehicle = VehiclePrior::of_name(reference.as_ref(), Arc::clone(catalog), name.clone());
    if !vehicle.is_known() {
        tell(&format!(
            "the vehicle facts have no {}: the answers are the same as without it",
            vehicle.name()
        ))?;
    }
    Ok(Some(vehicle))
}
