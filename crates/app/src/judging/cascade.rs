//! What happens to a photograph that the model on this machine is not sure of: what the judge said of one like it is
//! used again, or else the judge is asked, where that is allowed and there is money for it. Whatever goes wrong, the
//! local answer stands, with the reason in its receipt.

use std::sync::Arc;
use std::time::Instant;

use partsight_catalog::Catalog;
use partsight_domain::{
    Candidate, CandidateSet, JudgingReceipt, LookAlikes, NotJudged, PartLabel, ScanId, User, Verdict,
    VerdictPath, VerdictThresholds, weigh_judgement,
};
use partsight_inference::sha256;
use tokio::sync::OnceCell;

use super::asking::{Case, Evident, failed};
use super::configured_judge::ConfiguredJudge;
use super::in_flight::{Entry, InFlight, Shared};
use crate::judging::Judging;
use crate::recognition::identify::millis;
use crate::{Error, Identification, Result, Settings};

/// The next best candidates that a scan keeps beside the first, and the judge is offered.
pub(crate) const ALTERNATIVES: usize = 4;
/// Hex digits of the catalogue's hash that a receipt has: enough to tell two apart, short enough to read.
const CATALOG_VERSION_DIGITS: usize = 12;

/// What the cascade needs beside the store and the identifier.
#[derive(Debug)]
pub(crate) struct Cascade {
    judge: Option<ConfiguredJudge>,
    in_flight: InFlight,
    catalog_version: String,
}

impl Cascade {
    /// # Errors
    /// [`Error::Provider`] for a judge that cannot be used.
    pub(crate) fn new(
        settings: &Settings,
        catalog: &Catalog,
        judging: partsight_inference::Judging,
    ) -> Result<Self> {
        // Every word that the judge is told of a type is in this hash, so that receipts tell when the words
        // changed.
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
    /// Asks the judge where the model is not sure, and weighs its word into the verdict (by `thresholds`), the
    /// candidates and the known score of `identification`. Returns what the receipt says of it.
    ///
    /// The judgement belongs to the scan that is to be saved as `scan_id`.
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
        // Most scans never reach the judge: they get no time and no line in the log.
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

    /// Whether a photograph with this answer is one for the judge, who may be asked by this user.
    pub(crate) async fn will_judge(&self, user: &User, identification: &Identification) -> bool {
        let is_for_look_alikes =
            identification.candidate_set.as_ref().is_some_and(CandidateSet::is_of_look_alikes);
        identification.verdict == Verdict::NotSure
            && !is_for_look_alikes
            && self.has_judge()
            && self.judge_for(user).await.is_ok()
    }

    /// Whether a photograph of this receipt was sent off this machine.
    pub(crate) fn has_left_machine(&self, judging: &JudgingReceipt) -> bool {
        let is_here = self.cascade.judge().is_some_and(|judge| judge.client.is_on_this_machine());
        judging.photo_sent_to.is_some() && !is_here
    }

    /// The judge, where this user may ask it: where there is one, it is in their plan, they or their company allow it,
    /// and they have not refused it for themselves.
    pub(crate) async fn judge_for(&self, user: &User) -> Result<&ConfiguredJudge, NotJudged> {
        let judge = self.cascade.judge().ok_or(NotJudged::NotConfigured)?;
        // From cheap to dear: only who has got this far costs a query.
        if !judge.is_in_plan(self.accounts.effective_plan(user)) {
            return Err(NotJudged::NotInPlan);
        }
        let consent = self.consent_to_judge(user).await.map_err(|error| failed(&error))?;
        if consent.allows(judge.is_allowed_by_default) { Ok(judge) } else { Err(NotJudged::NotAllowed) }
    }

    /// The photograph as a case for the judge, or why it is none.
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
        // The judge sees no more than the picture, which does not tell them apart.
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

    /// What the judge says of the case, from memory or by asking. Of several cases at once that are alike, one goes
    /// through and the others take over what becomes of it; should its caller go away, the next one goes.
    ///
    /// One with patience that the judge cannot take now waits, and tries again.
    async fn settle_case(&self, case: &Case<'_>, receipt: &mut JudgingReceipt) -> Result<Shared, NotJudged> {
        let (judge, patience) = (case.judge, case.evident.patience);
        loop {
            if patience.is_some() {
                judge.client.settled().await;
            }
            let least = judge.least_similarity;
            // Within the shop alone: one account must not learn by a verdict what another photographs.
            let reason = match self.cascade.in_flight.enter(case.user.shop_tenant(), &case.embedding, least) {
                Entry::Follow(leader) => {
                    let similarity = leader.similarity;
                    match leader.outcome().await {
                        Some(Ok(shared)) if is_offered(shared.judgement.label.as_ref(), &case.candidates) => {
                            receipt.verdict_path = VerdictPath::Reused;
                            receipt.reused_similarity = Some(similarity);
                            return Ok(shared);
                        }
                        Some(Err(reason)) => reason,
                        // Its caller went away, or it was said of a picture like this one, but of a part that this
                        // one is not to be: it asks for itself.
                        Some(Ok(_)) | None => continue,
                    }
                }
                Entry::Lead(lead) => match self.reuse_or_ask(case, receipt).await {
                    // Those that follow are let go: there may be a person among them.
                    Err(reason) if patience.is_some() && judge.may_take_later(reason) => reason,
                    // Only this receipt has the cost; those that follow have spent nothing.
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
            // Whoever has refused it meanwhile is not asked about.
            self.judge_for(case.user).await?;
        }
    }

    /// What the judge said of a photograph like this one to anybody of the shop, else what it says now. Of somebody
    /// else's photograph the judge's words are all that is seen.
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
        // A verdict on a picture like this one may be about a part that this one is not to be.
        if let Some(found) = found
            && is_offered(found.judgement.label.as_ref(), &case.candidates)
        {
            receipt.verdict_path = VerdictPath::Reused;
            receipt.reused_similarity = Some(found.similarity);
            return Ok(Shared { judgement: found.judgement, judge_model: found.judge_model });
        }
        self.ask(case, receipt).await
    }
}

/// Weighs the judge's word: verdict, candidates and known score of `identification` are then those with it.
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
    // The category answered for types that tied by the model's figures alone, and the set was measured of those.
    identification.category = None;
    identification.candidate_set = None;
}

/// Leaves open which of several look-alikes it is, where the judge's word would decide: it has only seen the picture.
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

/// Whether what was said can be weighed against these candidates; "none of these" always can.
fn is_offered(label: Option<&PartLabel>, candidates: &[Candidate]) -> bool {
    label.is_none_or(|label| candidates.iter().any(|candidate| candidate.label == *label))
}

#[cfg(test)]
mod tests {
    use partsight_domain::{LookAlikePair, StageTimings};
    use partsight_inference::Fingerprint;

    use super::*;

    fn candidate(text: &str, confidence: f32) -> Candidate {
        Candidate { label: PartLabel::new(text).unwrap(), confidence }
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
            Some(CandidateSet { coverage: None, candidates })
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
