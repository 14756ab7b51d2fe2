//! Diagnoses all references of an owner by leave-one-out: each is identified by the others.

mod examination;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use partsight_catalog::EmbeddingSpace;
use partsight_domain::{PartLabel, ReferenceId};
use tokio::sync::Semaphore;

use crate::accounts::owner::Owner;
use crate::limits::heavy_work::Deadline;
use crate::teaching::Teaching;
use crate::{Error, Result};
use examination::Examination;

/// Most entries of each list; the counts are complete.
const MAX_LISTED: usize = 200;

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
    /// The outlier.
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
    /// Whether every reference was checked.
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
            let is_over = |n_done: usize| {
                advance(n_done);
                deadline.is_given_up() || ends_at.is_some_and(|ends_at| Instant::now() >= ends_at)
            };
            Examination::new(&rows, space, similarities)?.run(&taught, is_over)
        };
        let mut diagnosis = self.heavy.run(owner.into(), work).await?;
        diagnosis.n_of_other_model = n_of_other_model;
        let marked = self.visible_look_alikes(owner.visible_tenants()).await?;
        // The mark of a deleted part stays for its return; there is nothing to show of it.
        let are_there =
            |pair: &[PartLabel; 2]| pair.iter().all(|label| types.category_in_use(label).is_some());
        let pairs = marked.into_iter().map(|marked| marked.pair.labels().clone());
        diagnosis.look_alikes = pairs.filter(are_there).collect();
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
