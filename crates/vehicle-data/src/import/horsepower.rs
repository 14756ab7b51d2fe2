//! Rated power, joined through the emission test groups.

use std::collections::{BTreeSet, HashMap};
use std::io::Read;

use super::columns::Table;
use super::vehicles::Vehicle;
use crate::error::SourceFile;
use crate::{ImportError, Propulsion};

/// A test car.
struct Rating {
    displacement_tenths: Option<u16>,
    /// `None` in the years whose lists do not state it.
    cylinders: Option<u8>,
    horsepower: u16,
}

/// The rated power of EPA's test cars.
pub(super) struct Horsepower {
    groups_by_vehicle: HashMap<String, BTreeSet<String>>,
    by_group: HashMap<(u16, String), Vec<Rating>>,
}

impl Horsepower {
    pub(super) fn read(emissions: impl Read, ratings: impl Read) -> Result<Self, ImportError> {
        let mut groups_by_vehicle: HashMap<String, BTreeSet<String>> = HashMap::new();
        Table::new(SourceFile::Emissions, ["id", "efid"], emissions)?.for_each(|line| {
            groups_by_vehicle.entry(line.text(0).to_owned()).or_default().insert(line.text(1).to_owned());
            Ok(())
        })?;
        let mut by_group: HashMap<(u16, String), Vec<Rating>> = HashMap::new();
        let columns = ["year", "test_group", "displacement_l", "cylinders", "rated_hp"];
        Table::new(SourceFile::Horsepower, columns, ratings)?.for_each(|line| {
            let horsepower = line.text(4).parse::<f64>().ok().filter(|power| (1.0..5000.0).contains(power));
            let rating = Rating {
                displacement_tenths: line.displacement_tenths(2)?,
                cylinders: line.cylinders(3)?,
                horsepower: horsepower.ok_or_else(|| line.wrong(4, "a power in horsepower"))?.round() as u16,
            };
            by_group.entry((line.year(0)?, line.text(1).to_owned())).or_default().push(rating);
            Ok(())
        })?;
        Ok(Self { groups_by_vehicle, by_group })
    }

    /// The power of the vehicle, if all test cars of its groups with its engine have the same.
    ///
    /// `None` for hybrids: their rating is that of the engine alone, and would be read as the vehicle's.
    pub(super) fn of(&self, vehicle: &Vehicle) -> Option<u16> {
        if vehicle.propulsion != Propulsion::Combustion {
            return None;
        }
        let groups = self.groups_by_vehicle.get(&vehicle.id)?;
        let mut powers = groups
            .iter()
            .filter_map(|group| self.by_group.get(&(vehicle.year, group.clone())))
            .flatten()
            // A test group may contain cars with different engines, so the engine is compared as well.
            .filter(|rating| {
                rating.displacement_tenths == vehicle.displacement_tenths
                    && (rating.cylinders.is_none() || rating.cylinders == vehicle.cylinders)
            })
            .map(|rating| rating.horsepower);
        let first = powers.next()?;
        // If ratings differ, the power stays unknown: a guess would be shown as a fact.
        powers.all(|power| power == first).then_some(first)
    }
}
