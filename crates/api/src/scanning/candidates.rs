//! What else a photograph may show: alternatives, candidate sets, and which view would tell two parts apart.

use partsight_app::PartTypes;
use partsight_domain::{Candidate, Scan};
use serde::Serialize;
use utoipa::ToSchema;

use crate::parts::part_types::PartCategory;
use crate::shop_part_text::ShopPartText;
use crate::wire_enum::wire_enum;

/// Another part type that the photograph may show.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Alternative {
    label: String,
    name: String,
    /// Null if the part type is no longer in the catalogue.
    #[schema(required)]
    category: Option<PartCategory>,
    /// Calibrated probability in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
}

/// Why the answer is a set: the model's own probabilities of the types reach a measured threshold, or people marked the
/// types as look-alikes, which no photograph can distinguish.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SetReason {
    Measured,
    LookAlikes,
}

/// A candidate set: the part types that an answer may be if it is not sure.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CandidateSet {
    reason: SetReason,
    /// Minimum probability that such a set contains the correct type, for photographs of known types like those on
    /// which this was measured. Null where nothing was measured: for look-alikes, for several photographs, and where
    /// feedback has made answers surer or the shop accepts more wrong answers than the model by itself.
    #[schema(required, minimum = 0, maximum = 1, example = 0.95)]
    coverage: Option<f64>,
    /// The labels, the most probable first; includes the best guess.
    #[schema(min_items = 1, max_items = 5)]
    labels: Vec<SetCandidate>,
}

/// A part type of a candidate set, with what distinguishes it from the others.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetCandidate {
    #[serde(flatten)]
    candidate: Alternative,
    /// The newest shop parts of this type, at most three.
    shop_parts: Vec<ShopPartText>,
}

wire_enum!(
    /// The view to photograph next, in this order: the whole part, from the side, the face from the front, both sides,
    /// the markings close up, the connections close up, or beside an object of known size.
    PhotoView from partsight_domain::PhotoView { Whole, Side, Face, BothSides, Marking, Connections, Scale }
);

/// The view that distinguishes the best guess from another part type that is about as probable.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TellingApart {
    /// The labels of the two, in no particular order.
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
