//! What happens to a photograph that the model on this machine is not sure of: what the judge said of one like it is
//! used again, or else the judge is asked, where that is allowed and there is money for it. Whatever goes wrong, the
//! local answer stands, with the reason in its receipt.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use partsight_catalog::Catalog;
use partsight_domain::{
    Candidate, CandidateSet, Embedding, Judgement, JudgingReceipt, LookAlikes, NotJudged, PartLabel, ScanId,
    TenantId, User, VehicleName, Verdict, VerdictPath, VerdictThresholds, weigh_judgement,
};
use partsight_inference::sha256;
use partsight_providers::{JudgeCandidate, JudgeQuestion, JudgeReply};
use partsight_store::{CallPurpose, JudgeCost, JudgedVerdict, Kept, NoMoney, ReservedCall};
use tokio::sync::OnceCell;

use super::configured_judge::ConfiguredJudge;
use super::in_flight::{Entry, InFlight, Shared};
use crate::judging::Judging;
use crate::judging::judge_photo::{self, judge_photo};
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

/// The bytes of a photograph, held by the identifier and the cascade at once.
#[derive(Debug, Clone)]
pub(crate) struct SharedPhoto(Arc<Vec<u8>>);

impl SharedPhoto {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(Arc::new(bytes))
    }
}

impl AsRef<[u8]> for SharedPhoto {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
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

/// A photograph that is to be judged.
struct Case<'c> {
    scan_id: ScanId,
    user: &'c User,
    judge: &'c ConfiguredJudge,
    embedding: Arc<Embedding>,
    candidates: Vec<Candidate>,
    photo: SharedPhoto,
    /// The rest of what the judge may see.
    evident: Evident<'c>,
    /// Made once, however often the judge has no time for it.
    question: OnceCell<JudgeQuestion>,
}

/// For how long a photograph waits for a judge that cannot take it now.
pub(crate) trait Patience: Sync {
    /// Whether it waits on, and still is to be judged.
    fn lasts(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;
}

/// What the judge may see beside the candidates.
pub(crate) struct Evident<'e> {
    /// The vehicle of the scan.
    pub(crate) vehicle: Option<&'e VehicleName>,
    /// The lines of text that were read on the part.
    pub(crate) read_text: Vec<String>,
    /// The photograph; without it the judge is not asked.
    pub(crate) photo: Option<SharedPhoto>,
    /// That of a photograph of a batch. A person at a screen has none.
    pub(crate) patience: Option<&'e dyn Patience>,
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

    /// Sets aside the most that a call can cost, within what the server allows and the shop wants to spend. Busy is who
    /// could be paid for if others' calls, for which the rest is set aside, had come back.
    pub(crate) async fn reserve_judge_call(
        &self,
        judge: &ConfiguredJudge,
        tenant_id: TenantId,
        purpose: CallPurpose,
        micro_dollars: u64,
    ) -> Result<ReservedCall, NotJudged> {
        let choice = self.store.judge_budget_choice(tenant_id).await.map_err(|error| failed(&error))?;
        let budgets = judge.budgets(choice);
        // In the database and before the call, so that budgets hold however many servers ask; a call that is abandoned
        // stays counted at its most. See docs/decisions/0032-reserve-judge-money.md.
        let reserved = self
            .store
            .reserve_judge_call(tenant_id, purpose, micro_dollars, &budgets, self.clock.now())
            .await;
        reserved.map_err(|error| failed(&error))?.map_err(|refusal| match refusal {
            NoMoney::Spent(budget) => budget,
            NoMoney::SetAside => NotJudged::Busy,
        })
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

    async fn ask(&self, case: &Case<'_>, receipt: &mut JudgingReceipt) -> Result<Shared, NotJudged> {
        let judge = case.judge;
        // A turn before pixels and money: who is refused has cost nothing yet.
        let turn = match case.evident.patience {
            None => judge.turn().await?,
            // What was cancelled meanwhile is not paid for.
            Some(patience) if !patience.lasts().await => return Err(NotJudged::Busy),
            Some(_) => judge.spare_turn()?,
        };
        let question = case.question.get_or_try_init(|| self.question_of(case)).await?;
        let most = judge.most_cost(question);
        let tenant_id = case.user.shop_tenant();
        let reserved =
            self.reserve_judge_call(judge, tenant_id, CallPurpose::Judgement, most.micro_dollars).await?;

        // From here on the money counts as spent, until the answer says how much it was; it stays so where the
        // caller goes away in between, because nobody knows then.
        let reply = judge.client.ask(question).await;
        // Also where no answer came: the photograph has left.
        if reply.was_sent {
            receipt.photo_sent_to = Some(judge.client.host());
        }
        let cost = judge.cost_of(&reply, most);
        receipt.cost_micro_dollars = cost.micro_dollars;
        (receipt.input_tokens, receipt.output_tokens) = (cost.input_tokens, cost.output_tokens);
        self.keep(case, reserved, cost, &reply).await;
        judge.end_turn(turn);
        // Only now, because an answer that cannot be used was paid for as well.
        let judgement = reply.answer?;
        receipt.verdict_path = VerdictPath::Llm;
        Ok(Shared { judgement, judge_model: judge.client.model().to_owned() })
    }

    async fn question_of(&self, case: &Case<'_>) -> Result<JudgeQuestion, NotJudged> {
        // Decoded again, at the detail that the judge needs: no pixels are held while a scan waits.
        let jpeg = self
            .identifier
            .with_pixels(case.user.into(), case.photo.clone(), judge_photo::DETAIL, judge_photo)
            .await;
        let jpeg = jpeg.ok_or(NotJudged::NotPossible)?;
        let mut question = question(&self.catalog, &case.candidates, case.evident.vehicle, jpeg);
        question.read_text.clone_from(&case.evident.read_text);
        Ok(question)
    }

    /// Settles the call and keeps its judgement for photographs like this one. An answer that cannot be kept is
    /// still an answer.
    async fn keep(
        &self,
        case: &Case<'_>,
        reserved: ReservedCall,
        cost: JudgeCost,
        reply: &JudgeReply<Judgement>,
    ) {
        let now = self.clock.now();
        let expires_at = now.saturating_add(case.judge.reuse).unwrap_or(now);
        let verdict =
            reply.answer.as_ref().ok().filter(|_| expires_at > now).map(|judgement| JudgedVerdict {
                // The verdict goes with the scan, which is the person's; the money is the shop's.
                tenant_id: case.user.tenant_id,
                scan_id: case.scan_id,
                embedding: Embedding::clone(&case.embedding),
                model_sha256: self.identifier.model_sha256().to_owned(),
                judgement: judgement.clone(),
                judge_model: case.judge.client.model().to_owned(),
                cost,
                created_at: now,
                expires_at,
            });
        let settled = self
            .store
            .settle_judge_call(
                case.user.shop_tenant(),
                reserved,
                cost,
                verdict.as_ref().map(Kept::Verdict),
                now,
            )
            .await;
        if let Err(error) = settled {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "what the judge cost could not be noted; the most that it can have cost stays counted"
            );
        }
    }
}

/// What the judge is asked about a photograph.
pub(crate) fn question(
    catalog: &Catalog,
    candidates: &[Candidate],
    vehicle: Option<&VehicleName>,
    jpeg: Vec<u8>,
) -> JudgeQuestion {
    let candidates = candidates.iter().map(|candidate| {
        let part_type = catalog.get(&candidate.label);
        JudgeCandidate {
            label: candidate.label.clone(),
            // A taught part is told by its label, which is made of its name.
            name: part_type
                .map_or_else(|| candidate.label.as_str().replace('-', " "), |part| part.name.clone()),
            description: part_type.map(|part| part.description.clone()).unwrap_or_default(),
        }
    });
    JudgeQuestion {
        jpeg,
        vehicle: vehicle.map(ToString::to_string),
        read_text: Vec::new(),
        candidates: candidates.collect(),
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

/// A database that fails must not cost the answer.
pub(crate) fn failed(error: &partsight_store::Error) -> NotJudged {
    tracing::error!(error = error as &dyn std::error::Error, "the judge could not be consulted");
    NotJudged::Internal
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
