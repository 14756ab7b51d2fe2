//! The regions of a scan whose photograph shows several parts.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::recognition::{Candidate, MAX_REGIONS, RegionBox, Verdict};
use crate::{InvalidInput, PartLabel};

/// A part on the photograph, with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScanRegion {
    /// Where.
    pub area: RegionBox,
    /// How sure the answer is; [`Verdict::NotAPart`] for a region that shows none.
    pub verdict: Verdict,
    /// The best guess.
    pub best: Candidate,
    /// How surely the region shows one of the known types, in 0..=1.
    pub known_score: f32,
    /// The next best, most probable first.
    pub alternatives: Vec<Candidate>,
    /// The type by feedback; `None` without feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<PartLabel>,
}

impl ScanRegion {
    /// The type that counts: by feedback, else the best guess; `None` if it shows no part.
    pub fn counts_as(&self) -> Option<&PartLabel> {
        let guess = Some(&self.best.label).filter(|_| self.verdict != Verdict::NotAPart);
        self.label.as_ref().or(guess)
    }

    /// Whether the type that counts is sure: by feedback, or by a sure answer.
    pub fn is_sure(&self) -> bool {
        self.label.is_some() || self.verdict == Verdict::Identified
    }
}

/// The parts on the photograph of a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanRegions {
    /// At most [`MAX_REGIONS`], in the order of their numbers.
    pub regions: Vec<ScanRegion>,
    /// When they were last found or marked.
    pub changed_at: Timestamp,
}

/// Number of parts of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionTotal {
    /// The type.
    pub label: PartLabel,
    /// Number of parts.
    pub count: usize,
    /// Number of those that are not sure.
    pub n_unsure: usize,
}

impl ScanRegions {
    /// The types on the photograph, the most frequent first, ties by label.
    pub fn totals(&self) -> Vec<RegionTotal> {
        let mut counts: BTreeMap<&PartLabel, (usize, usize)> = BTreeMap::new();
        for region in &self.regions {
            if let Some(label) = region.counts_as() {
                let (count, n_unsure) = counts.entry(label).or_default();
                *count += 1;
                *n_unsure += usize::from(!region.is_sure());
            }
        }
        let total = |(label, (count, n_unsure)): (&PartLabel, _)| RegionTotal {
            label: label.clone(),
            count,
            n_unsure,
        };
        let mut totals: Vec<RegionTotal> = counts.into_iter().map(total).collect();
        totals.sort_by_key(|total| std::cmp::Reverse(total.count));
        totals
    }
}

/// A region marked by a person.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedRegion {
    /// Where.
    pub area: RegionBox,
    /// Its type, if the person stated it.
    pub label: Option<PartLabel>,
}

impl MarkedRegion {
    /// Checks a list of regions.
    ///
    /// # Errors
    /// For more than [`MAX_REGIONS`], or two regions at the same place.
    pub fn check_list(regions: &[Self]) -> Result<(), InvalidInput> {
        if regions.len() > MAX_REGIONS {
            let message = format!(
                "There are {} boxes; a photo can have at most {MAX_REGIONS}. Please delete some.",
                regions.len()
            );
            return Err(InvalidInput::new("regions", message));
        }
        for (index, region) in regions.iter().enumerate() {
            // Two boxes at the same place would count a part twice.
            let same = regions[..index].iter().position(|other| other.area.is_same(region.area));
            if let Some(same) = same {
                let message = format!(
                    "Boxes {} and {} are in the same place. Please delete one of them.",
                    same + 1,
                    index + 1
                );
                return Err(InvalidInput::new("regions", message));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> PartLabel {
        PartLabel::new(text).unwrap()
    }

    fn region(verdict: Verdict, guess: &str, said: Option<&str>) -> ScanRegion {
        ScanRegion {
            area: RegionBox::WHOLE,
            verdict,
            best: Candidate { label: label(guess), confidence: 0.5 },
            known_score: 0.5,
            alternatives: Vec::new(),
            label: said.map(label),
        }
    }

    #[test]
    fn parts_are_counted_by_type_and_guesses_are_told() {
        let regions = vec![
            region(Verdict::Identified, "rim", None),
            region(Verdict::NotSure, "brake-rotor", None),
            region(Verdict::NotSure, "rim", Some("brake-rotor")),
            region(Verdict::NotAPart, "battery", None),
            region(Verdict::NotAPart, "battery", Some("muffler")),
        ];
        let totals = ScanRegions { regions, changed_at: Timestamp::UNIX_EPOCH }.totals();
        let totals: Vec<_> =
            totals.iter().map(|total| (total.label.as_str(), total.count, total.n_unsure)).collect();
        assert_eq!(totals, [("brake-rotor", 2, 1), ("muffler", 1, 0), ("rim", 1, 0)]);
    }

    #[test]
    fn a_list_has_a_limit_and_no_box_twice() {
        let marked =
            |left| MarkedRegion { area: RegionBox::new([left, 0.0, 0.05, 0.05], 1).unwrap(), label: None };
        let many: Vec<_> = (0..MAX_REGIONS).map(|at| marked(at as f32 * 0.04)).collect();
        assert_eq!(MarkedRegion::check_list(&many), Ok(()));
        let error = MarkedRegion::check_list(&[many, vec![marked(0.9)]].concat()).unwrap_err();
        assert!(error.message.contains("21 boxes") && error.message.contains("at most 20"), "{error:?}");
        let error = MarkedRegion::check_list(&[marked(0.1), marked(0.5), marked(0.1)]).unwrap_err();
        assert!(error.message.starts_with("Boxes 1 and 3"), "{error:?}");
    }

    #[test]
    fn a_region_that_nobody_spoke_of_is_kept_without_a_word() {
        let one = region(Verdict::NotSure, "rim", None);
        let text = serde_json::to_string(&one).unwrap();
        assert!(!text.contains("null"), "{text}");
        assert_eq!(serde_json::from_str::<ScanRegion>(&text).unwrap(), one);
    }
}
