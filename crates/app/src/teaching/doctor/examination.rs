//! Examines references one by one: what is nearest to each of them among the others.

use std::collections::{BTreeMap, HashMap};

use partsight_catalog::{EmbeddingSpace, ExactIndex, IndexEntry, Neighbour, SearchFilter};
use partsight_domain::{PartLabel, ReferenceId, TenantId};
use partsight_inference::{Fingerprint, ReferenceSimilarities};
use partsight_store::StoredReference;
use uuid::Uuid;

use super::{Confusion, Copy, Diagnosis, LonelyPart, Outlier};
use crate::Result;
use crate::teaching::check::{dot, is_copy};

/// References of a part in the mean similarity to it, as in the measurement of [`ReferenceSimilarities`].
const N_NEAREST: usize = 5;
/// Neighbours that each reference is compared with.
const NEIGHBOURS: usize = 60;
/// Examples of a pair of parts.
const EXAMPLES: usize = 3;

fn index_of(space: EmbeddingSpace, rows: &[(StoredReference, Vec<f32>)]) -> Result<ExactIndex> {
    let index = ExactIndex::new(space)?;
    let entry = |(reference, embedding): &(StoredReference, Vec<f32>)| IndexEntry {
        id: reference.id,
        // The rows are those that may be seen; their owner does not matter here.
        tenant_id: None,
        label: reference.label.clone(),
        category: reference.category,
        kind: reference.kind,
        parts: Vec::new(),
        revision: reference.revision,
        embedding: embedding.clone(),
    };
    index.upsert_blocking(rows.iter().map(entry).collect())?;
    Ok(index)
}

/// References to examine.
pub(super) struct Examination<'a> {
    rows: &'a [(StoredReference, Vec<f32>)],
    index: ExactIndex,
    similarities: ReferenceSimilarities,
}

/// A part near a reference: its mean similarity, and its nearest reference.
struct Near {
    similarity: f32,
    reference: ReferenceId,
}

impl<'a> Examination<'a> {
    /// Of these references, with their embeddings in `space`.
    pub(super) fn new(
        rows: &'a [(StoredReference, Vec<f32>)],
        space: EmbeddingSpace,
        similarities: ReferenceSimilarities,
    ) -> Result<Self> {
        Ok(Self { rows, index: index_of(space, rows)?, similarities })
    }

    /// Examines all, or those before `is_over`, which is asked with the number of those that were examined. `taught`
    /// are the parts that should have references.
    pub(super) fn run(&self, taught: &[PartLabel], is_over: impl Fn(usize) -> bool) -> Result<Diagnosis> {
        let mut groups: BTreeMap<&PartLabel, Vec<usize>> = BTreeMap::new();
        for (row, (reference, _)) in self.rows.iter().enumerate() {
            groups.entry(&reference.label).or_default().push(row);
        }
        let by_id: HashMap<ReferenceId, usize> =
            self.rows.iter().enumerate().map(|(row, (reference, _))| (reference.id, row)).collect();
        let mut found = Diagnosis {
            n_references: self.rows.len(),
            n_parts: groups.len(),
            lonely: lonely(&groups, taught, self.rows),
            ..Diagnosis::default()
        };
        let mut confusions: BTreeMap<[PartLabel; 2], Confusion> = BTreeMap::new();
        let mut copies: BTreeMap<[ReferenceId; 2], Copy> = BTreeMap::new();
        for row in spread(&groups) {
            if is_over(found.n_examined) {
                break;
            }
            found.n_examined += 1;
            let reference = &self.rows[row].0;
            let neighbours = self.neighbours(row)?;
            // A pair that is found from both sides is one entry.
            copies.extend(self.copies(row, &neighbours, &by_id).map(|copy| (copy.references, copy)));
            let Some(own) = self.own_similarity(row, &groups[&reference.label]) else { continue };
            let best = nearest_part(reference, &neighbours);
            found.n_judged += 1;
            let is_right = best.as_ref().is_none_or(|(_, near)| near.similarity <= own);
            found.n_right += usize::from(is_right);
            if let Some((label, near)) = &best
                && near.similarity > own - self.similarities.confusion_margin
            {
                note_confusion(&mut confusions, reference, label, near, is_right);
            }
            if own < self.similarities.outlier {
                let nearest = neighbours.iter().find(|neighbour| neighbour.label != reference.label);
                found.outliers.push(Outlier {
                    reference: reference.id,
                    label: reference.label.clone(),
                    similarity: own,
                    nearest: nearest.map(|near| (near.label.clone(), near.id, near.score)),
                });
            }
        }
        // Reports the final number as well.
        is_over(found.n_examined);
        found.confusions = confusions.into_values().collect();
        found.copies = copies.into_values().collect();
        found.sort_and_bound();
        let mentioned = found.references();
        found.labels = mentioned.into_iter().map(|id| (id, self.rows[by_id[&id]].0.label.clone())).collect();
        Ok(found)
    }

    /// The nearest neighbours of a reference, without itself, nearest first.
    fn neighbours(&self, row: usize) -> Result<Vec<Neighbour>> {
        let (reference, embedding) = &self.rows[row];
        let filter = SearchFilter::of_tenant(TenantId(Uuid::nil()));
        // One more, since each reference is its own nearest.
        let mut neighbours = self.index.search_blocking(embedding, &filter, NEIGHBOURS + 1)?;
        neighbours.retain(|neighbour| neighbour.id != reference.id);
        Ok(neighbours)
    }

    /// Those of the neighbours of a reference that are the same picture.
    fn copies(
        &self,
        row: usize,
        neighbours: &[Neighbour],
        by_id: &HashMap<ReferenceId, usize>,
    ) -> impl Iterator<Item = Copy> {
        let reference = &self.rows[row].0;
        neighbours
            .iter()
            // Sorted by similarity: after the first below the threshold there are no copies.
            .take_while(move |neighbour| neighbour.score >= self.similarities.copy_search)
            .filter(move |neighbour| self.are_copies(row, by_id[&neighbour.id]))
            .map(move |neighbour| {
                let mut references = [reference.id, neighbour.id];
                references.sort_unstable();
                let is_same_part = neighbour.label == reference.label;
                Copy { references, is_same_part, similarity: neighbour.score }
            })
    }

    fn are_copies(&self, one: usize, other: usize) -> bool {
        let look = |row: usize| {
            let (reference, embedding) = &self.rows[row];
            let bytes = <&[u8; Fingerprint::BYTES]>::try_from(reference.fingerprint.as_slice()).ok()?;
            Some((Fingerprint::from_bytes(bytes), embedding.as_slice()))
        };
        let (Some(one), Some(other)) = (look(one), look(other)) else { return false };
        is_copy(&self.similarities, (&one.0, one.1), (&other.0, other.1))
    }

    /// Mean similarity of a reference to the nearest others of its part; `None` without others.
    fn own_similarity(&self, row: usize, group: &[usize]) -> Option<f32> {
        let embedding = &self.rows[row].1;
        let mut similarities: Vec<f32> = group
            .iter()
            .filter(|&&other| other != row)
            .map(|&other| dot(embedding, &self.rows[other].1))
            .collect();
        similarities.sort_by(|a, b| b.total_cmp(a));
        similarities.truncate(N_NEAREST);
        let n = similarities.len();
        (n > 0).then(|| similarities.iter().sum::<f32>() / n as f32)
    }
}

/// The part nearest to a reference, other than its own, by the mean of its nearest neighbours.
fn nearest_part<'n>(
    reference: &StoredReference,
    neighbours: &'n [Neighbour],
) -> Option<(&'n PartLabel, Near)> {
    let mut others: HashMap<&PartLabel, (f32, usize, ReferenceId)> = HashMap::new();
    for neighbour in neighbours.iter().filter(|neighbour| neighbour.label != reference.label) {
        let sum = others.entry(&neighbour.label).or_insert((0.0, 0, neighbour.id));
        if sum.1 < N_NEAREST {
            (sum.0, sum.1) = (sum.0 + neighbour.score, sum.1 + 1);
        }
    }
    others
        .into_iter()
        .map(|(label, (sum, n, reference))| (label, Near { similarity: sum / n as f32, reference }))
        .max_by(|a, b| a.1.similarity.total_cmp(&b.1.similarity))
}

fn note_confusion(
    confusions: &mut BTreeMap<[PartLabel; 2], Confusion>,
    reference: &StoredReference,
    label: &PartLabel,
    near: &Near,
    is_right: bool,
) {
    let mut parts = [reference.label.clone(), label.clone()];
    parts.sort_unstable();
    let confusion = confusions.entry(parts.clone()).or_insert_with(|| Confusion {
        parts,
        n: 0,
        n_taken: 0,
        examples: Vec::new(),
    });
    confusion.n += 1;
    confusion.n_taken += usize::from(!is_right);
    if confusion.examples.len() < EXAMPLES {
        confusion.examples.push([reference.id, near.reference]);
    }
}

fn lonely(
    groups: &BTreeMap<&PartLabel, Vec<usize>>,
    taught: &[PartLabel],
    rows: &[(StoredReference, Vec<f32>)],
) -> Vec<LonelyPart> {
    let with_one = groups.iter().filter(|(_, rows)| rows.len() == 1).map(|(label, group)| LonelyPart {
        label: (*label).clone(),
        reference: group.first().map(|&row| rows[row].0.id),
    });
    let without = taught
        .iter()
        .filter(|label| !groups.contains_key(label))
        .map(|label| LonelyPart { label: label.clone(), reference: None });
    let mut lonely: Vec<LonelyPart> = with_one.chain(without).collect();
    lonely.sort_by(|a, b| a.label.cmp(&b.label));
    lonely.dedup_by(|a, b| a.label == b.label);
    lonely
}

/// All rows: the first of each part, then the second of each, and so on, so that those before the time limit are of
/// all parts.
fn spread(groups: &BTreeMap<&PartLabel, Vec<usize>>) -> Vec<usize> {
    let longest = groups.values().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|turn| groups.values().filter_map(move |rows| rows.get(turn).copied())).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use partsight_domain::ReferenceKind;
    use uuid::Uuid;

    use super::*;

    fn label(name: &str) -> PartLabel {
        PartLabel::new(name).unwrap()
    }

    /// A reference in the direction of `degrees` in the plane.
    fn row(number: u128, name: &str, degrees: f32) -> (StoredReference, Vec<f32>) {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let reference = StoredReference {
            id: ReferenceId(Uuid::from_u128(number)),
            tenant_id: None,
            label: label(name),
            category: None,
            kind: ReferenceKind::Enrolled,
            model_sha256: "m".to_owned(),
            embedding: vec![cos, sin],
            // Bits that are far apart for every two numbers here.
            fingerprint: (0..30_u8)
                .map(|byte| byte.wrapping_mul((number as u8).wrapping_mul(37).wrapping_add(11)))
                .collect(),
            created_at: Timestamp::UNIX_EPOCH,
            deleted_at: None,
            revision: 0,
        };
        (reference, vec![cos, sin])
    }

    fn examined(rows: &[(StoredReference, Vec<f32>)], most: usize) -> Diagnosis {
        let space = EmbeddingSpace { dimension: 2, model_sha256: "m".to_owned() };
        let examination = Examination::new(rows, space, ReferenceSimilarities::default()).unwrap();
        examination.run(&[label("empty"), label("rim")], |n| n >= most).unwrap()
    }

    #[test]
    fn each_reference_is_judged_by_the_others() {
        let rows = [
            row(1, "rim", 0.0),
            row(2, "rim", 8.0),
            row(3, "rim", 100.0),
            row(4, "piston", 96.0),
            row(5, "piston", 120.0),
            row(6, "door", 200.0),
            row(7, "piston", 120.1),
        ];
        let found = examined(&rows, usize::MAX);
        assert_eq!((found.n_references, found.n_examined, found.n_judged, found.n_parts), (7, 7, 6, 3));
        assert!(found.is_complete());
        let id = |number: u128| ReferenceId(Uuid::from_u128(number));
        // The rim at 100 degrees lies among the pistons.
        assert_eq!(found.n_right, 5);
        assert_eq!(found.confusions.len(), 1);
        let confusion = &found.confusions[0];
        assert_eq!((&confusion.parts, confusion.n_taken), (&[label("piston"), label("rim")], 1));
        assert!(confusion.examples.contains(&[id(3), id(4)]), "{confusion:?}");
        assert_eq!(found.outliers.iter().map(|outlier| outlier.reference).collect::<Vec<_>>(), [id(3)]);
        assert_eq!(found.outliers[0].nearest.as_ref().unwrap().1, id(4));
        let copies: Vec<_> = found.copies.iter().map(|copy| (copy.references, copy.is_same_part)).collect();
        assert!(copies.contains(&([id(5), id(7)], true)), "{copies:?}");
        assert_eq!(
            found.lonely,
            [
                LonelyPart { label: label("door"), reference: Some(id(6)) },
                LonelyPart { label: label("empty"), reference: None }
            ]
        );
        assert_eq!(found.labels[&id(3)], label("rim"));
    }

    #[test]
    fn what_is_cut_short_says_so_and_has_looked_at_every_part() {
        let rows = [row(1, "rim", 0.0), row(2, "rim", 8.0), row(3, "piston", 90.0), row(4, "piston", 98.0)];
        let found = examined(&rows, 2);
        assert_eq!((found.n_examined, found.is_complete()), (2, false));
        let groups = BTreeMap::from([(&rows[0].0.label, vec![0, 1]), (&rows[2].0.label, vec![2, 3])]);
        assert_eq!(spread(&groups), [2, 0, 3, 1]);
        assert_eq!(examined(&[], usize::MAX).n_examined, 0);
    }
}
