//! EPA's list of vehicles, one line each.

use std::io::Read;

use super::columns::{Line, Table};
use crate::error::SourceFile;
use crate::{ImportError, Propulsion};

/// The columns that are read, in the order of the constants below.
const COLUMNS: [&str; 15] = [
    "id",
    "make",
    "model",
    "baseModel",
    "year",
    "displ",
    "cylinders",
    "trany",
    "drive",
    "fuelType",
    "VClass",
    "eng_dscr",
    "tCharger",
    "sCharger",
    "atvType",
];
const ID: usize = 0;
const MAKE: usize = 1;
const MODEL: usize = 2;
const BASE_MODEL: usize = 3;
const YEAR: usize = 4;
const DISPLACEMENT: usize = 5;
const CYLINDERS: usize = 6;
const TRANSMISSION: usize = 7;
const DRIVE: usize = 8;
const FUEL: usize = 9;
const CLASS: usize = 10;
const ENGINE_DESCRIPTION: usize = 11;
const TURBOCHARGER: usize = 12;
const SUPERCHARGER: usize = 13;
const ALTERNATIVE: usize = 14;

/// One line of the list, with normalised values.
pub(super) struct Vehicle {
    pub(super) id: String,
    pub(super) make: String,
    pub(super) model: String,
    pub(super) base_model: String,
    pub(super) year: u16,
    pub(super) displacement_tenths: Option<u16>,
    pub(super) cylinders: Option<u8>,
    pub(super) transmission: Option<String>,
    pub(super) drive: Option<String>,
    pub(super) fuel: String,
    pub(super) body_class: Option<&'static str>,
    pub(super) turbocharged: bool,
    pub(super) supercharged: bool,
    pub(super) propulsion: Propulsion,
}

pub(super) fn read(file: impl Read) -> Result<Vec<Vehicle>, ImportError> {
    let mut vehicles = Vec::new();
    Table::new(SourceFile::Vehicles, COLUMNS, file)?.for_each(|line| {
        vehicles.push(vehicle(&line)?);
        Ok(())
    })?;
    Ok(vehicles)
}

fn vehicle(line: &Line<'_, 15>) -> Result<Vehicle, ImportError> {
    let propulsion = propulsion(line);
    let model = line.name(MODEL)?.to_owned();
    // If the line has no base model, the model is used.
    let base_model = if line.text(BASE_MODEL).is_empty() { &model } else { line.name(BASE_MODEL)? };
    Ok(Vehicle {
        id: line.text(ID).to_owned(),
        make: line.name(MAKE)?.to_owned(),
        base_model: base_model_name(base_model, &model),
        model,
        year: line.year(YEAR)?,
        // One electric car is listed with 0.0 litres, and motors have no cylinders.
        displacement_tenths: line.displacement_tenths(DISPLACEMENT)?.filter(|_| propulsion.has_engine()),
        cylinders: line.cylinders(CYLINDERS)?.filter(|_| propulsion.has_engine()),
        transmission: Some(line.text(TRANSMISSION)).filter(|text| !text.is_empty()).map(transmission),
        drive: Some(line.text(DRIVE)).filter(|text| !text.is_empty()).map(str::to_owned),
        fuel: fuel(line.text(FUEL)),
        body_class: body_class(line.text(CLASS)),
        // EPA's value is this letter or empty.
        turbocharged: line.text(TURBOCHARGER) == "T",
        supercharged: line.text(SUPERCHARGER) == "S",
        propulsion,
    })
}

/// EPA's base model, except for names of one letter: BMW's `M` contains the M2, the M3, the M340i and the X5 M,
/// which nobody searches under one name. For these, the first word of the model.
fn base_model_name(base_model: &str, model: &str) -> String {
    let name = if base_model.chars().count() == 1 && base_model.chars().all(char::is_alphabetic) {
        model.split_whitespace().next().unwrap_or(model)
    } else {
        base_model
    };
    name.to_owned()
}

fn propulsion(line: &Line<'_, 15>) -> Propulsion {
    let is_mild = || line.text(ENGINE_DESCRIPTION).to_lowercase().contains("mild hybrid");
    match (line.text(FUEL), line.text(ALTERNATIVE)) {
        ("Electricity", _) | (_, "EV") => Propulsion::Electric,
        ("Hydrogen", _) | (_, "FCV") => Propulsion::FuelCell,
        (_, "Plug-in Hybrid") => Propulsion::PlugInHybrid,
        (_, "Hybrid") if is_mild() => Propulsion::MildHybrid,
        (_, "Hybrid") => Propulsion::Hybrid,
        _ => Propulsion::Combustion,
    }
}

/// Expands `Regular` and the like to a phrase that can stand alone; unknown texts are kept.
fn fuel(text: &str) -> String {
    match text {
        "Regular" => "Regular gasoline",
        "Premium" => "Premium gasoline",
        "Midgrade" => "Midgrade gasoline",
        "CNG" => "Natural gas",
        "Premium or E85" => "Premium gasoline or E85",
        "Premium and Electricity" => "Premium gasoline and electricity",
        "Regular Gas and Electricity" => "Regular gasoline and electricity",
        "Premium Gas or Electricity" => "Premium gasoline or electricity",
        "Regular Gas or Electricity" => "Regular gasoline or electricity",
        "" => "Not stated",
        other => other,
    }
    .to_owned()
}

/// EPA's transmission in words. Its letters: `S` selectable gears, `A` automatic, `AM` automated manual, `AV`
/// continuously variable, `L` lock-up. Source: the guide to `vehicles.csv` on fueleconomy.gov.
fn transmission(text: &str) -> String {
    let Some(code) = text.strip_prefix("Automatic (").and_then(|rest| rest.strip_suffix(')')) else {
        return text.to_owned();
    };
    let gears = code.trim_start_matches(|c: char| !c.is_ascii_digit());
    // `AV` first, because a CVT may have a number of simulated gears: `AV-S8`.
    if code.starts_with("AV") || code == "variable gear ratios" {
        "CVT".to_owned()
    } else if code == "A1" {
        "Automatic 1-spd".to_owned()
    } else if gears.is_empty() {
        text.to_owned()
    } else if code.starts_with("AM") {
        format!("Automated manual {gears}-spd")
    } else {
        format!("Automatic {gears}-spd")
    }
}

/// The body of a size class, if it names one. `Special Purpose Vehicle` contained both vans and utility vehicles.
fn body_class(class: &str) -> Option<&'static str> {
    if class.contains("Pickup") {
        Some("Pickup")
    } else if class.contains("Sport Utility") {
        Some("SUV")
    } else if class.starts_with("Van") || class.starts_with("Minivan") {
        Some("Van/Minivan")
    } else if class.contains("Station Wagon") {
        Some("Wagon")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transmissions_are_spelt_out() {
        let cases = [
            ("Automatic 4-spd", "Automatic 4-spd"),
            ("Automatic (S8)", "Automatic 8-spd"),
            ("Automatic (L4)", "Automatic 4-spd"),
            ("Automatic (A1)", "Automatic 1-spd"),
            ("Automatic (AM-S7)", "Automated manual 7-spd"),
            ("Automatic (AM6)", "Automated manual 6-spd"),
            ("Automatic (AV-S10)", "CVT"),
            ("Automatic (variable gear ratios)", "CVT"),
            ("Manual 4-spd Doubled", "Manual 4-spd Doubled"),
            ("Automatic (new)", "Automatic (new)"),
        ];
        for (text, expected) in cases {
            assert_eq!(transmission(text), expected, "{text}");
        }
    }

    #[test]
    fn a_base_model_of_one_letter_is_told_apart_by_its_models() {
        for (base, model, name) in
            [("M", "M3 Sedan", "M3"), ("M", "X5 M", "X5"), ("3", "3 4-Door", "3"), ("Z", "Z Nismo", "Z")]
        {
            assert_eq!(base_model_name(base, model), name);
        }
    }
}
