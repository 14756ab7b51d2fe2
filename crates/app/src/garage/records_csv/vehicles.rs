//! Finds the vehicle of a row.

use std::collections::{HashMap, HashSet};

use partsight_domain::{Vehicle, VehicleId, Vin};

/// Characters of a VIN since 1981; vehicles before have shorter ones.
pub(super) const WHOLE_VIN: usize = 17;

/// The vehicles of the user who imports, by the names that files use.
pub(super) struct KnownVehicles {
    by_vin: HashMap<String, Vec<VehicleId>>,
    with_vin: HashSet<VehicleId>,
    plates: HashMap<VehicleId, String>,
    by_name: HashMap<String, Vec<VehicleId>>,
    /// The vehicle of rows that name none.
    chosen: Option<VehicleId>,
}

impl KnownVehicles {
    /// `chosen` is the vehicle of rows that name none.
    pub(super) fn new(vehicles: &[Vehicle], chosen: Option<VehicleId>) -> Self {
        let mut by_name: HashMap<String, Vec<VehicleId>> = HashMap::new();
        for vehicle in vehicles {
            let name = &vehicle.details.name;
            let mut names = vec![
                name.to_string(),
                format!("{} {}", name.make, name.model),
                // Fuelly's two columns in their order: the name of the car, then make and model.
                format!("{} {}", name.model, name.make),
                name.model.clone(),
            ];
            for name in &mut names {
                *name = plain(name);
            }
            // If a model has the name of its make, both names are equal, which would look like two vehicles.
            names.sort();
            names.dedup();
            for name in names {
                by_name.entry(name).or_default().push(vehicle.id);
            }
        }
        let mut by_vin: HashMap<String, Vec<VehicleId>> = HashMap::new();
        for vehicle in vehicles {
            if let Some(vin) = &vehicle.details.vin {
                by_vin.entry(vin.as_str().to_owned()).or_default().push(vehicle.id);
            }
        }
        let with_vin = by_vin.values().flatten().copied().collect();
        let plates = vehicles
            .iter()
            .filter_map(|vehicle| Some((vehicle.id, plain_plate(vehicle.details.license_plate.as_deref()?))))
            .collect();
        Self { by_vin, with_vin, plates, by_name, chosen }
    }

    /// The vehicle with this VIN. Otherwise the first of `names` that belongs to exactly one vehicle decides; if
    /// several have a name, the VIN or the plate decides. A vehicle with another VIN never matches, whatever its name.
    ///
    /// # Errors
    /// A sentence with the reason if none is found.
    pub(super) fn find(&self, vin: &str, plate: &str, names: &[String]) -> Result<VehicleId, String> {
        let plate = plain_plate(plate);
        let vin = Vin::new(vin).ok();
        let of_vin =
            vin.as_ref().and_then(|vin| self.by_vin.get(vin.as_str())).map_or(&[][..], Vec::as_slice);
        // A text that is no complete VIN, such as `unknown`, identifies no vehicle and contradicts no name.
        let vin = vin.filter(|vin| vin.as_str().len() == WHOLE_VIN);
        // If a complete VIN was entered for two vehicles by mistake, it does not identify either.
        if let (Some(_), [id]) = (&vin, of_vin) {
            return Ok(*id);
        }
        let is_another = |id: &VehicleId| vin.is_some() && self.with_vin.contains(id) && !of_vin.contains(id);
        let names: Vec<&str> = names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
        // The name as in the file, where people look for it.
        let Some(called) = names.first() else {
            return self.chosen.filter(|chosen| !is_another(chosen)).ok_or_else(|| match &vin {
                Some(vin) => no_such_vin(vin),
                None => {
                    "The row names no vehicle. Please choose the vehicle that the file is about.".to_owned()
                }
            });
        };
        let (mut is_shared, mut has_other_vin) = (false, false);
        for name in &names {
            let of_name = self.by_name.get(&plain(name)).map_or(&[][..], Vec::as_slice);
            let mut several: Vec<VehicleId> = of_name.iter().copied().filter(|id| !is_another(id)).collect();
            has_other_vin |= several.len() < of_name.len();
            if several.len() > 1 && several.iter().any(|id| of_vin.contains(id)) {
                several.retain(|id| of_vin.contains(id));
            }
            if several.len() > 1 && several.iter().any(|id| self.plates.get(id) == Some(&plate)) {
                several.retain(|id| self.plates.get(id) == Some(&plate));
            }
            match several.as_slice() {
                [id] => return Ok(*id),
                [] => {}
                several if self.chosen.is_some_and(|chosen| several.contains(&chosen)) => {
                    return self.chosen.ok_or_else(String::new);
                }
                _ => is_shared = true,
            }
        }
        Err(match &vin {
            _ if is_shared => format!(
                "More than one of your vehicles is called {called}. Please add the VIN or the license plate, or choose the vehicle."
            ),
            Some(vin) if has_other_vin => no_such_vin(vin),
            _ => format!("None of your vehicles is called {called}. Please add the vehicle first."),
        })
    }

    /// The chosen vehicle of rows that name none.
    pub(super) fn chosen(&self) -> Option<VehicleId> {
        self.chosen
    }
}

/// A plate without separators: `ABC 123` and `abc-123` are the same.
fn plain_plate(plate: &str) -> String {
    plate.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
}

fn no_such_vin(vin: &Vin) -> String {
    format!(
        "None of your vehicles has the VIN {}. Please add the vehicle first, or leave the VIN out.",
        vin.as_str()
    )
}

fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
