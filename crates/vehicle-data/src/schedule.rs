//! The default maintenance schedule: services of a vehicle and their intervals.
//!
//! The intervals are common ones, each with a sentence about its source; the owner's manual takes precedence. They
//! are data (`data/schedule.toml`); this module decides to which vehicles they apply.

mod profile;

use std::sync::OnceLock;

use serde::Deserialize;

pub use profile::{Drive, ServiceProfile, Transmission};

use crate::oil::{Energy, Induction};

const FILE: &str = include_str!("../data/schedule.toml");

/// One thing that is due again and again.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleItem {
    /// Kebab-case, stable: `engine-oil`.
    pub id: String,
    /// As people call it.
    pub name: String,
    /// Miles from one time to the next; at least one of the two intervals is there.
    pub interval_miles: Option<u32>,
    /// Months from one time to the next.
    pub interval_months: Option<u16>,
    /// Where the interval comes from, in a sentence or two.
    pub basis: String,
    #[serde(default)]
    applies: Applies,
}

/// Which vehicles an item is for. A blank list asks nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Applies {
    /// One of these; a vehicle of which nothing is known counts as petrol, as most are.
    energies: Vec<Energy>,
    /// One of these; an unknown transmission counts as automatic, as most are.
    transmissions: Vec<Transmission>,
    /// One of these; an unknown drive is none of them.
    drives: Vec<Drive>,
    /// One of these engines; an engine of which too little is known is none of them.
    engines: Vec<KnownEngine>,
}

/// An engine that is known to have something, such as a timing belt.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownEngine {
    makes: Vec<String>,
    /// Tenths of a litre.
    displacement_dl: u16,
    /// An unknown number counts as this one.
    cylinders: u8,
    /// First and last model year.
    years: [u16; 2],
    /// Petrol unless given.
    #[serde(default)]
    energy: Option<Energy>,
    /// Any unless given; an unknown induction counts as natural.
    #[serde(default)]
    induction: Option<Induction>,
}

impl ScheduleItem {
    /// Whether this item applies to a vehicle with `profile`.
    pub fn applies_to(&self, profile: &ServiceProfile) -> bool {
        let applies = &self.applies;
        let energy = profile.engine.energy.unwrap_or(Energy::Petrol);
        let transmission = profile.transmission.unwrap_or(Transmission::Automatic);
        (applies.energies.is_empty() || applies.energies.contains(&energy))
            && (applies.transmissions.is_empty() || applies.transmissions.contains(&transmission))
            && (applies.drives.is_empty()
                || profile.drive.is_some_and(|drive| applies.drives.contains(&drive)))
            && (applies.engines.is_empty() || applies.engines.iter().any(|engine| engine.is(profile)))
    }
}

impl KnownEngine {
    fn is(&self, profile: &ServiceProfile) -> bool {
        let energy = profile.engine.energy.unwrap_or(Energy::Petrol);
        self.makes.iter().any(|make| make.eq_ignore_ascii_case(profile.make.trim()))
            // The number of cylinders may be unknown, but not the displacement, which distinguishes the engines of
            // a make.
            && profile.engine.displacement_dl == Some(self.displacement_dl)
            && profile.engine.cylinders.is_none_or(|cylinders| cylinders == self.cylinders)
            && profile.year.is_some_and(|year| (self.years[0]..=self.years[1]).contains(&year))
            && energy == self.energy.unwrap_or(Energy::Petrol)
            && self
                .induction
                .is_none_or(|asked| asked == profile.engine.induction.unwrap_or(Induction::Natural))
    }
}

/// All items of the schedule, in the order in which they are shown.
///
/// # Panics
/// Never in a built program: a test reads the embedded file.
pub fn all_items() -> &'static [ScheduleItem] {
    #[derive(Deserialize)]
    struct File {
        item: Vec<ScheduleItem>,
    }
    static ITEMS: OnceLock<Vec<ScheduleItem>> = OnceLock::new();
    ITEMS.get_or_init(|| {
        let file: File = toml::from_str(FILE).expect("BUG: the embedded schedule is read by a test");
        file.item
    })
}

/// The items that apply to a vehicle with `profile`, in the order in which they are shown.
pub fn default_schedule(profile: &ServiceProfile) -> Vec<&'static ScheduleItem> {
    all_items().iter().filter(|item| item.applies_to(profile)).collect()
}
