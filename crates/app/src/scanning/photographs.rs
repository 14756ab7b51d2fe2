//! Pools the photographs of one scan, with taught parts, into one answer.

use partsight_domain::{OpinionPool, PhotoFinding, StageTimings, User, messages};
use tokio::time::{Duration, Instant};
use tracing::Instrument as _;

use crate::judging::asking::SharedPhoto;
use crate::metrics::Stage;
use crate::recognition::identify::Predicted;
use crate::recognition::photo_budget::Asker;
use crate::recognition::pixels::Pixels;
use crate::scanning::Scanning;
use crate::teaching::reference_index::SEARCH_DEADLINE;
use crate::{Error, Result};

/// The photographs of one part, `[n]`, with their model outputs and their pool.
#[derive(Debug)]
pub(crate) struct Evidence<T> {
    /// The pooled opinions of all photographs.
    pub(crate) pool: OpinionPool,
    /// The finding of each photograph; empty for a single one.
    pub(crate) findings: Vec<PhotoFinding>,
    /// What was computed from the pixels of the lead.
    pub(crate) made: Option<T>,
    /// The file of the lead, if it was to be held.
    pub(crate) held: Option<SharedPhoto>,
    /// All files in order, if they were to be held.
    pub(crate) files: Vec<SharedPhoto>,
    /// Whether taught parts are missing, because their index could not be searched or is incomplete now.
    pub(crate) lacks_taught_parts: bool,
    predicted: Vec<Predicted>,
}

impl<T> Evidence<T> {
    /// The model's output for the lead: the photograph that represents the scan.
    pub(crate) fn lead(&self) -> &Predicted {
        // A single one, since a judge of all would cost several times as much. See
        // docs/decisions/0056-one-photograph-stands.md.
        &self.predicted[self.pool.lead]
    }

    /// Duration of each stage, summed over the photographs, and in total since the first began.
    pub(crate) fn timings(&self) -> StageTimings {
        let each: Vec<StageTimings> = self.predicted.iter().map(Predicted::timings).collect();
        let sum = |stage: fn(&StageTimings) -> f32| each.iter().map(stage).sum();
        StageTimings {
            decode: sum(|timings| timings.decode),
            preprocess: sum(|timings| timings.preprocess),
            queue: sum(|timings| timings.queue),
            inference: sum(|timings| timings.inference),
            judge: 0.0,
            // The total of the first includes the others, which ran meanwhile.
            total: each.first().map_or(0.0, |timings| timings.total),
        }
    }
}

impl Scanning {
    /// Runs the model on the photographs of one part, and computes something else from the pixels of each. With
    /// `holds` the files stay in memory. `revision` is that of the taught parts, if it was read already.
    ///
    /// # Errors
    /// [`Error::Photo`], of several [`Error::PhotoAmong`]; [`Error::Busy`], [`Error::PhotoWorkUsedUp`].
    pub(crate) async fn gather_evidence<T: Send + 'static>(
        &self,
        user: &User,
        asker: &Asker,
        photos: Vec<Vec<u8>>,
        holds: bool,
        revision: Option<i64>,
        also: impl Fn(&Pixels<'_>) -> T + Clone + Send + 'static,
    ) -> Result<Evidence<T>> {
        // Shared, because the model, the judge and the reading may each need the file.
        let photos: Vec<SharedPhoto> = photos.into_iter().map(SharedPhoto::new).collect();
        let files = if holds { photos.clone() } else { Vec::new() };
        let looks = self.identifier.predict_all(asker, photos, also).await?;
        self.metrics.count_second_looks(looks.iter().filter(|(look, _)| look.has_second_look()).count());
        let (mut predicted, mut made, mut scores) = (Vec::new(), Vec::new(), Vec::new());
        // One deadline for all of them together.
        let deadline = Instant::now() + SEARCH_DEADLINE;
        let mut searched = Duration::ZERO;
        let mut lacks_taught_parts = false;
        for (photograph, made_of_it) in looks {
            let start = Instant::now();
            let found = self
                .teaching
                .near_references(user, photograph.embedding(), revision, deadline)
                .instrument(tracing::debug_span!("search"))
                .await;
            searched += start.elapsed();
            lacks_taught_parts |= found.are_incomplete;
            scores.push(self.identifier.scorer().photograph(photograph.raw(), &found.near));
            predicted.push(photograph);
            made.push(made_of_it);
        }
        self.metrics.observe_stage(Stage::Search, searched);
        let alone: Vec<_> = if scores.len() > 1 {
            scores.iter().map(|scores| (scores.ranking(1), scores.known_score)).collect()
        } else {
            Vec::new()
        };
        let pool = OpinionPool::new(scores).ok_or_else(|| Error::internal(messages::SCAN_PHOTO_MISSING))?;
        let findings = alone
            .into_iter()
            .zip(&pool.weights)
            .enumerate()
            .filter_map(|(index, ((best, known_score), &weight))| {
                let best = best.into_iter().next()?;
                Some(PhotoFinding { best, known_score, weight, is_lead: index == pool.lead })
            })
            .collect();
        let made = made.swap_remove(pool.lead);
        let held = files.get(pool.lead).cloned();
        Ok(Evidence { pool, findings, made, held, files, lacks_taught_parts, predicted })
    }
}
