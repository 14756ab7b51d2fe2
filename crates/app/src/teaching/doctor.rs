//! Diagnoses all references of an owner by leave-one-out: each is identified by the others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use partsight_catalog::{EmbeddingSpace, ExactIndex, IndexEntry, Neighbour, SearchFilter};
use partsight_domain::{PartLabel, ReferenceId, TenantId};
use partsight_inference::{Fingerprint, ReferenceSimilarities};
use partsight_store::StoredReference;
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::check::{dot, is_copy};
use crate::accounts::owner::Owner;
use crate::limits::heavy_work::Deadline;
use crate::teaching::Teaching;
use crate::{Error, Result};

/// References of a part in the mean similarity to it, as in the measurement of [`ReferenceSimilarities`].
const N_NEAREST: usize = 5;
/// Neighbours that each reference is compared with.
const NEIGHBOURS: usize = 60;
/// Most entries of each list; the counts are complete.
const MAX_LISTED: usize = 200;
/// Examples of a pair of parts.
const EXAMPLES: usize = 3;

/// One diagnosis at a time in this process: it takes a core.
static TURN: Semaphore = Semaphore::const_new(1);

/// Two parts whose references are hard to tell apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    /// The two parts, in the order of their labels.
    pub parts: [PartLabel; 2],
    /// References of either that are as near to the other part as to their own, or nearer.
    pub n: usize,
    /// Those among them that would be identified as the other part.
    pub n_taken: usize,
    /// Such references, each with the nearest of the other part.
    pub examples: Vec<[ReferenceId; 2]>,
}

/// Two references that are the same picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Copy {
    /// The two, in the order of their ids.
    pub references: [ReferenceId; 2],
    /// Whether they are of one part. Of two, at least one is wrong.
    pub is_same_part: bool,
    /// Cosine similarity in -1..=1.
    pub similarity: f32,
}

/// A reference that is unlike the others of its part.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlier {
    /// The reference that stands out.
    pub reference: ReferenceId,
    /// Its part.
    pub label: PartLabel,
    /// Mean cosine similarity with the five others of its part that are nearest.
    pub similarity: f32,
    /// The nearest reference of another part, with that part and the similarity.
    pub nearest: Option<(PartLabel, ReferenceId, f32)>,
}

/// A part with one reference or none, which cannot be checked against others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LonelyPart {
    /// The part.
    pub label: PartLabel,
    /// Its only reference, if it has one.
    pub reference: Option<ReferenceId>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diagnosis {
    /// References of the model in use.
    pub n_references: usize,
    /// References that another model embedded, which are left out.
    pub n_of_other_model: usize,
    /// References that were examined; fewer than all if the time limit was reached.
    pub n_examined: usize,
    /// Examined references whose part has other references, so that they can be identified.
    pub n_judged: usize,
    /// Those among them that would be identified correctly.
    pub n_right: usize,
    /// Parts with references.
    pub n_parts: usize,
    /// Most references first; at most 200.
    pub confusions: Vec<Confusion>,
    /// Of two parts first, then the most alike; at most 200.
    pub copies: Vec<Copy>,
    /// Number of copies in total.
    pub n_copies: usize,
    /// The most unlike first; at most 200.
    pub outliers: Vec<Outlier>,
    /// Number of outliers in total.
    pub n_outliers: usize,
    /// By label.
    pub lonely: Vec<LonelyPart>,
    /// Pairs that are marked as look-alikes, by labels.
    pub look_alikes: Vec<[PartLabel; 2]>,
    /// Names of the parts in the lists.
    pub names: BTreeMap<PartLabel, String>,
    /// Parts of the references in the lists.
    pub labels: BTreeMap<ReferenceId, PartLabel>,
}

impl Diagnosis {
    /// Whether every reference was looked at.
    pub fn is_complete(&self) -> bool {
        self.n_examined == self.n_references
    }

    /// The name of a part that is mentioned.
    pub fn name<'a>(&'a self, label: &'a PartLabel) -> &'a str {
        self.names.get(label).map_or(label.as_str(), String::as_str)
    }
}

impl Teaching {
    /// Diagnoses all references that an owner may see: which parts are hard to tell apart, which references are
    /// copies of others or outliers in their part, and which parts have too few.
    ///
    /// After `limit` it returns what was found so far; references are examined in an order that spreads over all
    /// parts. `advance` is called with the number of examined references. Dropping the future stops it.
    ///
    /// # Errors
    /// [`Error::Busy`] while another diagnosis runs in this process, unless that ends within five seconds.
    pub async fn diagnose(
        &self,
        owner: &Owner,
        limit: Option<Duration>,
        advance: impl Fn(usize) + Send + 'static,
    ) -> Result<Diagnosis> {
        let turn = tokio::time::timeout(Duration::from_secs(5), TURN.acquire()).await;
        let Ok(Ok(_turn)) = turn else { return Err(Error::Busy) };
        let all = self.visible_references(owner.visible_tenants(), None).await?;
        let sha256 = self.identifier.model_sha256();
        let n_of_other_model = all
            .iter()
            .filter(|reference| reference.deleted_at.is_none() && reference.model_sha256 != sha256)
            .count();
        let rows = self.usable(all);
        let types = self.parts.part_types_of(owner.visible_tenants()).await?;
        let space = EmbeddingSpace {
            dimension: self.identifier.manifest().embedding.dimension,
            model_sha256: sha256.to_owned(),
        };
        let taught: Vec<PartLabel> = types.taught().iter().map(|part_type| part_type.label.clone()).collect();
        let similarities = self.identifier.reference_similarities();
        let ends_at = limit.map(|limit| Instant::now() + limit);
        let work = move |deadline: &Deadline| {
            let index = index_of(space, &rows)?;
            let is_over = |n_done: usize| {
                advance(n_done);
                deadline.is_given_up() || ends_at.is_some_and(|ends_at| Instant::now() >= ends_at)
            };
            Examination { rows: &rows, index, similarities }.run(&taught, is_over)
        };
        let mut diagnosis = self.heavy.run(owner.into(), work).await?;
        diagnosis.n_of_other_model = n_of_other_model;
        let marked = self.visible_look_alikes(owner.visible_tenants()).await?;
        diagnosis.look_alikes = marked.into_iter().map(|marked| marked.pair.labels().clone()).collect();
        diagnosis.look_alikes.dedup();
        for label in diagnosis.mentioned() {
            diagnosis.names.insert(label.clone(), types.name(&label));
        }
        Ok(diagnosis)
    }
}

impl Diagnosis {
    fn mentioned(&self) -> HashSet<PartLabel> {
        let of_references = self.labels.values();
        let of_parts = self.confusions.iter().flat_map(|confusion| &confusion.parts);
        let others = self.outliers.iter().filter_map(|outlier| outlier.nearest.as_ref().map(|near| &near.0));
        let lonely = self.lonely.iter().map(|lonely| &lonely.label);
        let marked = self.look_alikes.iter().flatten();
        of_references.chain(of_parts).chain(marked).chain(others).chain(lonely).cloned().collect()
    }
}

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

struct Examination<'a> {
    rows: &'a [(StoredReference, Vec<f32>)],
    index: ExactIndex,
    similarities: ReferenceSimilarities,
}

/// A part near a reference: its mean similarity, and its nearest reference.
struct Near {
    similarity: f32,
    reference: ReferenceId,
}

impl Examination<'_> {
    fn run(&self, taught: &[PartLabel], is_over: impl Fn(usize) -> bool) -> Result<Diagnosis> {
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

impl Diagnosis {
    /// Sorts the lists, counts their entries, and truncates them.
    fn sort_and_bound(&mut self) {
        self.confusions.sort_by_key(|confusion| Reverse((confusion.n_taken, confusion.n)));
        self.confusions.truncate(MAX_LISTED);
        self.n_copies = self.copies.len();
        // Copies of two different parts come first: one of the parts must be wrong.
        self.copies
            .sort_by(|a, b| a.is_same_part.cmp(&b.is_same_part).then(b.similarity.total_cmp(&a.similarity)));
        self.copies.truncate(MAX_LISTED);
        self.n_outliers = self.outliers.len();
        self.outliers.sort_by(|a, b| a.similarity.total_cmp(&b.similarity));
        self.outliers.truncate(MAX_LISTED);
    }

    /// The references in the lists, each once.
    pub fn references(&self) -> Vec<ReferenceId> {
        let pairs = self.confusions.iter().flat_map(|confusion| confusion.examples.iter().flatten());
        let copies = self.copies.iter().flat_map(|copy| &copy.references);
        let outliers = self.outliers.iter().flat_map(|outlier| {
            [Some(outlier.reference), outlier.nearest.as_ref().map(|near| near.1)].into_iter().flatten()
        });
        let lonely = self.lonely.iter().filter_map(|lonely| lonely.reference);
        let mut all: Vec<ReferenceId> = pairs.chain(copies).copied().chain(outliers).chain(lonely).collect();
        all.sort_unstable();
        all.dedup();
        all
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
        let index = index_of(space, rows).unwrap();
        let similarities = ReferenceSimilarities::default();
        Examination { rows, index, similarities }.run(&[label("empty"), label("rim")], |n| n >= most).unwrap()
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
