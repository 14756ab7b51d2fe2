//! Decoding of a VIN, combined with the list of engines.

use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use partsight_domain::{InvalidInput, NewVehicle, VehicleName, VehicleVariant, named};
use partsight_vehicle_data::{DecodedVin, Engine, Reference, VinDetails, VinPatterns, decode_vin};

use crate::garage::Garage;
use crate::garage::vehicle_reference::{VIN_PATTERNS_FILE, read_imported};
use crate::{Clock, Error, Result};

/// A decoded VIN, with what the list of engines adds.
#[derive(Debug, Clone, PartialEq)]
pub struct VinReading {
    /// The VIN, decoded by the patterns of its maker.
    pub vin: DecodedVin,
    /// The engine for the vehicle form: its name in the list if exactly one matches, else its size.
    pub engine: Option<String>,
    /// Rated power in SAE horsepower.
    pub power: Option<Stated<u16>>,
    /// Such as `Front-Wheel Drive`.
    pub drive: Option<Stated<String>>,
    /// Such as `Automatic 6-spd`.
    pub transmission: Option<Stated<String>>,
}

/// A fact and who states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated<T> {
    /// The fact.
    pub value: T,
    /// Who states it.
    pub source: FactSource,
}

named! {
    /// Who states a fact about a vehicle.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FactSource {
        /// The maker, in NHTSA's list of VIN patterns.
        Vpic = "vpic",
        /// EPA, of all vehicles of this make, model, year and engine.
        Epa = "epa",
    }
}

/// The imported patterns of the data folder, else the embedded ones.
///
/// # Errors
/// [`Error::VehicleFacts`] for imported patterns that cannot be read, are damaged, or are of another version of this
/// program.
pub fn load_vin_patterns(data_dir: &Path) -> Result<Arc<VinPatterns>> {
    imported_vin_patterns(data_dir)?.map_or_else(embedded, Ok)
}

pub(crate) fn imported_vin_patterns(data_dir: &Path) -> Result<Option<Arc<VinPatterns>>> {
    read_imported(&data_dir.join(VIN_PATTERNS_FILE), VinPatterns::from_bytes)
}

fn embedded() -> Result<Arc<VinPatterns>> {
    VinPatterns::embedded().map_err(Error::internal)
}

/// What a vehicle identification number says.
///
/// # Errors
/// [`Error::Invalid`] for a malformed VIN. A wrong check digit is no error.
pub fn decode(text: &str, clock: &Clock, patterns: &VinPatterns) -> Result<DecodedVin> {
    // Next year's models are sold this year.
    let latest_year = clock.now().to_zoned(TimeZone::UTC).year().unsigned_abs() + 1;
    Ok(decode_vin(text, latest_year, patterns).map_err(|error| InvalidInput::new("vin", error.sentence()))?)
}

impl Garage {
    /// Decodes a VIN.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a malformed VIN. A wrong check digit is no error.
    pub fn decode_vin(&self, text: &str) -> Result<VinReading> {
        // The embedded patterns are loaded at the first use, so that a server starts without them.
        let patterns = self.imported_vin_patterns.clone().map_or_else(embedded, Ok)?;
        Ok(VinReading::new(decode(text, &self.clock, &patterns)?, &self.vehicle_reference))
    }

    /// The decoded VIN of a vehicle, if it has one and that matches its make and model year.
    fn reading_of(&self, vehicle: &NewVehicle) -> Option<VinReading> {
        let reading = self.decode_vin(vehicle.vin.as_ref()?.as_str()).ok()?;
        // If they differ, VIN or name is wrong, and nothing tells which, so the VIN is ignored.
        let is_same_make = reading.vin.make.as_deref().is_some_and(|make| {
            let listed = |make: &str| self.vehicle_reference.make(make).map(|known| known.id.clone());
            make.eq_ignore_ascii_case(&vehicle.name.make)
                || listed(make).is_some_and(|id| listed(&vehicle.name.make) == Some(id))
        });
        (is_same_make && reading.vin.model_year == Some(vehicle.name.year.get())).then_some(reading)
    }

    /// The engine of a vehicle: as its owner typed it, else from its VIN.
    pub(crate) fn engine_of(&self, vehicle: &NewVehicle) -> Option<String> {
        vehicle.engine.clone().or_else(|| self.reading_of(vehicle)?.engine)
    }

    /// NHTSA's name for a vehicle, if its VIN identifies exactly one.
    pub(crate) fn name_of_vin(&self, vehicle: &NewVehicle) -> Option<VehicleName> {
        let reading = self.reading_of(vehicle)?.vin;
        let [model] = &reading.models[..] else { return None };
        VehicleName::new(vehicle.name.year.get().into(), reading.make.as_deref()?, model).ok()
    }

    /// What the VIN states about the variant of a vehicle, for one that is not in the list of vehicles.
    pub(crate) fn variant_of_vin(&self, vehicle: &NewVehicle) -> Option<VehicleVariant> {
        let reading = self.reading_of(vehicle)?;
        let fuel = reading.vin.details.fuel?;
        Some(VehicleVariant {
            has_engine: !is_motor(&fuel),
            fuel,
            transmissions: reading.transmission.into_iter().map(|stated| stated.value).collect(),
            drives: reading.drive.into_iter().map(|stated| stated.value).collect(),
        })
    }
}

impl VinReading {
    fn new(vin: DecodedVin, reference: &Reference) -> Self {
        // With several models, their engines would be mixed.
        let engines = match (&vin.make, &vin.models[..], vin.model_year) {
            (Some(make), [model], Some(year)) => reference.engines(make, model, year),
            _ => Vec::new(),
        };
        let details = &vin.details;
        // The VIN narrows the list of engines down; a listed fact counts only if all remaining engines agree on it.
        let fitting: Vec<&Engine> = engines.iter().filter(|engine| is_of(details, engine)).collect();
        let epa = |value| Stated { value, source: FactSource::Epa };
        let only = |lists: &dyn Fn(&Engine) -> Vec<String>| {
            let mut values: Vec<String> = fitting.iter().flat_map(|engine| lists(engine)).collect();
            values.sort_unstable();
            values.dedup();
            // If an engine lists none, another value is possible.
            let is_whole = fitting.iter().all(|engine| !lists(engine).is_empty());
            if is_whole && values.len() == 1 { values.pop() } else { None }
        };
        // EPA's power counts only if all matching engines agree on it.
        let rated = fitting.first().and_then(|first| first.power_hp);
        let rated = rated.filter(|power| fitting.iter().all(|engine| engine.power_hp == Some(*power)));
        let vpic = |value: String| Stated { value, source: FactSource::Vpic };
        Self {
            engine: match fitting[..] {
                [engine] => Some(engine.name.clone()),
                _ => size(details),
            },
            power: details
                .power_hp
                .map(|value| Stated { value, source: FactSource::Vpic })
                .or_else(|| rated.map(|value| Stated { value, source: FactSource::Epa })),
            drive: details.drive.clone().map(vpic).or_else(|| only(&|engine| engine.drives.clone()).map(epa)),
            transmission: transmission(details)
                .map(vpic)
                .or_else(|| only(&|engine| engine.transmissions.clone()).map(epa)),
            vin,
        }
    }
}

/// Whether nothing in the VIN contradicts an engine of the list, and its size matches.
fn is_of(details: &VinDetails, engine: &Engine) -> bool {
    // Without a fuel, an electric motor cannot be told from a combustion engine.
    let Some(fuel) = &details.fuel else { return false };
    if is_motor(fuel) || !engine.propulsion.has_engine() {
        return is_motor(fuel) && !engine.propulsion.has_engine();
    }
    let is_same_size = match (details.displacement_tenths(), details.cylinders) {
        (None, None) => false,
        (tenths, cylinders) => {
            tenths.is_none_or(|tenths| engine.displacement_tenths == Some(tenths))
                && cylinders.is_none_or(|cylinders| engine.cylinders == Some(cylinders))
        }
    };
    let is_same_fuel = (fuel == "Diesel") == (engine.fuel == "Diesel");
    let is_charged = engine.turbocharged || engine.supercharged;
    is_same_size && is_same_fuel && (details.turbocharged != Some(true) || is_charged)
}

fn is_motor(fuel: &str) -> bool {
    matches!(fuel, "Electric" | "Fuel Cell")
}

/// The engine by its size, in common notation.
fn size(details: &VinDetails) -> Option<String> {
    if details.fuel.as_deref() == Some("Electric") && details.displacement_cc.is_none() {
        return Some("Electric".to_owned());
    }
    let tenths = details.displacement_tenths()?;
    let cylinders = details.cylinders.map(|cylinders| format!(" {cylinders}-cyl")).unwrap_or_default();
    let diesel = if details.fuel.as_deref() == Some("Diesel") { " Diesel" } else { "" };
    Some(format!("{}.{}L{cylinders}{diesel}", tenths / 10, tenths % 10))
}

/// In the notation of the list of engines: `Automatic 6-spd`.
fn transmission(details: &VinDetails) -> Option<String> {
    let style = details.transmission.as_deref()?;
    Some(match details.transmission_speeds {
        Some(speeds) => format!("{style} {speeds}-spd"),
        None => style.to_owned(),
    })
}
