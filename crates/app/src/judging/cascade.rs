//! The cascade for a photograph of which the local model is not sure: a verdict on a near-duplicate is reused, or else
//! the judge is asked, if it is allowed and within budget. On any failure the local answer stands, and its receipt has
//! the reason.

use std::sync::Arc;
use std::time::Instant;

use partsight_catalog::Catalog;
use partsight_domain::{
    Candidate, CandidateSet, Judgement, JudgingReceipt, LookAlikes, NotJudged, PartLabel, ScanId, User,
    Verdict, VerdictPath, VerdictThresholds, weigh_judgement,
};
use partsight_inference::sha256;
use partsight_store::SimilarVerdict;
use tokio::sync::OnceCell;

use super::asking::{Case, Evident, failed};
use super::configured_judge::ConfiguredJudge;
use super::in_flight::{Entry, InFlight, Shared};
use crate::judging::Judging;
use crate::recognition::identify::millis;
use crate::{Error, Identification, Result, Settings};

/// Number of candidates after the best guess that a scan keeps and the judge is offered.
pub(crate) const ALTERNATIVES: usize = 4;
/// Hex digits of the catalogue's hash in a receipt: 48 bits tell versions apart, and are short enough to read.
const CATALOG_VERSION_DIGITS: usize = 12;

/// State of the cascade, besides the store and the identifier.
#[derive(Debug)]
pub(crate) struct Cascade {
    judge: Option<ConfiguredJudge>,
    in_flight: InFlight,
    catalog_version: String,
}

impl Cascade {
    /// # Errors
    /// [`Error::Provider`] for a judge whose settings cannot be used.
    pub(crate) fn new(
        settings: &Settings,
        catalog: &Catalog,
        judging: partsight_inference::Judging,
    ) -> Result<Self> {
        // The hash covers all text about types that the judge is sent, so that receipts show when it changed.
        let content = serde_json::to_vec(&catalog.iter().collect::<Vec<_>>()).map_err(Error::internal)?;
        let mut catalog_version = sha256(&content);
        catalog_version.truncate(CATALOG_VERSION_DIGITS);
        Ok(Self {
            judge: ConfiguredJudge::new(settings, judging)?,
            in_flight: InFlight::default(),
            catalog_version,
        })
    }

    pub(crate) fn judge(&self) -> Option<&ConfiguredJudge> {
        self.judge.as_ref()
    }
}

impl Judging {
    /// Asks the judge if the model is not sure, and updates verdict (by `thresholds`), candidates and known score of
    /// `identification` with the judgement. Returns the receipt.
    ///
    /// The judgement belongs to the scan that will be saved as `scan_id`.
    pub(crate) async fn judge_identification(
        &self,
        scan_id: ScanId,
        user: &User,
        identification: &mut Identification,
        thresholds: &VerdictThresholds,
        evident: Evident<'_>,
    ) -> JudgingReceipt {
        let start = Instant::now();
        let mut receipt = JudgingReceipt {
            catalog_version: Some(self.cascade.catalog_version.clone()),
            ..JudgingReceipt::default()
        };
        let outcome = match self.case(scan_id, user, identification, evident).await {
            Ok(case) => self.settle_case(&case, &mut receipt).await.map(|judged| (case.judge.trust, judged)),
            Err(reason) => Err(reason),
        };
        match outcome {
            Ok((trust, judged)) => {
                weigh(identification, &judged, trust, thresholds);
                (receipt.judgement, receipt.judge_model) = (Some(judged.judgement), Some(judged.judge_model));
            }
            Err(reason) => receipt.not_judged = Some(reason),
        }
        // Most scans never reach the judge: they get no duration and no log line.
        let is_out_of_question = matches!(
            receipt.not_judged,
            Some(
                NotJudged::Sure
                    | NotJudged::LookAlikes
                    | NotJudged::NotConfigured
                    | NotJudged::NotInPlan
                    | NotJudged::NotAllowed
            )
        );
        if !is_out_of_question {
            identification.timings_ms.judge = millis(start.elapsed());
            identification.timings_ms.total += identification.timings_ms.judge;
            tracing::info!(
                judge.path = receipt.verdict_path.as_str(),
                judge.reason = receipt.not_judged.map(NotJudged::as_str),
                judge.cost_micro_dollars = receipt.cost_micro_dollars,
                duration_ms = identification.timings_ms.judge,
                "a photograph that is not sure was brought to the judge"
            );
        }
        receipt
    }

    /// Whether this answer would go to the judge, and the user may ask it.
    pub(crate) async fn will_judge(&self, user: &User, identification: &Identification) -> bool {
        let is_for_look_alikes =
            identification.candidate_set.as_ref().is_some_and(CandidateSet::is_of_look_alikes);
        identification.verdict == Verdict::NotSure
            && !is_for_look_alikes
            && self.has_judge()
            && self.judge_for(user).await.is_ok()
    }

    /// From which cosine similarity on verdicts are reused; `None` without a judge.
    pub(crate) fn least_similarity(&self) -> Option<f32> {
        self.cascade.judge().map(|judge| judge.least_similarity)
    }

    /// Whether the photograph of this receipt was sent to another machine.
    pub(crate) fn has_left_machine(&self, judging: &JudgingReceipt) -> bool {
        let is_here = self.cascade.judge().is_some_and(|judge| judge.client.is_on_this_machine());
        judging.photo_sent_to.is_some() && !is_here
    }

    /// The judge, if the user may ask it: it is configured, included in their plan, allowed by them or their company,
    /// and not refused by them.
    pub(crate) async fn judge_for(&self, user: &User) -> Result<&ConfiguredJudge, NotJudged> {
        let judge = self.cascade.judge().ok_or(NotJudged::NotConfigured)?;
        // Cheap checks first; only the consent needs a query.
        if !judge.is_in_plan(self.accounts.effective_plan(user)) {
            return Err(NotJudged::NotInPlan);
        }
        let consent = self.consent_to_judge(user).await.map_err(|error| failed(&error))?;
        if consent.allows(judge.is_allowed_by_default) { Ok(judge) } else { Err(NotJudged::NotAllowed) }
    }

    /// The photograph as a case for the judge, or the reason why it is not judged.
    async fn case<'c>(
        &'c self,
        scan_id: ScanId,
        user: &'c User,
        identification: &mut Identification,
        mut evident: Evident<'c>,
    ) -> Result<Case<'c>, NotJudged> {
        if identification.verdict != Verdict::NotSure {
            return Err(NotJudged::Sure);
        }
        // The judge only sees the photograph, which does not tell look-alikes apart.
        if identification.candidate_set.as_ref().is_some_and(CandidateSet::is_of_look_alikes) {
            return Err(NotJudged::LookAlikes);
        }
        let missing = if self.has_judge() { NotJudged::NotPossible } else { NotJudged::NotConfigured };
        let photo = evident.photo.take().ok_or(missing)?;
        let judge = self.judge_for(user).await?;
        let embedding = Arc::new(identification.embedding.take().ok_or(NotJudged::NotPossible)?);
        let candidates =
            [&identification.best].into_iter().chain(&identification.alternatives).cloned().collect();
        Ok(Case { scan_id, user, judge, embedding, candidates, photo, evident, question: OnceCell::new() })
    }

    /// The judgement of the case, reused or newly asked for. Of concurrent near-duplicates one is the leader, and the
    /// others take over its outcome; if the leader is cancelled, another one leads.
    ///
    /// A case with patience waits for a busy judge and tries again.
    async fn settle_case(&self, case: &Case<'_>, receipt: &mut JudgingReceipt) -> Result<Shared, NotJudged> {
        let (judge, patience) = (case.judge, case.evident.patience);
        loop {
            if patience.is_some() {
                judge.client.settled().await;
            }
            let least = judge.least_similarity;
            // Only within the shop: a verdict must not reveal what another account photographs.
            let reason = match self.cascade.in_flight.enter(case.user.shop_tenant(), &case.embedding, least) {
                Entry::Follow(leader) => {
                    let similarity = leader.similarity;
                    match leader.outcome().await {
                        Some(Ok(shared)) if applies(&shared.judgement, &shared.offered, &case.candidates) => {
                            receipt.verdict_path = VerdictPath::Reused;
                            receipt.reused_similarity = Some(similarity);
                            return Ok(shared);
                        }
                        Some(Err(reason)) => reason,
                        // The leader was cancelled, or its judgement does not apply to the candidates here: this case
                        // tries by itself.
                        Some(Ok(_)) | None => continue,
                    }
                }
                Entry::Lead(lead) => match self.reuse_or_ask(case, receipt).await {
                    // The lead is dropped, so that followers do not wait for this batch: a person may be among them.
                    Err(reason) if patience.is_some() && judge.may_take_later(reason) => reason,
                    // Only the leader's receipt has the cost, because followers spend nothing.
                    outcome => {
                        lead.finish(outcome.clone());
                        return outcome;
                    }
                },
            };
            let Some(patience) = patience.filter(|_| judge.may_take_later(reason)) else {
                return Err(reason);
            };
            if !patience.lasts().await {
                return Err(reason);
            }
            if reason == NotJudged::Busy {
                judge.until_one_came_back().await;
            }
            // The user may have refused the judge in the meantime.
            self.judge_for(case.user).await?;
        }
    }

    /// A saved judgement on a near-duplicate of anybody in the shop, else a new one. Of another member's photograph
    /// only the judgement is revealed.
    async fn reuse_or_ask(&self, case: &Case<'_>, receipt: &mut JudgingReceipt) -> Result<Shared, NotJudged> {
        let found = self
            .store
            .find_similar_verdict(
                case.user.shop_tenant(),
                self.identifier.model_sha256(),
                &case.embedding,
                case.judge.least_similarity,
                self.clock.now(),
            )
            .await
            .map_err(|error| failed(&error))?;
        if let Some(found) = found
            && applies(&found.judgement, &found.offered, &case.candidates)
        {
            receipt.verdict_path = VerdictPath::Reused;
            receipt.reused_similarity = Some(found.similarity);
            let SimilarVerdict { judgement, offered, judge_model, .. } = found;
            return Ok(Shared { judgement, offered, judge_model });
        }
        self.ask(case, receipt).await
    }
}

/// Updates verdict, candidates and known score of `identification` with the judgement.
pub(crate) fn weigh(
    identification: &mut Identification,
    judged: &Shared,
    trust: f32,
    thresholds: &VerdictThresholds,
) {
    let candidates: Vec<Candidate> =
        [&identification.best].into_iter().chain(&identification.alternatives).cloned().collect();
    let label = judged.judgement.label.as_ref();
    let weighed = weigh_judgement(&candidates, identification.known_score, label, trust, thresholds);
    let Some(weighed) = weighed else { return };
    let mut candidates = weighed.candidates.into_iter();
    if let Some(best) = candidates.next() {
        identification.best = best;
        identification.alternatives = candidates.collect();
    }
    identification.verdict = weighed.verdict;
    identification.known_score = weighed.known_score;
    // Both were derived from the model's confidences alone, which no longer hold.
    identification.category = None;
    identification.candidate_set = None;
}

/// Keeps the answer open between look-alikes that the judge identified: it only saw the photograph.
pub(crate) fn leave_look_alikes_open(identification: &mut Identification, look_alikes: &LookAlikes) {
    if identification.verdict != Verdict::Identified {
        return;
    }
    let confidence_of = |label: &PartLabel| {
        let found = identification.alternatives.iter().find(|other| other.label == *label);
        found.map_or(0.0, |other| other.confidence)
    };
    if let Some(set) = look_alikes.set_of(&identification.best, confidence_of) {
        identification.verdict = Verdict::NotSure;
        identification.candidate_set = Some(set);
    }
}

/// Whether a judgement on a near-duplicate, for which these types were offered, applies to these candidates: the type
/// that it names is one of them, or for "none of these" all of them were offered.
fn applies(judgement: &Judgement, offered: &[PartLabel], candidates: &[Candidate]) -> bool {
    match &judgement.label {
        Some(label) => candidates.iter().any(|candidate| candidate.label == *label),
        None => candidates.iter().all(|candidate| offered.contains(&candidate.label)),
    }
}

#[cfg(test)]
mod tests {
    use partsight_domain::{LookAlikePair, StageTimings};
    use partsight_inference::Fingerprint;

    use super::*;

    fn candidate(text: &str, confidence: f32) -> Candidate {
        Candidate { label: PartLabel::new(text).unwrap(), confidence }
    }

    #[test]
    fn none_of_these_holds_only_for_what_was_offered() {
        let judgement = |label: Option<&str>| Judgement {
            label: label.map(|label| PartLabel::new(label).unwrap()),
            stated_confidence: 0.9,
            evidence: String::new(),
            part_numbers: Vec::new(),
            better_photo: None,
        };
        let labels =
            |texts: &[&str]| texts.iter().map(|text| PartLabel::new(text).unwrap()).collect::<Vec<_>>();
        let candidates = [candidate("rim", 0.6), candidate("hub-cap", 0.2)];
        for (label, offered, expected) in [
            (Some("rim"), &["rim", "tire"][..], true),
            (Some("tire"), &["rim", "tire"], false),
            (None, &["hub-cap", "rim", "tire"], true),
            (None, &["rim", "tire"], false),
            (None, &[], false),
        ] {
            assert_eq!(
                applies(&judgement(label), &labels(offered), &candidates),
                expected,
                "{label:?} {offered:?}"
            );
        }
    }

    fn judged(verdict: Verdict) -> Identification {
        Identification {
            verdict,
            best: candidate("rim", 0.9),
            alternatives: vec![candidate("piston", 0.06), candidate("hub-cap", 0.04)],
            category: None,
            candidate_set: None,
            known_score: 0.9,
            vehicle_doubts: Vec::new(),
            fingerprint: Fingerprint::from_bytes(&[0; Fingerprint::BYTES]),
            embedding: None,
            read: None,
            regions: None,
            timings_ms: StageTimings::default(),
        }
    }

    #[test]
    fn the_judge_does_not_decide_between_look_alikes() {
        let pair = |other: &str| {
            let labels = [candidate("rim", 0.0), candidate(other, 0.0)].map(|one| one.label);
            let [one, other] = labels;
            LookAlikePair::new(one, other).unwrap()
        };
        let open = |labels: &[(&str, f32)]| {
            let candidates = labels.iter().map(|(label, confidence)| candidate(label, *confidence)).collect();
            Some(CandidateSet { coverage: None, is_unmeasured: false, candidates })
        };
        let cases = [
            ("nothing is marked", vec![], Verdict::Identified, (Verdict::Identified, None)),
            (
                "a candidate is marked",
                vec![pair("hub-cap")],
                Verdict::Identified,
                (Verdict::NotSure, open(&[("rim", 0.9), ("hub-cap", 0.04)])),
            ),
            (
                "what the judge was not offered is marked",
                vec![pair("spare")],
                Verdict::Identified,
                (Verdict::NotSure, open(&[("rim", 0.9), ("spare", 0.0)])),
            ),
            ("it was not sure", vec![pair("hub-cap")], Verdict::NotSure, (Verdict::NotSure, None)),
        ];
        for (name, pairs, verdict, expected) in cases {
            let mut identification = judged(verdict);
            leave_look_alikes_open(&mut identification, &pairs.into_iter().collect());
            assert_eq!((identification.verdict, identification.candidate_set), expected, "{name}");
        }
    }
}
