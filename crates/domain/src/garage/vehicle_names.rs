use std::collections::HashMap;

use super::Vehicle;
use crate::VehicleId;

/// Number of characters at the end of a VIN that distinguish vehicles: the serial number.
const VIN_END_CHARS: usize = 6;

/// The names of vehicles by id, such as `2015 Honda Civic`.
///
/// A name that occurs several times is preceded by the license plate, or by the end of the VIN without one: `AAA
/// 111, 2019 Ford Transit`. The web app does the same.
pub fn vehicle_names<'a>(
    vehicles: impl IntoIterator<Item = &'a Vehicle, IntoIter: Clone>,
) -> HashMap<VehicleId, String> {
    let vehicles = vehicles.into_iter();
    let mut times: HashMap<String, u32> = HashMap::new();
    for vehicle in vehicles.clone() {
        *times.entry(vehicle.details.name.to_string()).or_default() += 1;
    }
    let name_of = |vehicle: &Vehicle| {
        let name = vehicle.details.name.to_string();
        let mark = mark_of(vehicle).filter(|_| times.get(&name).is_some_and(|&times| times > 1));
        (vehicle.id, mark.map_or(name.clone(), |mark| format!("{mark}, {name}")))
    };
    vehicles.map(name_of).collect()
}

/// The license plate or the end of the VIN, which distinguishes vehicles with the same name.
fn mark_of(vehicle: &Vehicle) -> Option<&str> {
    let vin_end = || {
        // A VIN is ASCII.
        let vin = vehicle.details.vin.as_ref()?.as_str();
        vin.get(vin.len().saturating_sub(VIN_END_CHARS)..)
    };
    vehicle.details.license_plate.as_deref().or_else(vin_end)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use uuid::Uuid;

    use super::*;
    use crate::{NewVehicle, VehicleName};

    #[test]
    fn vehicles_of_one_name_are_told_apart_by_plate_or_else_by_the_end_of_the_vin() {
        let vin = Some("1FTFW1ET5DFC10312");
        let cases = [
            ("Civic", None, Some("ABC 123"), "2019 Ford Civic"),
            ("F-150", vin, Some("AAA 111"), "AAA 111, 2019 Ford F-150"),
            ("F-150", vin, None, "C10312, 2019 Ford F-150"),
            ("F-150", Some("7"), None, "7, 2019 Ford F-150"),
            ("F-150", None, None, "2019 Ford F-150"),
        ];
        let vehicle = |(id, &(model, vin, plate, _))| {
            let name = VehicleName::new(2019, "Ford", model).unwrap();
            Vehicle {
                id: VehicleId(Uuid::from_u128(id)),
                details: NewVehicle::new(name, None, None, vin, plate).unwrap(),
                is_default: false,
                created_at: Timestamp::UNIX_EPOCH,
            }
        };
        let vehicles: Vec<Vehicle> = (0..).zip(&cases).map(vehicle).collect();
        let names = vehicle_names(&vehicles);
        for (vehicle, (.., expected)) in vehicles.iter().zip(cases) {
            assert_eq!(names[&vehicle.id], expected);
        }
    }
}
