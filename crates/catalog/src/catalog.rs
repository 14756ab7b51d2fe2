use std::collections::BTreeMap;

use partsight_domain::{
    Candidate, PartLabel, PartPosition, PartType, TellingApart, VehicleName, VehicleNeed,
};

use crate::positions::Positions;
use crate::telling_apart::LookAlikes;
use crate::vehicle_needs::VehicleNeeds;
use crate::{Error, Retailers, Supplier};

// `PART_TYPE_FILES: &[(&str, &str)]`: name and content of each file in data/part-types.
include!(concat!(env!("OUT_DIR"), "/part_type_files.rs"));

/// All part types and retailers that Partsight ships, by label.
#[derive(Debug)]
pub struct Catalog {
    part_types: BTreeMap<PartLabel, PartType>,
    retailers: Retailers,
    needs: VehicleNeeds,
    positions: Positions,
    look_alikes: LookAlikes,
}

impl Catalog {
    /// Parses the embedded files.
    pub fn embedded() -> Result<Self, Error> {
        let retailers = Retailers::embedded()?;
        let mut part_types = BTreeMap::new();
        for &(file, text) in PART_TYPE_FILES {
            let part_type: PartType =
                toml::from_str(text).map_err(|source| Error::Parse { file, source: Box::new(source) })?;
            // The label is the key: a copied file with an unchanged label would replace another type.
            if file.strip_suffix(".toml") != Some(part_type.label.as_str()) {
                return Err(Error::MisplacedLabel { file, label: part_type.label.into() });
            }
            if let Some(retailer) =
                part_type.buying.retailers.iter().find(|name| retailers.get(name).is_none())
            {
                return Err(Error::UnknownRetailer {
                    label: part_type.label.to_string(),
                    retailer: retailer.clone(),
                });
            }
            part_types.insert(part_type.label.clone(), part_type);
        }
        Ok(Self {
            part_types,
            retailers,
            needs: VehicleNeeds::embedded()?,
            positions: Positions::embedded()?,
            look_alikes: LookAlikes::embedded()?,
        })
    }

    /// Adds a part type, which replaces one with the same label.
    #[must_use]
    pub fn with(mut self, part_type: PartType) -> Self {
        self.part_types.insert(part_type.label.clone(), part_type);
        self
    }

    /// The part type of this label.
    pub fn get(&self, label: &PartLabel) -> Option<&PartType> {
        self.part_types.get(label)
    }

    /// What a vehicle must have if it has a part of this type; `None` if any vehicle may have it, or it is unknown.
    pub fn vehicle_need(&self, label: &PartLabel) -> Option<VehicleNeed> {
        self.needs.of(self.get(label)?)
    }

    /// Where on a car a part of this type is.
    pub fn position(&self, part_type: &PartType) -> PartPosition {
        let position = self.positions.of(&part_type.label);
        position.unwrap_or_else(|| PartPosition::of_category(part_type.category))
    }

    /// How to distinguish the best guess from those of `others` that are nearly as probable; at most two hints,
    /// often none.
    pub fn telling_apart(&self, best: &Candidate, others: &[Candidate]) -> Vec<&TellingApart> {
        self.look_alikes.among(best, others)
    }

    /// All part types, ordered by label.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &PartType> {
        self.part_types.values()
    }

    /// Where to buy `part_type`: a link to each of its retailers' searches, for `vehicle` if given.
    ///
    /// Retailers with a direct search link come first: the "buy" button uses the first one.
    pub fn suppliers(&self, part_type: &PartType, vehicle: Option<&VehicleName>) -> Vec<Supplier> {
        let retailers = part_type.buying.retailers.iter().filter_map(|name| self.retailers.get(name));
        let mut suppliers: Vec<Supplier> =
            retailers.map(|retailer| retailer.supplier(part_type, vehicle)).collect();
        // A stable sort: otherwise the order of the file, which its author chose, is kept.
        suppliers.sort_by_key(|supplier| supplier.search_url.is_none());
        suppliers
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::Duration;

    use partsight_domain::Category;
    use partsight_test_support::cpu_time;

    use super::*;

    fn sentences(text: &str) -> impl Iterator<Item = String> + '_ {
        text.split_inclusive(['.', '!', '?'])
            .map(|sentence| sentence.trim().to_lowercase())
            .filter(|sentence| sentence.split_whitespace().count() >= 5)
    }

    fn prose(part_type: &PartType) -> Vec<&str> {
        let mut texts = vec![part_type.description.as_str(), part_type.guide.safety.as_str()];
        texts.extend(part_type.guide.steps.iter().map(String::as_str));
        texts.extend(part_type.buying.search_tips.iter().map(String::as_str));
        texts.extend(part_type.buying.common_issues.iter().map(String::as_str));
        texts.extend(part_type.videos.iter().map(|video| video.description.as_str()));
        texts
    }

    #[test]
    fn every_embedded_part_type_parses() {
        let catalog = Catalog::embedded().unwrap();
        assert_eq!(catalog.iter().len(), PART_TYPE_FILES.len());
        assert!(catalog.iter().len() >= 250, "{} part types", catalog.iter().len());
    }

    #[test]
    fn the_files_of_250_types_are_parsed_in_an_instant() {
        let start = cpu_time();
        let files = PART_TYPE_FILES.iter().cycle().take(PART_TYPE_FILES.len().max(250));
        let parsed = files.filter(|(_, text)| toml::from_str::<PartType>(text).is_ok()).count();
        // About 50 ms; every start of the program waits for it.
        let took = cpu_time().saturating_sub(start);
        assert!(parsed >= 250 && took < Duration::from_secs(2), "{parsed} in {took:?}");
    }

    #[test]
    fn no_sentence_serves_two_part_types() {
        let catalog = Catalog::embedded().unwrap();
        let mut seen: HashMap<String, &str> = HashMap::new();
        let mut repeated = Vec::new();
        for part_type in catalog.iter() {
            for sentence in prose(part_type).into_iter().flat_map(sentences) {
                // A text that differs only in the name counts as the same sentence.
                let sentence = sentence.replace(&part_type.name.to_lowercase(), "<part>");
                let first = *seen.entry(sentence.clone()).or_insert(part_type.label.as_str());
                if first != part_type.label.as_str() {
                    repeated.push(format!("{first} and {}: {sentence}", part_type.label));
                }
            }
        }
        assert!(repeated.is_empty(), "{}", repeated.join("\n"));
    }

    #[test]
    fn every_part_type_is_complete() {
        let mut faults = Vec::new();
        for part_type in Catalog::embedded().unwrap().iter() {
            let guide = &part_type.guide;
            let price = &part_type.price;
            let rules = [
                ("name is empty", !part_type.name.is_empty()),
                ("description is short", part_type.description.len() >= 120),
                // The words of a price list or recall are compared in their order.
                ("another name has a comma", part_type.also_known_as.iter().all(|name| !name.contains(','))),
                ("price range is empty", 0 < price.low_usd && price.low_usd < price.high_usd),
                ("price is not dated", price.estimated_on.len() == 7 && price.estimated_on.starts_with("20")),
                ("7 to 12 steps", (7..=12).contains(&guide.steps.len())),
                ("a step is short", guide.steps.iter().all(|step| step.len() >= 40)),
                ("4 to 10 tools", (4..=10).contains(&guide.tools.len())),
                ("safety is short", guide.safety.len() >= 40),
                (
                    "time is empty",
                    0 < guide.time_minutes[0] && guide.time_minutes[0] <= guide.time_minutes[1],
                ),
                ("3 videos", part_type.videos.len() == 3),
                (
                    "a video search lacks the vehicle",
                    part_type.videos.iter().all(|video| video.search_query.contains("{vehicle}")),
                ),
                ("3 to 5 search tips", (3..=5).contains(&part_type.buying.search_tips.len())),
                ("3 to 5 retailers", (3..=5).contains(&part_type.buying.retailers.len())),
                ("3 to 5 common issues", (3..=5).contains(&part_type.buying.common_issues.len())),
            ];
            faults.extend(
                rules
                    .iter()
                    .filter(|(_, holds)| !holds)
                    .map(|(rule, _)| format!("{}: {rule}", part_type.label)),
            );
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn the_vehicle_slot_is_gone_from_every_video_without_a_vehicle() {
        for part_type in Catalog::embedded().unwrap().iter() {
            for video in &part_type.videos {
                let video = video.for_vehicle(None);
                let text = format!("{} | {}", video.title, video.search_query);
                assert!(!text.contains('{') && !text.contains("  "), "{}: {text}", part_type.label);
                for dangling in [" on a", " for", " on your", " in a", " of a", " on", " for a", " the"] {
                    assert!(!video.title.ends_with(dangling), "{}: {}", part_type.label, video.title);
                }
            }
        }
    }

    #[test]
    fn suppliers_that_can_be_searched_by_link_come_first() {
        let catalog = Catalog::embedded().unwrap();
        for part_type in catalog.iter() {
            let suppliers = catalog.suppliers(part_type, None);
            assert_eq!(suppliers.len(), part_type.buying.retailers.len());
            assert!(
                suppliers.is_sorted_by_key(|supplier| supplier.search_url.is_none()),
                "{}",
                part_type.label
            );
        }
    }

    #[test]
    fn a_part_type_needs_what_its_own_entry_or_its_category_says() {
        let catalog = Catalog::embedded().unwrap();
        let need = |label: &str| catalog.vehicle_need(&PartLabel::new(label).unwrap());
        assert_eq!(need("spark-plug"), Some(VehicleNeed::SparkIgnition));
        assert_eq!(need("piston"), Some(VehicleNeed::Engine));
        assert_eq!(need("torque-converter"), Some(VehicleNeed::AutomaticTransmission));
        assert_eq!(need("axle-shaft"), need("driveshaft"));
        assert_eq!((need("brake-pad"), need("no-such-part")), (None, None));
    }

    #[test]
    fn every_category_has_a_part_type() {
        let catalog = Catalog::embedded().unwrap();
        for category in Category::ALL {
            let count = catalog.iter().filter(|part_type| part_type.category == category).count();
            assert!(count >= 1, "{category:?} has no part type");
        }
    }
}
