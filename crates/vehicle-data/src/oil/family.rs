use std::fmt;

use serde::Deserialize;

use super::model_pattern::is_of;
use super::{Energy, EngineTraits, Induction};

/// An engine family: which vehicles have it, and what they take.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// As people tell it apart: `Toyota 2.5 (2AR-FE)`.
    pub name: String,
    /// Names of this very engine that an owner might type: `2AR-FE`, `Coyote`.
    #[serde(default)]
    pub codes: Vec<String>,
    /// Makes that sell it, as EPA spells them.
    pub makes: Vec<String>,
    /// First words of the models that have it; empty for every model of the makes.
    #[serde(default)]
    pub models: Vec<String>,
    /// First words of models that have another engine of this size.
    #[serde(default)]
    pub not_models: Vec<String>,
    /// Displacement in tenths of a litre.
    pub displacement_dl: u16,
    /// Number of cylinders.
    pub cylinders: u8,
    /// How it gets its air.
    #[serde(default = "natural")]
    pub induction: Induction,
    /// What it runs on, alone or with an electric motor.
    #[serde(default = "petrol")]
    pub energies: Vec<Energy>,
    /// First and last model year for which the values hold.
    pub years: [u16; 2],
    /// What the values rest on, where a value does not name its own.
    pub basis: String,
    /// Viscosity, as on the bottle.
    pub grade: Option<Text>,
    /// The quality that the maker asks for.
    pub standard: Option<Text>,
    /// Amount with a new filter; the first that fits the model counts.
    #[serde(default)]
    pub capacity: Vec<Capacity>,
    /// How often.
    pub interval: Option<Interval>,
    /// Filters by maker and number.
    #[serde(default)]
    pub filter: Vec<Text>,
    /// What else an owner should know.
    pub note: Option<String>,
}

/// A value in words.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// The value.
    pub value: String,
    /// How sure we are that it is the maker's, 0 to 1.
    pub confidence: f64,
    /// What it rests on, where that is not the basis of the family.
    pub basis: Option<String>,
}

/// An amount of oil.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// US quarts, with a new filter.
    pub quarts: f64,
    /// How sure we are that it is the maker's, 0 to 1.
    pub confidence: f64,
    /// First words of the models that take this much; empty for all.
    #[serde(default)]
    pub models: Vec<String>,
    /// First and last model year, where these are not those of the family.
    pub years: Option<[u16; 2]>,
}

/// How often the maker asks for a change, in normal use.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Miles.
    pub miles: Option<u32>,
    /// Months.
    pub months: Option<u16>,
    /// Whether the vehicle itself says when, with the two numbers as the latest moment.
    #[serde(default)]
    pub monitor: bool,
    /// How sure we are that it is the maker's, 0 to 1.
    pub confidence: f64,
}

/// When the next change is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeInterval {
    /// Miles from one change to the next.
    pub miles: Option<u32>,
    /// Months from one change to the next, whichever comes first.
    pub months: Option<u16>,
    /// Whether the vehicle itself says when, with the two numbers as the latest moment.
    pub has_monitor: bool,
}

fn natural() -> Induction {
    Induction::Natural
}

fn petrol() -> Vec<Energy> {
    vec![Energy::Petrol]
}

impl Family {
    /// Whether vehicles with this name have an engine of this family.
    ///
    /// `make` in EPA's spelling, in any case.
    pub fn is_in(&self, make: &str, model: &str, year: u16) -> bool {
        self.makes.iter().any(|name| name.eq_ignore_ascii_case(make))
            && (self.years[0]..=self.years[1]).contains(&year)
            && (self.models.is_empty() || self.models.iter().any(|pattern| is_of(pattern, model)))
            && !self.not_models.iter().any(|pattern| is_of(pattern, model))
    }

    /// How well an engine with these traits fits, higher is better; `None` if it contradicts.
    ///
    /// For missing traits the usual meaning is preferred: an engine without further words is a petrol engine
    /// without a turbocharger, if there is one.
    pub(super) fn fit(&self, traits: &EngineTraits) -> Option<u32> {
        let contradicts = traits.displacement_dl.is_some_and(|tenths| tenths != self.displacement_dl)
            || traits.cylinders.is_some_and(|cylinders| cylinders != self.cylinders)
            || traits.induction.is_some_and(|induction| induction != self.induction)
            || traits.energy.is_some_and(|energy| !self.runs_on(energy));
        if contradicts {
            return None;
        }
        // Known traits were compared above; only missing ones are guessed here.
        let is_plain = traits.energy.is_some() || self.energies.contains(&Energy::Petrol);
        let is_natural = traits.induction.is_some() || self.induction == Induction::Natural;
        let names_models = !self.models.is_empty();
        Some(
            // Powers of two: each criterion outweighs all later ones together.
            8 * u32::from(self.is_named(traits))
                + 4 * u32::from(is_plain)
                + 2 * u32::from(is_natural)
                + u32::from(names_models),
        )
    }

    /// Whether the text contains the code of this engine, as one word or two: `2AR-FE`, `L83`, `Coyote`.
    pub(super) fn is_named(&self, traits: &EngineTraits) -> bool {
        self.codes.iter().any(|code| {
            let code: String = code.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
            // `2AR-FE` is two words of the text, since a hyphen separates words.
            traits.words.contains(&code) || traits.words.windows(2).any(|pair| pair.concat() == code)
        })
    }

    fn runs_on(&self, energy: Energy) -> bool {
        // An engine for gas is the petrol engine with other injectors.
        let energy = if energy == Energy::Gas { Energy::Petrol } else { energy };
        self.energies.contains(&energy)
    }

    /// The amount for a vehicle with any of these names, in this year.
    pub(super) fn capacity_for(&self, models: &[&str], year: u16) -> Option<&Capacity> {
        let is_for = |pattern: &String| models.iter().any(|model| is_of(pattern, model));
        // The first match: the file lists special models before the general case.
        self.capacity.iter().find(|capacity| {
            (capacity.models.is_empty() || capacity.models.iter().any(is_for))
                && capacity.years.is_none_or(|[first, last]| (first..=last).contains(&year))
        })
    }
}

impl From<&Interval> for ChangeInterval {
    fn from(interval: &Interval) -> Self {
        Self { miles: interval.miles, months: interval.months, has_monitor: interval.monitor }
    }
}

impl fmt::Display for ChangeInterval {
    /// As in `10,000 miles or 12 months, whichever comes first`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let miles = self.miles.map(|miles| {
            if miles >= 1_000 {
                format!("{},{:03} miles", miles / 1_000, miles % 1_000)
            } else {
                format!("{miles} miles")
            }
        });
        let months = self.months.map(|months| format!("{months} months"));
        let limit = match (miles, months) {
            (Some(miles), Some(months)) => format!("{miles} or {months}, whichever comes first"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => String::new(),
        };
        match (self.has_monitor, limit.is_empty()) {
            (true, true) => f.write_str("when the oil life monitor asks"),
            (true, false) => write!(f, "when the oil life monitor asks, at the latest after {limit}"),
            (false, _) => f.write_str(&limit),
        }
    }
}
