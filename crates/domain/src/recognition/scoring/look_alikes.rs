//! Part types that people marked as look-alikes, which a photograph alone cannot tell apart.

use std::collections::BTreeSet;

use super::CandidateSet;
use crate::recognition::Candidate;
use crate::{InvalidInput, PartLabel, messages};

/// An unordered pair of part types that look alike; each is taught or a class of the model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LookAlikePair {
    /// Sorted, so that a pair is the same in either order.
    labels: [PartLabel; 2],
}

impl LookAlikePair {
    /// A pair of two types.
    ///
    /// # Errors
    /// [`InvalidInput`] of `other` if both are the same type.
    pub fn new(one: PartLabel, other: PartLabel) -> Result<Self, InvalidInput> {
        if one == other {
            return Err(InvalidInput::new("other", messages::LOOK_ALIKE_OF_ITSELF));
        }
        let mut labels = [one, other];
        // Sorted, so that a pair is one row and one entry of a set.
        labels.sort_unstable();
        Ok(Self { labels })
    }

    /// Both labels, sorted.
    pub fn labels(&self) -> &[PartLabel; 2] {
        &self.labels
    }

    /// The other one of the two; `None` for a type that is neither.
    pub fn partner_of(&self, label: &PartLabel) -> Option<&PartLabel> {
        match &self.labels {
            [one, other] if one == label => Some(other),
            [one, other] if other == label => Some(one),
            _ => None,
        }
    }
}

/// All pairs that apply to a scan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LookAlikes {
    pairs: BTreeSet<LookAlikePair>,
}

impl FromIterator<LookAlikePair> for LookAlikes {
    fn from_iter<I: IntoIterator<Item = LookAlikePair>>(pairs: I) -> Self {
        Self { pairs: pairs.into_iter().collect() }
    }
}

impl Extend<LookAlikePair> for LookAlikes {
    fn extend<I: IntoIterator<Item = LookAlikePair>>(&mut self, pairs: I) {
        self.pairs.extend(pairs);
    }
}

impl LookAlikes {
    /// The types that are marked as look-alikes of this one, sorted by label. Marks are not transitive: a
    /// look-alike of a look-alike only counts if it is marked itself.
    pub fn partners_of<'a>(&'a self, label: &'a PartLabel) -> impl Iterator<Item = &'a PartLabel> {
        // Not transitive, because chains would join half of a catalogue.
        self.pairs.iter().filter_map(move |pair| pair.partner_of(label))
    }

    /// Whether two types are marked as look-alikes.
    pub fn are_marked(&self, one: &PartLabel, other: &PartLabel) -> bool {
        self.partners_of(one).any(|partner| partner == other)
    }

    /// The best guess with its look-alikes as a candidate set; `None` if it has none. `confidence_of` is the
    /// probability of a type in 0..=1.
    ///
    /// The best guess is first, then the others, the most probable first; of more than [`CandidateSet::MOST`] the least
    /// probable are left out.
    pub fn set_of(
        &self,
        best: &Candidate,
        confidence_of: impl Fn(&PartLabel) -> f32,
    ) -> Option<CandidateSet> {
        let mut partners: Vec<Candidate> = self
            .partners_of(&best.label)
            .map(|label| Candidate { label: label.clone(), confidence: confidence_of(label) })
            .collect();
        partners.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        // One place is the best guess's own.
        partners.truncate(CandidateSet::MOST - 1);
        if partners.is_empty() {
            return None;
        }
        let candidates = [best.clone()].into_iter().chain(partners).collect();
        Some(CandidateSet { coverage: None, is_unmeasured: false, candidates })
    }

    /// Adds the look-alikes of its types to a measured set, because if one of two is possible, so is the other. Adding
    /// types cannot lower the coverage. `None` for more than [`CandidateSet::MOST`] types.
    pub(super) fn complete(
        &self,
        mut set: CandidateSet,
        confidence_of: impl Fn(&PartLabel) -> f32,
    ) -> Option<CandidateSet> {
        let mut missing: Vec<Candidate> = Vec::new();
        let partners = set.candidates.iter().flat_map(|candidate| self.partners_of(&candidate.label));
        for partner in partners {
            let mut named = set.candidates.iter().chain(&missing);
            if named.all(|candidate| candidate.label != *partner) {
                missing.push(Candidate { label: partner.clone(), confidence: confidence_of(partner) });
            }
        }
        missing.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        set.candidates.extend(missing);
        (set.candidates.len() <= CandidateSet::MOST).then_some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> PartLabel {
        PartLabel::new(text).unwrap()
    }

    fn pair(one: &str, other: &str) -> LookAlikePair {
        LookAlikePair::new(label(one), label(other)).unwrap()
    }

    #[test]
    fn a_pair_has_no_order_and_two_different_types() {
        assert_eq!(pair("rim", "hub-cap"), pair("hub-cap", "rim"));
        assert_eq!(pair("rim", "hub-cap").labels(), &[label("hub-cap"), label("rim")]);
        assert_eq!(pair("rim", "hub-cap").partner_of(&label("rim")), Some(&label("hub-cap")));
        assert_eq!(pair("rim", "hub-cap").partner_of(&label("piston")), None);
        let itself = LookAlikePair::new(label("rim"), label("rim")).unwrap_err();
        assert_eq!((itself.field, itself.message.as_str()), ("other", messages::LOOK_ALIKE_OF_ITSELF));
    }

    #[test]
    fn the_set_of_a_type_has_its_own_partners_alone_the_most_probable_first() {
        let marks: LookAlikes =
            [pair("rim", "hub-cap"), pair("spare", "rim"), pair("spare", "jack")].into_iter().collect();
        assert!(marks.are_marked(&label("hub-cap"), &label("rim")));
        assert!(!marks.are_marked(&label("hub-cap"), &label("spare")), "marks do not add up");
        let set = |best: &str, confidences: &[(&str, f32)]| {
            let of = |wanted: &PartLabel| {
                confidences.iter().find(|(name, _)| *name == wanted.as_str()).map_or(0.0, |(_, found)| *found)
            };
            let best = Candidate { label: label(best), confidence: of(&label(best)) };
            let set = marks.set_of(&best, of)?;
            assert_eq!(set.coverage, None, "nothing was measured");
            Some(set.candidates.into_iter().map(|candidate| candidate.label.to_string()).collect::<Vec<_>>())
        };
        let shares = [("rim", 0.5), ("spare", 0.3), ("hub-cap", 0.1), ("jack", 0.1)];
        let cases: [(&str, Option<&[&str]>); 4] = [
            ("rim", Some(&["rim", "spare", "hub-cap"])),
            ("hub-cap", Some(&["hub-cap", "rim"])),
            ("jack", Some(&["jack", "spare"])),
            ("piston", None),
        ];
        for (best, expected) in cases {
            let expected = expected.map(|labels| labels.iter().map(ToString::to_string).collect());
            assert_eq!(set(best, &shares), expected, "{best}");
        }
    }

    #[test]
    fn a_set_has_five_types_at_most() {
        let others = ["a", "b", "c", "d", "e", "f"];
        let marks: LookAlikes = others.iter().map(|other| pair("rim", other)).collect();
        let best = Candidate { label: label("rim"), confidence: 0.4 };
        let confidence_of = |wanted: &PartLabel| if *wanted == label("f") { 0.2 } else { 0.0 };
        let found = marks.set_of(&best, confidence_of).unwrap().candidates;
        assert_eq!(found.len(), CandidateSet::MOST);
        assert_eq!(found[1].label, label("f"));
    }
}
