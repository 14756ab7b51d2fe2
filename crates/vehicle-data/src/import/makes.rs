//! Facts about makes that EPA's list does not have: country and other names.

use std::collections::HashMap;

use serde::Deserialize;

use crate::ImportError;
use crate::names::key;

const TABLE: &str = include_str!("../../data/makes.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Names of makes by country.
    country: HashMap<String, Vec<String>>,
    /// Other names by make.
    aliases: HashMap<String, Vec<String>>,
}

/// Countries and other names by the key of the make.
pub(super) struct Makes {
    countries: HashMap<String, String>,
    aliases: HashMap<String, Vec<String>>,
}

impl Makes {
    pub(super) fn embedded() -> Result<Self, ImportError> {
        let file: File =
            toml::from_str(TABLE).map_err(|source| ImportError::Makes { source: Box::new(source) })?;
        let countries = file
            .country
            .into_iter()
            // The file lists makes by country, which is easier to check; lookups are by make.
            .flat_map(|(country, makes)| makes.into_iter().map(move |make| (key(&make), country.clone())))
            .collect();
        let aliases = file.aliases.into_iter().map(|(make, names)| (key(&make), names)).collect();
        Ok(Self { countries, aliases })
    }

    pub(super) fn of(&self, make_key: &str) -> (Option<String>, Vec<String>) {
        (self.countries.get(make_key).cloned(), self.aliases.get(make_key).cloned().unwrap_or_default())
    }
}
