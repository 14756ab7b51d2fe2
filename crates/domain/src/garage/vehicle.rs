use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::text::{optional_text, short_text};
use crate::{InvalidInput, VehicleId, messages};

/// Longest make, model, engine or transmission that is stored, in characters.
const TEXT_MAX_CHARS: usize = 80;
const PLATE_MAX_CHARS: usize = 16;
/// Longest VIN, in characters (specification 1, section 5).
const VIN_MAX_CHARS: usize = 17;

/// A model year, 1886 (the first motor car) to 2100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelYear(u16);

impl ModelYear {
    /// Checks the range.
    pub fn new(year: i64) -> Result<Self, InvalidInput> {
        u16::try_from(year)
            .ok()
            .filter(|year| (1886..=2100).contains(year))
            .map(Self)
            .ok_or_else(|| InvalidInput::new("year", "Please enter a year between 1886 and 2100."))
    }

    /// The year as a number.
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// A vehicle identification number as typed: upper case, at most 17 characters.
///
/// Older vehicles have shorter numbers, so neither the length nor the check digit is required here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Vin(String);

impl Vin {
    /// Upper-cases `text` and checks that it has only letters, digits and hyphens, at most 17 of them.
    pub fn new(text: &str) -> Result<Self, InvalidInput> {
        let text = text.trim().to_uppercase();
        let length = text.chars().count();
        if length > VIN_MAX_CHARS {
            return Err(InvalidInput::new(
                "vinNumber",
                format!("The VIN has {length} characters; a VIN has at most {VIN_MAX_CHARS}."),
            ));
        }
        if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Err(InvalidInput::new(
                "vinNumber",
                "A VIN has only letters and digits. Please check what you typed.",
            ));
        }
        Ok(Self(text))
    }

    /// The number as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Year, make and model of a vehicle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VehicleName {
    /// Model year.
    pub year: ModelYear,
    /// Manufacturer's brand.
    pub make: String,
    /// Model.
    pub model: String,
}

impl VehicleName {
    /// Checks that all three are present and valid.
    pub fn new(year: i64, make: &str, model: &str) -> Result<Self, InvalidInput> {
        // Any make and model is valid, because our tables of vehicles are incomplete.
        let make = short_text("make", "The make", make, TEXT_MAX_CHARS)?;
        let model = short_text("model", "The model", model, TEXT_MAX_CHARS)?;
        for (field, text) in [("make", &make), ("model", &model)] {
            if text.is_empty() {
                return Err(InvalidInput::new(field, messages::VEHICLE_FIELDS_MISSING));
            }
        }
        Ok(Self { year: ModelYear::new(year)?, make, model })
    }
}

impl fmt::Display for VehicleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.year.get(), self.make, self.model)
    }
}

impl FromStr for VehicleName {
    type Err = InvalidInput;

    /// Parses `2015 Honda Civic`: the year, one word for the make, and the model.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fault = |what: &str| {
            InvalidInput::new("vehicle", format!("{what}; write the vehicle like `2015 Honda Civic`"))
        };
        let mut words = text.split_whitespace();
        let year = words.next().ok_or_else(|| fault("year, make and model are missing"))?;
        let year =
            year.parse().map_err(|_| fault(&format!("`{year}` is no model year, which comes first")))?;
        // One word only: a make of two words needs the three separate fields.
        let make = words.next().ok_or_else(|| fault("make and model are missing"))?;
        let model = words.collect::<Vec<_>>().join(" ");
        if model.is_empty() {
            return Err(fault(&format!("the model is missing behind `{make}`")));
        }
        Self::new(year, make, &model)
    }
}

/// The form of a vehicle, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVehicle {
    /// Required.
    pub name: VehicleName,
    /// Free text.
    pub engine: Option<String>,
    /// Free text.
    pub transmission: Option<String>,
    /// Upper case.
    pub vin: Option<Vin>,
    /// Free text.
    pub license_plate: Option<String>,
}

impl NewVehicle {
    /// Checks the optional fields; empty ones become `None`.
    pub fn new(
        name: VehicleName,
        engine: Option<&str>,
        transmission: Option<&str>,
        vin: Option<&str>,
        license_plate: Option<&str>,
    ) -> Result<Self, InvalidInput> {
        // Blank fields count as absent, so that an empty VIN is no error.
        let vin = vin.map(str::trim).filter(|vin| !vin.is_empty()).map(Vin::new).transpose()?;
        Ok(Self {
            name,
            engine: optional_text("engine", "The engine", engine, TEXT_MAX_CHARS)?,
            transmission: optional_text("transmission", "The transmission", transmission, TEXT_MAX_CHARS)?,
            vin,
            license_plate: optional_text(
                "licensePlate",
                "The license plate",
                license_plate,
                PLATE_MAX_CHARS,
            )?,
        })
    }
}

/// A saved vehicle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vehicle {
    /// Never changes.
    pub id: VehicleId,
    /// What the user typed.
    pub details: NewVehicle,
    /// Whether it is the one default vehicle of its owner.
    pub is_default: bool,
    /// When it was saved.
    pub created_at: Timestamp,
}

/// What was deleted with a vehicle, and the new default vehicle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedVehicle {
    /// Oil changes that were deleted with it.
    pub n_oil_changes: u64,
    /// Repairs that were deleted with it.
    pub n_repairs: u64,
    /// Maintenance items of its own that were deleted with it.
    pub n_maintenance_items: u64,
    /// Separately entered odometer readings that were deleted with it.
    pub n_odometer_readings: u64,
    /// Whether its owner had entered oil values, which were deleted with it.
    pub had_own_oil: bool,
    /// The default vehicle now, if any vehicle is left.
    pub default: Option<Vehicle>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vehicle_reads_as_people_write_it() {
        let name: VehicleName = " 2015  Honda Civic Type R ".parse().unwrap();
        assert_eq!(name.to_string(), "2015 Honda Civic Type R");
        for (bad, fault) in [
            ("", "year, make and model are missing"),
            ("Honda Civic", "`Honda` is no model year"),
            ("2015", "make and model are missing"),
            ("2015 Honda", "the model is missing behind `Honda`"),
            ("1700 Honda Civic", "between 1886 and 2100"),
        ] {
            let message = bad.parse::<VehicleName>().unwrap_err().message;
            assert!(message.contains(fault), "{bad}: {message}");
        }
    }

    #[test]
    fn make_model_and_year_are_required() {
        for (make, model) in [("", "Civic"), ("Honda", " ")] {
            assert_eq!(
                VehicleName::new(2015, make, model).unwrap_err().message,
                messages::VEHICLE_FIELDS_MISSING
            );
        }
        for year in [0, 1885, 2101, -5, i64::MAX] {
            assert_eq!(VehicleName::new(year, "Honda", "Civic").unwrap_err().field, "year");
        }
    }

    #[test]
    fn a_vin_is_upper_cased_and_has_at_most_seventeen_characters() {
        assert_eq!(Vin::new(" 1hgcm82633a004352 ").unwrap().as_str(), "1HGCM82633A004352");
        assert!(Vin::new("1HGCM82633A0043521").unwrap_err().message.contains("18 characters"));
        assert!(Vin::new("1HG CM8").is_err());
    }

    #[test]
    fn blank_optional_fields_are_none() {
        let name = VehicleName::new(2015, "Honda", "Civic").unwrap();
        let vehicle = NewVehicle::new(name, Some(" "), None, Some(""), Some("ABC 123")).unwrap();
        assert_eq!(
            (vehicle.engine, vehicle.vin, vehicle.license_plate.as_deref()),
            (None, None, Some("ABC 123"))
        );
    }
}
