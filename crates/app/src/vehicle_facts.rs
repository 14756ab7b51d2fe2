//! Reference facts about one vehicle.

use partsight_domain::{VehicleFacts, VehicleName, VehicleVariant};
use partsight_vehicle_data::Reference;

/// The known facts about a vehicle besides its name: those of its own engine if that is listed, otherwise of all
/// engines with which it was sold.
///
/// `of_vin` is used for a vehicle that is not listed, and for the drive and transmission if the list has none.
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
    let mut variants: Vec<VehicleVariant> = engines
        .into_iter()
        .filter(|engine| !has_own || is_own(&engine.name) || is_own(&engine.id))
        .map(|engine| VehicleVariant {
            has_engine: engine.propulsion.has_engine(),
            fuel: engine.fuel,
            transmissions: engine.transmissions,
            drives: engine.drives,
        })
        .collect();
    let lacks = |variant: &VehicleVariant| variant.transmissions.is_empty() || variant.drives.is_empty();
    if variants.iter().any(lacks)
        && let Some(stated) = of_vin()
    {
        for variant in &mut variants {
            if variant.transmissions.is_empty() {
                variant.transmissions.clone_from(&stated.transmissions);
            }
            if variant.drives.is_empty() {
                variant.drives.clone_from(&stated.drives);
            }
        }
    }
    VehicleFacts { variants }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_list_leaves_empty_the_number_fills() {
        let reference = Reference::embedded().unwrap();
        let of_vin = || {
            Some(VehicleVariant {
                has_engine: true,
                fuel: "Gasoline".to_owned(),
                transmissions: vec!["Manual 9-spd".to_owned()],
                drives: vec!["Rear-Wheel Drive".to_owned()],
            })
        };
        let facts = |name: &str| vehicle_facts(&reference, &name.parse().unwrap(), None, of_vin).variants;
        // The list has no drives for 1984.
        let old = facts("1984 Ford Mustang");
        assert!(old.iter().all(|variant| variant.drives == ["Rear-Wheel Drive"]), "{old:?}");
        assert!(
            old.iter().all(|variant| !variant.transmissions.contains(&"Manual 9-spd".to_owned())),
            "{old:?}"
        );
        let new = facts("2018 Honda Civic");
        assert!(new.iter().all(|variant| variant.drives == ["Front-Wheel Drive"]), "{new:?}");
        assert_eq!(facts("1911 Nobody Nothing"), [of_vin().unwrap()]);
    }
}
