use std::sync::OnceLock;

use serde::Deserialize;

use super::{EngineTraits, Family};

/// Name and text of each file.
const FILES: [(&str, &str); 20] = [
    ("toyota.toml", include_str!("../../data/oil/toyota.toml")),
    ("toyota-v6-v8.toml", include_str!("../../data/oil/toyota-v6-v8.toml")),
    ("toyota-older.toml", include_str!("../../data/oil/toyota-older.toml")),
    ("honda.toml", include_str!("../../data/oil/honda.toml")),
    ("honda-older.toml", include_str!("../../data/oil/honda-older.toml")),
    ("ford.toml", include_str!("../../data/oil/ford.toml")),
    ("ford-trucks.toml", include_str!("../../data/oil/ford-trucks.toml")),
    ("ford-older.toml", include_str!("../../data/oil/ford-older.toml")),
    ("gm-trucks.toml", include_str!("../../data/oil/gm-trucks.toml")),
    ("gm-cars.toml", include_str!("../../data/oil/gm-cars.toml")),
    ("stellantis.toml", include_str!("../../data/oil/stellantis.toml")),
    ("chrysler-older.toml", include_str!("../../data/oil/chrysler-older.toml")),
    ("nissan.toml", include_str!("../../data/oil/nissan.toml")),
    ("hyundai-kia.toml", include_str!("../../data/oil/hyundai-kia.toml")),
    ("subaru.toml", include_str!("../../data/oil/subaru.toml")),
    ("mazda.toml", include_str!("../../data/oil/mazda.toml")),
    ("volkswagen.toml", include_str!("../../data/oil/volkswagen.toml")),
    ("porsche.toml", include_str!("../../data/oil/porsche.toml")),
    ("bmw.toml", include_str!("../../data/oil/bmw.toml")),
    ("mercedes.toml", include_str!("../../data/oil/mercedes.toml")),
];

/// Why the table cannot be used: always a mistake in a data file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A file is not valid TOML of the expected structure.
    #[error("cannot read the oil table `{file}`")]
    Parse {
        /// The name of the file.
        file: &'static str,
        /// The position and the reason.
        source: Box<toml::de::Error>,
    },
    /// A value breaks a rule.
    #[error("the oil table `{file}`: `{family}`: {rule}")]
    Rule {
        /// The name of the file.
        file: &'static str,
        /// The family.
        family: String,
        /// The rule that does not hold.
        rule: &'static str,
    },
}

/// All engine families with known oil.
#[derive(Debug)]
pub struct OilTable {
    families: Vec<Family>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    family: Vec<Family>,
}

impl OilTable {
    /// Parses and checks the embedded files.
    ///
    /// # Errors
    /// [`TableError`], with the file and the family.
    pub fn parse() -> Result<Self, TableError> {
        let mut families: Vec<Family> = Vec::new();
        for (file, text) in FILES {
            let parsed: File = toml::from_str(text)
                .map_err(|source| TableError::Parse { file, source: Box::new(source) })?;
            for family in &parsed.family {
                // Plausibility rules: the table is written by hand, and a test detects typing errors with them.
                if let Some(rule) = broken_rule(family) {
                    return Err(TableError::Rule { file, family: family.name.clone(), rule });
                }
            }
            families.extend(parsed.family);
        }
        Ok(Self { families })
    }

    /// The embedded table, parsed at the first call.
    ///
    /// # Panics
    /// Never in a built program: a test parses the embedded files.
    pub fn embedded() -> &'static Self {
        static TABLE: OnceLock<OilTable> = OnceLock::new();
        TABLE.get_or_init(|| Self::parse().expect("BUG: the embedded oil table is parsed by a test"))
    }

    /// All families, in the order of the files.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// The families that fit an engine of a vehicle best; `models` are the names of the vehicle. Several if the
    /// traits do not distinguish them, and all if the traits are blank.
    pub(super) fn best(&self, make: &str, models: &[&str], year: u16, traits: &EngineTraits) -> Vec<&Family> {
        // A family for all models of a make matches only if the displacement or the name of the engine is given.
        let is_certain = |family: &Family| {
            !family.models.is_empty() || traits.displacement_dl.is_some() || family.is_named(traits)
        };
        let is_in = |family: &&Family| {
            is_certain(family) && models.iter().any(|model| family.is_in(make, model, year))
        };
        let fits: Vec<(u32, &Family)> = self
            .families
            .iter()
            .filter(is_in)
            .filter_map(|family| Some((family.fit(traits)?, family)))
            .collect();
        let best = fits.iter().map(|(fit, _)| *fit).max();
        // Blank traits distinguish nothing: all families of the vehicle are possible.
        let is_best = |fit: u32| traits.is_blank() || Some(fit) == best;
        fits.into_iter().filter(|(fit, _)| is_best(*fit)).map(|(_, family)| family).collect()
    }
}

/// The rule that `family` breaks, if any.
fn broken_rule(family: &Family) -> Option<&'static str> {
    let confidences = [&family.grade, &family.standard]
        .into_iter()
        .flatten()
        .chain(&family.filter)
        .map(|text| text.confidence)
        .chain(family.capacity.iter().map(|capacity| capacity.confidence))
        .chain(family.interval.iter().map(|interval| interval.confidence));
    let has_value = family.grade.is_some() || !family.capacity.is_empty();
    let interval_holds = family.interval.as_ref().is_none_or(|interval| {
        (interval.monitor || interval.miles.is_some())
            && interval.miles.is_none_or(|miles| (3_000..=20_000).contains(&miles))
            && interval.months.is_none_or(|months| (3..=24).contains(&months))
    });
    let rules = [
        ("the name or the basis is empty", family.name.is_empty() || family.basis.len() < 20),
        ("there is no make", family.makes.is_empty()),
        ("the years are not in order", !(1980..=family.years[1]).contains(&family.years[0])),
        ("the last year is not known yet", family.years[1] > 2026),
        ("the displacement is odd", !(6..=85).contains(&family.displacement_dl)),
        ("the number of cylinders is odd", !(2..=12).contains(&family.cylinders)),
        ("it runs on nothing that needs oil", !family.energies.iter().any(|energy| energy.has_engine_oil())),
        ("it says neither grade nor capacity", !has_value),
        ("the grade is no grade", family.grade.as_ref().is_some_and(|grade| !is_grade(&grade.value))),
        (
            "a capacity is odd",
            family.capacity.iter().any(|capacity| !(2.0..=16.0).contains(&capacity.quarts)),
        ),
        ("the interval is odd", !interval_holds),
        (
            "a confidence is not between 0.5 and 0.99",
            confidences.into_iter().any(|c| !(0.5..=0.99).contains(&c)),
        ),
    ];
    rules.iter().find(|(_, is_broken)| *is_broken).map(|(rule, _)| *rule)
}

/// Whether `text` is a viscosity as the standard SAE J300 writes it: `0W-20`.
fn is_grade(text: &str) -> bool {
    text.split_once("W-").is_some_and(|(cold, hot)| {
        matches!(cold, "0" | "5" | "10" | "15" | "20")
            && matches!(hot, "8" | "12" | "16" | "20" | "30" | "40" | "50" | "60")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(change: impl FnOnce(&mut Family)) -> Option<&'static str> {
        let mut family = OilTable::parse().unwrap().families.swap_remove(0);
        change(&mut family);
        broken_rule(&family)
    }

    #[test]
    fn the_embedded_table_keeps_its_rules() {
        let table = OilTable::parse().unwrap();
        assert!(table.families.len() >= 130, "{}", table.families.len());
        let mut names: Vec<&str> = table.families.iter().map(|family| family.name.as_str()).collect();
        names.sort_unstable();
        let repeated: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(repeated.is_empty(), "{repeated:?}");
    }

    #[test]
    fn a_mistake_in_a_family_is_named() {
        assert_eq!(family(|_| ()), None);
        assert_eq!(family(|family| family.makes.clear()), Some("there is no make"));
        assert_eq!(family(|family| family.years = [2018, 2010]), Some("the years are not in order"));
        assert_eq!(family(|family| family.displacement_dl = 250), Some("the displacement is odd"));
        assert_eq!(family(|family| family.basis = "known".into()), Some("the name or the basis is empty"));
        let grade = |text: &str| {
            family(|family| {
                if let Some(grade) = &mut family.grade {
                    grade.value = text.into();
                }
            })
        };
        assert_eq!(grade("5W-30"), None);
        for text in ["5W30", "W-30", "5W-", "30", "5W-35", "0W-20 or 5W-20", ""] {
            assert_eq!(grade(text), Some("the grade is no grade"), "{text}");
        }
        assert_eq!(
            family(|family| family.capacity.iter_mut().for_each(|capacity| capacity.quarts = f64::NAN)),
            Some("a capacity is odd")
        );
    }
}
