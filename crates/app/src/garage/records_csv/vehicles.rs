//! Which vehicle a row means.

use std::collections::HashMap;

use partsight_domain::{Vehicle, VehicleId, Vin};

/// The vehicles of whoever imports, findable by what a file calls them.
pub(super) struct KnownVehicles {
    by_vin: HashMap<String, VehicleId>,
    by_name: HashMap<String, Vec<VehicleId>>,
    /// For rows that name no vehicle.
    chosen: Option<VehicleId>,
}

impl KnownVehicles {
    /// `chosen` is the vehicle of the rows that name none.
    pub(super) fn new(vehicles: &[Vehicle], chosen: Option<VehicleId>) -> Self {
        let mut by_name: HashMap<String, Vec<VehicleId>> = HashMap::new();
        for vehicle in vehicles {
            let name = &vehicle.details.name;
            let mut names = vec![
                name.to_string(),
                format!("{} {}", name.make, name.model),
                // Fuelly's two columns in their order: the car's name, then what it is.
                format!("{} {}", name.model, name.make),
                name.model.clone(),
            ];
            for name in &mut names {
                *name = plain(name);
            }
            // A model that is called like its make gives one name twice, which would look like two vehicles.
            names.sort();
            names.dedup();
            for name in names {
                by_name.entry(name).or_default().push(vehicle.id);
            }
        }
        let by_vin = vehicles
            .iter()
            .filter_map(|vehicle| Some((vehicle.details.vin.as_ref()?.as_str().to_owned(), vehicle.id)))
            .collect();
        Self { by_vin, by_name, chosen }
    }

    /// The vehicle with this VIN, else the one that goes by the first of `names` which one vehicle alone has.
    ///
    /// # Errors
    /// A sentence that says why there is none.
    pub(super) fn find(&self, vin: &str, names: &[String]) -> Result<VehicleId, String> {
        let by_vin = Vin::new(vin).ok().and_then(|vin| self.by_vin.get(vin.as_str()));
        if let Some(id) = by_vin {
            return Ok(*id);
        }
        let names: Vec<String> =
            names.iter().map(|name| plain(name)).filter(|name| !name.is_empty()).collect();
        let Some(called) = names.first() else {
            return self.chosen.ok_or_else(|| {
                "The row names no vehicle. Please choose the vehicle that the file is about.".to_owned()
            });
        };
        let mut is_shared = false;
        for name in &names {
            match self.by_name.get(name).map_or(&[][..], Vec::as_slice) {
                [id] => return Ok(*id),
                [] => {}
                several if self.chosen.is_some_and(|chosen| several.contains(&chosen)) => {
                    return self.chosen.ok_or_else(String::new);
                }
                _ => is_shared = true,
            }
        }
        Err(if is_shared {
            format!(
                "More than one of your vehicles is called {called}. Please add the VIN, or choose the vehicle."
            )
        } else {
            format!("None of your vehicles is called {called}. Please add the vehicle first.")
        })
    }

    /// The vehicle that was chosen for rows that name none.
    pub(super) fn chosen(&self) -> Option<VehicleId> {
        self.chosen
    }
}

fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
