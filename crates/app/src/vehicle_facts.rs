//! What the facts about vehicles of the market say of one vehicle.

use partsight_domain::{VehicleFacts, VehicleName, VehicleVariant};
use partsight_vehicle_data::Reference;

/// What is known of a vehicle beside its name: of its own engine where it is one of those listed, else of all with
/// which it was sold.
///
/// `of_vin` stands in for a vehicle that is not listed.
pub(crate) fn vehicle_facts(
    reference: &Reference,
    name: &VehicleName,
    engine: Option<&str>,
    of_vin: impl FnOnce() -> Option<VehicleVariant>,
) -> VehicleFacts {
    let engines = reference.engines(&name.make, &name.model, name.year.get());
    if engines.is_empty() {
        return VehicleFacts { variants: of_vin().into_iter().collect() };
    }
    let own = engine.map(str::trim).unwrap_or_default();
    let is_own = |name: &str| !own.is_empty() && name.eq_ignore_ascii_case(own);
    let has_own = engines.iter().any(|engine| is_own(&engine.name) || is_own(&engine.id));
    let variants = engines
        .into_iter()
        .filter(|engine| !has_own || is_own(&engine.name) || is_own(&engine.id))
        .map(|engine| VehicleVariant {
            has_engine: engine.propulsion.has_engine(),
            fuel: engine.fuel,
            transmissions: engine.transmissions,
            drives: engine.drives,
        });
    VehicleFacts { variants: variants.collect() }
}
