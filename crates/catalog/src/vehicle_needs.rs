//! What a vehicle must have if it has a part of some type.

use std::collections::HashMap;

use partsight_domain::{Category, PartLabel, PartType, VehicleNeed};
use serde::Deserialize;

use crate::Error;

const FILE: &str = "vehicle-needs.toml";
const EMBEDDED: &str = include_str!("../data/vehicle-needs.toml");

/// The table of `data/vehicle-needs.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct VehicleNeeds {
    categories: HashMap<Category, VehicleNeed>,
    part_types: HashMap<PartLabel, Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
// `nothing` in the file exempts a type from the rule of its category, which a missing entry would not.
enum Entry {
    Need(VehicleNeed),
    Nothing(Nothing),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Nothing {
    Nothing,
}

impl VehicleNeeds {
    pub(crate) fn embedded() -> Result<Self, Error> {
        toml::from_str(EMBEDDED).map_err(|source| Error::Parse { file: FILE, source: Box::new(source) })
    }

    /// What a part type needs; its own entry takes precedence over that of its category.
    pub(crate) fn of(&self, part_type: &PartType) -> Option<VehicleNeed> {
        match self.part_types.get(&part_type.label) {
            Some(Entry::Need(need)) => Some(*need),
            Some(Entry::Nothing(_)) => None,
            None => self.categories.get(&part_type.category).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalog;

    #[test]
    fn an_own_entry_comes_before_that_of_the_category() {
        let needs = VehicleNeeds::embedded().unwrap();
        let catalog = Catalog::embedded().unwrap();
        let piston = catalog.get(&PartLabel::new("piston").unwrap()).unwrap();
        let need =
            |label: &str| needs.of(&PartType { label: PartLabel::new(label).unwrap(), ..piston.clone() });
        assert_eq!(need("piston"), Some(VehicleNeed::Engine));
        assert_eq!(need("glow-plug"), Some(VehicleNeed::Diesel));
        assert_eq!(need("engine-mount"), None, "although it is of the category");
    }
}
