//! Where on a car each part type is.

use std::collections::HashMap;

use partsight_domain::{PartLabel, PartPosition};

use crate::Error;

const FILE: &str = "positions.toml";
const EMBEDDED: &str = include_str!("../data/positions.toml");

/// The table of `data/positions.toml`, by label.
#[derive(Debug)]
pub(crate) struct Positions(HashMap<PartLabel, PartPosition>);

impl Positions {
    pub(crate) fn embedded() -> Result<Self, Error> {
        // The file lists the types of each position for readability; here it is indexed by type.
        let labels_of: HashMap<PartPosition, Vec<PartLabel>> = toml::from_str(EMBEDDED)
            .map_err(|source| Error::Parse { file: FILE, source: Box::new(source) })?;
        let mut positions = HashMap::new();
        for (position, labels) in labels_of {
            for label in labels {
                if positions.insert(label.clone(), position).is_some() {
                    return Err(Error::RepeatedLabel { file: FILE, label: label.to_string() });
                }
            }
        }
        Ok(Self(positions))
    }

    pub(crate) fn of(&self, label: &PartLabel) -> Option<PartPosition> {
        self.0.get(label).copied()
    }
}

#[cfg(test)]
mod tests {
    use partsight_domain::Category;

    use super::*;
    use crate::Catalog;

    #[test]
    fn every_part_type_has_a_position_of_its_own() {
        let (positions, catalog) = (Positions::embedded().unwrap(), Catalog::embedded().unwrap());
        let without: Vec<_> = catalog
            .iter()
            .map(|part_type| &part_type.label)
            .filter(|label| positions.of(label).is_none())
            .collect();
        assert!(without.is_empty(), "add to {FILE}: {without:?}");
        let general = Category::ALL.map(PartPosition::of_category);
        for (label, position) in &positions.0 {
            assert!(catalog.get(label).is_some(), "{FILE} names {label}, which is no part type");
            assert!(!general.contains(position), "{label} is said to be nowhere in particular");
        }
    }
}
