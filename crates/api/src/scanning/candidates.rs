//! What else a photograph may show: alternatives, candidate sets, and which view would tell two parts apart.

use partsight_app::PartTypes;
use partsight_domain::{Candidate, Scan};
use serde::Serialize;
use utoipa::ToSchema;

use crate::parts::part_types::PartCategory;
use crate::shop_part_text::ShopPartText;
use crate::wire_enum::wire_enum;

/// Another part that the photograph may show.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Alternative {
    label: String,
    name: String,
    /// Null for a part that is no longer in the catalogue.
    #[schema(required)]
    category: Option<PartCategory>,
    /// Calibrated probability in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
}

/// Why an answer is one of several types: their probabilities reach a threshold that was measured, or people marked them as
/// look-alikes, between which no picture decides.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SetReason {
    Measured,
    LookAlikes,
}

/// The types that an answer which is not sure is one of.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CandidateSet {
    reason: SetReason,
    /// How often such a set holds the right type, at least: for photographs of known types like those that this was
    /// chosen on. Null for look-alikes, of which nothing was measured.
    #[schema(required, minimum = 0, maximum = 1, example = 0.95)]
    coverage: Option<f64>,
    /// The most probable first, the best guess among them.
    #[schema(min_items = 1, max_items = 5)]
    labels: Vec<SetCandidate>,
}

/// A type of a candidate set, with what tells it from the others.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetCandidate {
    #[serde(flatten)]
    candidate: Alternative,
    /// The newest parts of this type in your shop, at most three.
    shop_parts: Vec<ShopPartText>,
}

wire_enum!(
    /// How to take a photograph that shows more of a part: the whole of it, from the side, straight at its face, both
    /// sides, close at its numbers, close at its connections, or beside a thing of known size.
    PhotoView from partsight_domain::PhotoView { Whole, Side, Face, BothSides, Marking, Connections, Scale }
);

/// Which view tells the best guess from another part that the photograph fits about as well.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TellingApart {
    /// The labels of the two, in no order.
    #[schema(example = json!(["cylinder-head", "engine-block"]), min_items = 2, max_items = 2)]
    between: Vec<String>,
    /// Their names, in the order of the labels.
    #[schema(example = json!(["Cylinder Head", "Engine Block"]), min_items = 2, max_items = 2)]
    names: Vec<String>,
    view: PhotoView,
    /// What to look for, one or two sentences.
    #[schema(
        example = "An engine block has whole cylinders to look into; a head has only shallow chambers with valves."
    )]
    sentence: String,
}

pub(crate) fn alternatives(types: &PartTypes, candidates: &[Candidate]) -> Vec<Alternative> {
    candidates
        .iter()
        .map(|candidate| Alternative {
            label: candidate.label.to_string(),
            name: types.name(&candidate.label),
            category: types.category(&candidate.label).map(PartCategory::from),
            confidence: candidate.confidence,
        })
        .collect()
}

pub(super) fn candidate_set(types: &PartTypes, scan: &Scan) -> Option<CandidateSet> {
    let set = scan.receipt.candidate_set.as_ref()?;
    let labels = alternatives(types, &set.candidates).into_iter().zip(&set.candidates);
    let labels = labels.map(|(named, candidate)| SetCandidate {
        candidate: named,
        shop_parts: types.shop_parts(&candidate.label).iter().cloned().map(ShopPartText::from).collect(),
    });
    let reason = if set.is_of_look_alikes() { SetReason::LookAlikes } else { SetReason::Measured };
    Some(CandidateSet { reason, coverage: set.coverage, labels: labels.collect() })
}

pub(super) fn telling_apart(types: &PartTypes, scan: &Scan) -> Vec<TellingApart> {
    // For marked look-alikes a hint is given however low the other's confidence is.
    let set = scan.receipt.candidate_set.as_ref().filter(|set| set.is_of_look_alikes());
    let marked = set.into_iter().flat_map(|set| &set.candidates).filter(|one| one.label != scan.best.label);
    let mut others: Vec<Candidate> =
        marked.map(|one| Candidate { label: one.label.clone(), confidence: scan.best.confidence }).collect();
    // A marked type is usually among the alternatives too, with its own confidence; the entry above takes
    // precedence.
    for other in &scan.alternatives {
        if others.iter().all(|known| known.label != other.label) {
            others.push(other.clone());
        }
    }
    let hints = types.telling_apart(&scan.best, &others).into_iter().map(|hint| TellingApart {
        between: hint.between.iter().map(ToString::to_string).collect(),
        names: hint.between.iter().map(|label| types.name(label)).collect(),
        view: hint.view.into(),
        sentence: hint.sentence.clone(),
    });
    hints.collect()
}
