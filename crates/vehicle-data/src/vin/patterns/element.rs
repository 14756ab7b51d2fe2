//! The elements of patterns and their normalised values.

use std::fmt::Write;

use crate::vin::details::VinDetails;

/// An element whose value a pattern may state. The order is that of the binary file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Element {
    Model,
    Series,
    Trim,
    Body,
    Doors,
    EngineCode,
    Cylinders,
    DisplacementL,
    DisplacementCc,
    EngineLayout,
    Fuel,
    SecondFuel,
    Turbo,
    Power,
    PowerTo,
    Drive,
    Transmission,
    TransmissionSpeeds,
    Electrification,
    PlantCity,
    PlantState,
    PlantCountry,
    Restraint,
}

impl Element {
    pub(super) const ALL: [Self; 23] = [
        Self::Model,
        Self::Series,
        Self::Trim,
        Self::Body,
        Self::Doors,
        Self::EngineCode,
        Self::Cylinders,
        Self::DisplacementL,
        Self::DisplacementCc,
        Self::EngineLayout,
        Self::Fuel,
        Self::SecondFuel,
        Self::Turbo,
        Self::Power,
        Self::PowerTo,
        Self::Drive,
        Self::Transmission,
        Self::TransmissionSpeeds,
        Self::Electrification,
        Self::PlantCity,
        Self::PlantState,
        Self::PlantCountry,
        Self::Restraint,
    ];

    /// The element with this id in vPIC's table `Element`; `None` for those that we do not use.
    pub(super) fn of_vpic(id: i64) -> Option<Self> {
        Some(match id {
            28 => Self::Model,
            34 => Self::Series,
            38 => Self::Trim,
            5 => Self::Body,
            14 => Self::Doors,
            18 => Self::EngineCode,
            9 => Self::Cylinders,
            13 => Self::DisplacementL,
            11 => Self::DisplacementCc,
            64 => Self::EngineLayout,
            24 => Self::Fuel,
            66 => Self::SecondFuel,
            135 => Self::Turbo,
            71 => Self::Power,
            125 => Self::PowerTo,
            15 => Self::Drive,
            37 => Self::Transmission,
            63 => Self::TransmissionSpeeds,
            126 => Self::Electrification,
            31 => Self::PlantCity,
            77 => Self::PlantState,
            75 => Self::PlantCountry,
            121 => Self::Restraint,
            _ => return None,
        })
    }

    /// vPIC's weight, by which it chooses between two possible model years: column `weight` of its table `Element`.
    pub(super) fn weight(self) -> u32 {
        match self {
            Self::Model | Self::Body | Self::PlantCountry => 99,
            Self::DisplacementCc | Self::DisplacementL | Self::PlantCity | Self::PlantState => 98,
            Self::Fuel => 91,
            Self::Cylinders => 88,
            Self::Series | Self::Trim => 61,
            Self::EngineCode => 55,
            _ => 0,
        }
    }

    /// The normalised value of this element; `None` for a text without information.
    pub(super) fn plain(self, text: &str) -> Option<String> {
        // vPIC's texts have stray and double spaces, which would make equal values different.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() || ["not applicable", "tbd", "n/a"].contains(&text.to_lowercase().as_str()) {
            return None;
        }
        match self {
            Self::Doors | Self::Cylinders | Self::TransmissionSpeeds => {
                text.parse::<u8>().ok().filter(|n| *n > 0).map(|n| n.to_string())
            }
            // Both become whole cubic centimetres, so that either can be used.
            Self::DisplacementL => cubic_centimetres(&text, 1000.0),
            Self::DisplacementCc => cubic_centimetres(&text, 1.0),
            Self::Power | Self::PowerTo => {
                let power = text.parse::<f64>().ok().filter(|power| (1.0..10_000.0).contains(power))?;
                Some((power.round() as u16).to_string())
            }
            Self::Body => Some(body(&text).to_owned()),
            Self::Drive => drive(&text).map(str::to_owned),
            Self::Transmission => {
                Some(text.strip_suffix("/Standard").map_or_else(|| text.clone(), str::to_owned))
            }
            Self::PlantCity | Self::PlantState | Self::PlantCountry => Some(place(&text)),
            _ => Some(text),
        }
    }

    /// Sets this detail to a value that [`plain`](Self::plain) wrote.
    pub(super) fn set(self, details: &mut VinDetails, text: &str) {
        let own = || Some(text.to_owned());
        match self {
            Self::Series => details.series = own(),
            Self::Trim => details.trim = own(),
            Self::Body => details.body = own(),
            Self::Doors => details.doors = text.parse().ok(),
            Self::EngineCode => details.engine_code = own(),
            Self::Cylinders => details.cylinders = text.parse().ok(),
            Self::DisplacementL => details.displacement_cc = text.parse().ok(),
            Self::EngineLayout => details.engine_layout = own(),
            Self::Fuel => details.fuel = own(),
            Self::SecondFuel => details.second_fuel = own(),
            Self::Turbo => details.turbocharged = Some(text == "Yes"),
            Self::Power => details.power_hp = text.parse().ok(),
            Self::Drive => details.drive = own(),
            Self::Transmission => details.transmission = own(),
            Self::TransmissionSpeeds => details.transmission_speeds = text.parse().ok(),
            Self::Electrification => details.electrification = own(),
            Self::PlantCity => details.plant_city = own(),
            Self::PlantState => details.plant_state = own(),
            Self::PlantCountry => details.plant_country = own(),
            Self::Restraint => details.restraint = own(),
            // Not set directly: see `VinPatterns::said`.
            Self::Model | Self::PowerTo | Self::DisplacementCc => {}
        }
    }
}

fn cubic_centimetres(text: &str, factor: f64) -> Option<String> {
    let cc = text.parse::<f64>().ok()? * factor;
    (1.0..100_000.0).contains(&cc).then(|| (cc.round() as u32).to_string())
}

/// The common name if vPIC lists several.
fn body(text: &str) -> &str {
    match text {
        "Convertible/Cabriolet" => "Convertible",
        "Crossover Utility Vehicle (CUV)" => "Crossover",
        "Hatchback/Liftback/Notchback" => "Hatchback",
        "Sedan/Saloon" => "Sedan",
        "Sport Utility Vehicle (SUV)/Multi-Purpose Vehicle (MPV)"
        | "Sport Utility Vehicle [SUV]/Multipurpose Vehicle [MPV]" => "SUV",
        "Sport Utility Truck (SUT)" => "Sport Utility Truck",
        other => other,
    }
}

/// In EPA's words; `None` if the value does not determine which wheels are driven.
fn drive(text: &str) -> Option<&str> {
    match text {
        "2WD/4WD" | "Other" | "Glider" => None,
        "4WD/4-Wheel Drive/4x4" => Some("4-Wheel Drive"),
        "4x2" => Some("2-Wheel Drive"),
        "AWD/All-Wheel Drive" => Some("All-Wheel Drive"),
        "FWD/Front-Wheel Drive" => Some("Front-Wheel Drive"),
        "RWD/Rear-Wheel Drive" => Some("Rear-Wheel Drive"),
        axles => Some(axles),
    }
}

/// Capitalises words: `EL SALTO` becomes `El Salto`, and `UNITED STATES (USA)` becomes `United States`.
fn place(text: &str) -> String {
    let text = text.strip_suffix("(USA)").unwrap_or(text).trim_end();
    if text.chars().any(char::is_lowercase) {
        return text.to_owned();
    }
    let mut place = String::with_capacity(text.len());
    let mut is_inside_word = false;
    for character in text.chars() {
        if is_inside_word {
            place.extend(character.to_lowercase());
        } else {
            let _ = write!(place, "{character}");
        }
        is_inside_word = character.is_alphanumeric() || character == '\'';
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_the_product_writes_them() {
        for (element, text, plain) in [
            (Element::Cylinders, "4", Some("4")),
            (Element::Cylinders, "TBD", None),
            (Element::Doors, "0", None),
            (Element::DisplacementL, "2.998832712", Some("2999")),
            (Element::DisplacementL, "3", Some("3000")),
            (Element::DisplacementCc, "249", Some("249")),
            (Element::DisplacementCc, "0", None),
            (Element::DisplacementL, "1e300", None),
            (Element::DisplacementL, "NaN", None),
            (Element::Power, "240.5", Some("241")),
            (Element::Power, "-1", None),
            (Element::Body, "Sedan/Saloon", Some("Sedan")),
            (Element::Drive, "AWD/All-Wheel Drive", Some("All-Wheel Drive")),
            (Element::Drive, "2WD/4WD", None),
            (Element::Transmission, "Manual/Standard", Some("Manual")),
            (Element::PlantCity, "EL SALTO", Some("El Salto")),
            (Element::PlantCity, "St. Thomas", Some("St. Thomas")),
            (Element::PlantCountry, "UNITED STATES (USA)", Some("United States")),
            (Element::Restraint, "Front:\r\n Seat  Belt", Some("Front: Seat Belt")),
            (Element::Trim, " Not Applicable ", None),
            (Element::Trim, "", None),
        ] {
            assert_eq!(element.plain(text).as_deref(), plain, "{element:?} {text}");
        }
    }

    #[test]
    fn the_order_of_the_file_is_that_of_the_elements() {
        assert!(Element::ALL.is_sorted());
        for (index, element) in Element::ALL.iter().enumerate() {
            assert_eq!(*element as usize, index);
        }
    }
}
