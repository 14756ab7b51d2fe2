//! Runs the cascade on photographs with known parts, to measure each step; without a database, and storing nothing.

use std::path::Path;

use partsight_catalog::{Catalog, EmbeddingSpace, ExactIndex, IndexEntry, SearchFilter};
use partsight_domain::{
    Candidate, Conditions, Judgement, NearReference, NearReferences, NotJudged, OpinionPool, PartLabel,
    ReferenceId, ReferenceKind, TenantId, Verdict,
};
use partsight_inference::sha256;
use uuid::Uuid;

use crate::judging::asking::question;
use crate::judging::cascade::{ALTERNATIVES, weigh};
use crate::judging::configured_judge::ConfiguredJudge;
use crate::judging::in_flight::Shared;
use crate::judging::judge_photo::{self, judge_photo};
use crate::limits::person::Person;
use crate::recognition::bulk::read_photo;
use crate::recognition::identify::Predicted;
use crate::recognition::photo_budget::Asker;
use crate::teaching::reference_index::NEIGHBOURS;
use crate::{FileError, Identification, Identifier, Result, Settings, VehiclePrior};

/// The judge of a trial.
#[derive(Debug)]
enum TrialJudge {
    Nobody,
    Configured(Box<ConfiguredJudge>),
    /// Simulated: the right answer with this probability, otherwise a wrong one.
    Simulated {
        accuracy: f64,
    },
}

/// The result of one step of the cascade.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialStep {
    /// The best guess.
    pub label: PartLabel,
    /// Calibrated probability in 0..=1 that it is right.
    pub confidence: f32,
    /// By the model's thresholds.
    pub verdict: Verdict,
}

/// The result of asking the judge.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialJudgement {
    /// The result of the cascade with the judge's verdict; `None` if there is none.
    pub step: Option<TrialStep>,
    /// Why there is no verdict.
    pub not_judged: Option<NotJudged>,
    /// What the question cost, in millionths of a dollar; 0 for a simulation.
    pub cost_micro_dollars: u64,
}

/// The results of the steps of the cascade for one photograph.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialAnswer {
    /// The model alone.
    pub local: TrialStep,
    /// The references alone; `None` without any.
    pub references_alone: Option<TrialStep>,
    /// The model with the references; the model alone without any.
    pub with_references: TrialStep,
    /// The model with the vehicle; `None` without one.
    pub with_vehicle: Option<TrialStep>,
    /// Model, references and vehicle together.
    pub together: TrialStep,
    /// With the judge, if the result without it was not sure; `None` otherwise, or without a judge.
    pub judged: Option<TrialJudgement>,
}

/// The cascade over one model, with references and a judge of its own.
#[derive(Debug)]
pub struct CascadeTrial<'a> {
    identifier: &'a Identifier,
    catalog: &'a Catalog,
    references: ExactIndex,
    n_references: u128,
    vehicle: Option<VehiclePrior>,
    judge: TrialJudge,
}

impl<'a> CascadeTrial<'a> {
    /// A trial with the judge of the settings, if one is configured.
    ///
    /// # Errors
    /// [`Error::Provider`](crate::Error::Provider) for a judge that cannot be used,
    /// [`Error::VectorIndex`](crate::Error::VectorIndex).
    pub fn new(identifier: &'a Identifier, catalog: &'a Catalog, settings: &Settings) -> Result<Self> {
        let judge = ConfiguredJudge::new(settings, identifier.manifest().judging())?
            .map_or(TrialJudge::Nobody, |judge| TrialJudge::Configured(Box::new(judge)));
        let space = EmbeddingSpace {
            dimension: identifier.manifest().embedding.dimension,
            model_sha256: identifier.model_sha256().to_owned(),
        };
        let references = ExactIndex::new(space)?;
        Ok(Self { identifier, catalog, references, n_references: 0, vehicle: None, judge })
    }

    /// Treats all photographs as those of parts of this vehicle.
    pub fn set_vehicle(&mut self, vehicle: VehiclePrior) {
        self.vehicle = Some(vehicle);
    }

    /// Simulates a judge that is right with this probability, 0 to 1, depending on the hash of the photograph.
    pub fn simulate_judge(&mut self, accuracy: f64) {
        self.judge = TrialJudge::Simulated { accuracy };
    }

    /// Host and model of the judge that is asked; `None` if none is.
    pub fn judge(&self) -> Option<(String, String)> {
        match &self.judge {
            TrialJudge::Configured(judge) => Some((judge.client.host(), judge.client.model().to_owned())),
            TrialJudge::Nobody | TrialJudge::Simulated { .. } => None,
        }
    }

    /// Adds a reference photograph of a part.
    ///
    /// # Errors
    /// As a row of [`Identifier::identify_files`]; [`Error::Invalid`](crate::Error::Invalid) for a model that was not
    /// measured for references.
    pub async fn teach_file(&mut self, path: &Path, label: &PartLabel) -> Result<(), FileError> {
        let bytes = read_photo(path, &self.identifier.limits())?;
        let (predicted, _) =
            self.identifier.predict_with(&Asker::SERVER, bytes, |_| ()).await.map_err(FileError::Identify)?;
        let embedding = self.identifier.reference_embedding(predicted.embedding()).ok_or_else(|| {
            let text =
                "the model was not measured for references: it has no `[references]` in its `model.toml`; for an \
                 imported model, `partsight models fit-references` makes it";
            FileError::Identify(partsight_domain::InvalidInput::new("image", text).into())
        })?;
        self.n_references += 1;
        let entry = IndexEntry {
            id: ReferenceId(Uuid::from_u128(self.n_references)),
            tenant_id: None,
            label: label.clone(),
            category: self.catalog.get(label).map(|part_type| part_type.category),
            kind: ReferenceKind::Enrolled,
            parts: Vec::new(),
            revision: 0,
            embedding,
        };
        let added = self.references.upsert_blocking(vec![entry]);
        added.map_err(|error| FileError::Identify(error.into()))
    }

    /// The result of each step; `truth` is the right part, for a simulated judge only. Without `may_ask` the judge is
    /// not asked.
    ///
    /// # Errors
    /// As a row of [`Identifier::identify_files`].
    pub async fn try_file(
        &self,
        path: &Path,
        truth: Option<&PartLabel>,
        may_ask: bool,
    ) -> Result<TrialAnswer, FileError> {
        let bytes = read_photo(path, &self.identifier.limits())?;
        self.try_photo(bytes, truth, may_ask).await.map_err(FileError::Identify)
    }

    async fn try_photo(
        &self,
        bytes: Vec<u8>,
        truth: Option<&PartLabel>,
        may_ask: bool,
    ) -> Result<TrialAnswer> {
        // A copy, because a judge may need the file as well.
        let predicted = self.identifier.predict_scan(bytes.clone()).await?;
        let near = self.near(&predicted)?;
        let is_unfit =
            |label: &PartLabel| self.vehicle.as_ref().is_some_and(|vehicle| vehicle.rules_out(label));
        let without_vehicle = Conditions::of_model(self.identifier.thresholds(), 1 + ALTERNATIVES)
            .with_taught(self.identifier.scorer().taught());
        let with_vehicle = without_vehicle.with_vehicle(&is_unfit);
        let answer = |pool: &OpinionPool, conditions: &Conditions<'_>| -> Result<Identification> {
            Ok(Identifier::identification(&predicted, Identifier::decide(pool, conditions)?))
        };
        let said = |pool: &OpinionPool| -> Result<TrialStep> { Ok(step(&answer(pool, &without_vehicle)?)) };
        let local = self.identifier.pool_of_one(&predicted, &NearReferences::default());
        let with_references = self.identifier.pool_of_one(&predicted, &near);
        let references_alone = self.identifier.scorer().references_alone(&near).map(OpinionPool::of_one);
        let of_vehicle = self.vehicle.as_ref().map(|_| answer(&local, &with_vehicle)).transpose()?;
        let mut together = answer(&with_references, &with_vehicle)?;
        Ok(TrialAnswer {
            local: said(&local)?,
            references_alone: references_alone.as_ref().map(&said).transpose()?,
            with_references: said(&with_references)?,
            with_vehicle: of_vehicle.as_ref().map(step),
            together: step(&together),
            judged: if together.verdict == Verdict::NotSure && may_ask {
                self.judged(&mut together, bytes, truth).await
            } else {
                None
            },
        })
    }

    /// The references nearest to a photograph; none without any.
    fn near(&self, predicted: &Predicted) -> Result<NearReferences> {
        let embedding = self.identifier.reference_embedding(predicted.embedding());
        let Some(embedding) = embedding.filter(|_| self.n_references > 0) else {
            return Ok(NearReferences::default());
        };
        // No tenant has this id, so only shared references are found, which all of them are here.
        let filter = SearchFilter::of_tenant(TenantId(Uuid::nil()));
        let found = self.references.search_blocking(&embedding, &filter, NEIGHBOURS)?;
        let near = found.into_iter().map(|neighbour| NearReference {
            label: neighbour.label,
            category: neighbour.category,
            score: neighbour.score,
            embedding: neighbour.embedding,
        });
        Ok(self.identifier.near_references(near.collect(), &embedding))
    }

    async fn judged(
        &self,
        identification: &mut Identification,
        bytes: Vec<u8>,
        truth: Option<&PartLabel>,
    ) -> Option<TrialJudgement> {
        let candidates: Vec<Candidate> =
            [&identification.best].into_iter().chain(&identification.alternatives).cloned().collect();
        let none = |reason, cost_micro_dollars| {
            Some(TrialJudgement { step: None, not_judged: Some(reason), cost_micro_dollars })
        };
        let (judgement, judge_model, trust, cost) = match &self.judge {
            TrialJudge::Nobody => return None,
            TrialJudge::Simulated { accuracy } => {
                let judgement = simulated(&candidates, truth, *accuracy, &sha256(&bytes));
                (judgement, "simulated".to_owned(), *accuracy as f32, 0)
            }
            TrialJudge::Configured(judge) => {
                let Some(jpeg) = self
                    .identifier
                    .with_pixels(Person::SERVER, bytes, judge_photo::DETAIL, judge_photo)
                    .await
                else {
                    return none(NotJudged::NotPossible, 0);
                };
                let vehicle = self.vehicle.as_ref().map(VehiclePrior::name);
                let question = question(self.catalog, &candidates, vehicle, jpeg);
                let most = judge.most_cost(&question);
                let reply = judge.client.ask(&question).await;
                let cost = judge.cost_of(&reply, most).micro_dollars;
                match reply.answer {
                    Ok(judgement) => (judgement, judge.client.model().to_owned(), judge.trust, cost),
                    Err(reason) => return none(reason, cost),
                }
            }
        };
        let shared = Shared { judgement, offered: Vec::new(), judge_model };
        weigh(identification, &shared, trust, &self.identifier.thresholds());
        Some(TrialJudgement { step: Some(step(identification)), not_judged: None, cost_micro_dollars: cost })
    }
}

fn step(identification: &Identification) -> TrialStep {
    TrialStep {
        label: identification.best.label.clone(),
        confidence: identification.best.confidence,
        verdict: identification.verdict,
    }
}

/// The answer of a simulated judge: with probability `accuracy` the truth, or "none of these" if that is not offered;
/// otherwise a wrong one. The hexadecimal `hash` decides, so that a trial is reproducible.
fn simulated(candidates: &[Candidate], truth: Option<&PartLabel>, accuracy: f64, hash: &str) -> Judgement {
    // Eight digits are 32 bits: the first eight decide whether the answer is right, the next ones which wrong one it
    // is.
    let number = |from: usize| {
        let digits = hash.get(from..from + 8).unwrap_or_default();
        u32::from_str_radix(digits, 16).unwrap_or_default()
    };
    let offered = candidates.iter().find(|candidate| Some(&candidate.label) == truth);
    let is_right = f64::from(number(0)) / (f64::from(u32::MAX) + 1.0) < accuracy;
    let label = if is_right {
        offered.map(|candidate| candidate.label.clone())
    } else {
        let wrong: Vec<&PartLabel> = candidates
            .iter()
            .map(|candidate| &candidate.label)
            .filter(|label| Some(*label) != truth)
            .collect();
        wrong.get(number(8) as usize % wrong.len().max(1)).map(|label| (*label).clone())
    };
    Judgement {
        label,
        stated_confidence: accuracy as f32,
        evidence: String::new(),
        part_numbers: Vec::new(),
        better_photo: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_judge_is_right_as_often_as_it_should_be() {
        let label = |name: &str| PartLabel::new(name).unwrap();
        let candidates: Vec<Candidate> =
            ["rim", "piston", "door"].map(|name| Candidate { label: label(name), confidence: 0.3 }).into();
        let answers = |truth: &str| {
            let truth = label(truth);
            let said = |index: u32| simulated(&candidates, Some(&truth), 0.8, &sha256(&index.to_le_bytes()));
            (0..2000).map(|index| said(index).label).collect::<Vec<_>>()
        };
        let offered = answers("piston");
        let n_right = offered.iter().filter(|said| **said == Some(label("piston"))).count();
        assert!((1540..1660).contains(&n_right), "{n_right}");
        assert!(offered.iter().all(Option::is_some));
        // If the truth is not offered, "none of these" is right.
        let n_none = answers("rotor").iter().filter(|said| said.is_none()).count();
        assert!((1540..1660).contains(&n_none), "{n_none}");
        assert_eq!(answers("piston"), offered);
    }
}
