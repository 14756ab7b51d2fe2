//! One question to the judge about a photograph: take a turn, reserve money, ask, settle the cost. Whether to ask is
//! decided in `cascade.rs`.

use std::pin::Pin;
use std::sync::Arc;

use partsight_catalog::Catalog;
use partsight_domain::{
    Candidate, Embedding, Judgement, JudgingReceipt, NotJudged, PartLabel, ScanId, TenantId, User,
    VehicleName, VerdictPath,
};
use partsight_providers::{JudgeCandidate, JudgeQuestion, JudgeReply};
use partsight_store::{CallPurpose, JudgeCost, JudgedVerdict, Kept, NoMoney, ReservedCall};
use tokio::sync::OnceCell;

use super::configured_judge::ConfiguredJudge;
use super::in_flight::Shared;
use crate::judging::Judging;
use crate::judging::judge_photo::{self, judge_photo};
use crate::logged;

/// The bytes of a photograph, shared by the identifier and the cascade.
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

/// A photograph to be judged.
pub(super) struct Case<'c> {
    pub(super) scan_id: ScanId,
    pub(super) user: &'c User,
    pub(super) judge: &'c ConfiguredJudge,
    pub(super) embedding: Arc<Embedding>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) photo: SharedPhoto,
    /// Further context for the judge.
    pub(super) evident: Evident<'c>,
    /// Built once, however often asking is retried.
    pub(super) question: OnceCell<JudgeQuestion>,
}

impl Case<'_> {
    /// The types that the judge can choose from.
    pub(super) fn offered(&self) -> Vec<PartLabel> {
        self.candidates.iter().map(|candidate| candidate.label.clone()).collect()
    }
}

/// How long a photograph of a batch waits for a busy judge.
pub(crate) trait Patience: Sync {
    /// Whether to keep waiting: false when the time is over or the photograph was cancelled.
    fn lasts(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;
}

/// What the judge may see in addition to the candidates.
pub(crate) struct Evident<'e> {
    /// The vehicle of the scan.
    pub(crate) vehicle: Option<&'e VehicleName>,
    /// Lines of text read on the part.
    pub(crate) read_text: Vec<String>,
    /// The photograph; without one the judge is not asked.
    pub(crate) photo: Option<SharedPhoto>,
    /// Set for a photograph of a batch; `None` for a scan that a person waits for.
    pub(crate) patience: Option<&'e dyn Patience>,
}

impl Judging {
    /// Reserves the maximum cost of a call within the budgets of the server and the shop.
    ///
    /// # Errors
    /// The exhausted budget; [`NotJudged::Busy`] if the budget is only short because of reservations of running calls.
    pub(crate) async fn reserve_judge_call(
        &self,
        judge: &ConfiguredJudge,
        tenant_id: TenantId,
        purpose: CallPurpose,
        micro_dollars: u64,
    ) -> Result<ReservedCall, NotJudged> {
        let choice = self.store.judge_budget_choice(tenant_id).await.map_err(|error| failed(&error))?;
        let budgets = judge.budgets(choice);
        // Reserved in the database before the call, so that budgets hold across servers. An abandoned call stays
        // counted at its maximum. See docs/decisions/0032-reserve-judge-money.md.
        let reserved = self
            .store
            .reserve_judge_call(tenant_id, purpose, micro_dollars, &budgets, self.clock.now())
            .await;
        reserved.map_err(|error| failed(&error))?.map_err(|refusal| match refusal {
            NoMoney::Spent(budget) => budget,
            NoMoney::SetAside => NotJudged::Busy,
        })
    }

    /// Asks the judge and settles the cost.
    pub(super) async fn ask(
        &self,
        case: &Case<'_>,
        receipt: &mut JudgingReceipt,
    ) -> Result<Shared, NotJudged> {
        let judge = case.judge;
        // The turn is taken before decoding and reserving, so that a refusal costs nothing.
        let turn = match case.evident.patience {
            None => judge.turn().await?,
            // Cancelled while it waited: nothing is spent.
            Some(patience) if !patience.lasts().await => return Err(NotJudged::Busy),
            Some(_) => judge.spare_turn()?,
        };
        let question = case.question.get_or_try_init(|| self.question_of(case)).await?;
        let most = judge.most_cost(question);
        let tenant_id = case.user.shop_tenant();
        let reserved =
            self.reserve_judge_call(judge, tenant_id, CallPurpose::Judgement, most.micro_dollars).await?;

        // From here on the reserved maximum counts as spent until the answer states the cost. If the caller is
        // cancelled in between, the maximum stays counted, because the cost is unknown.
        let reply = judge.client.ask(question).await;
        // Even without an answer, the photograph has left this machine.
        if reply.was_sent {
            receipt.photo_sent_to = Some(judge.client.host());
        }
        let cost = judge.cost_of(&reply, most);
        receipt.cost_micro_dollars = cost.micro_dollars;
        (receipt.input_tokens, receipt.output_tokens) = (cost.input_tokens, cost.output_tokens);
        self.keep(case, reserved, cost, &reply).await;
        judge.end_turn(turn);
        // Checked only now, because an unusable answer is charged as well.
        let judgement = reply.answer?;
        receipt.verdict_path = VerdictPath::Llm;
        Ok(Shared { judgement, offered: case.offered(), judge_model: judge.client.model().to_owned() })
    }

    async fn question_of(&self, case: &Case<'_>) -> Result<JudgeQuestion, NotJudged> {
        // Decoded again at the judge's resolution, so that no pixels are held while a scan waits.
        let jpeg = self
            .identifier
            .with_pixels(case.user.into(), case.photo.clone(), judge_photo::DETAIL, judge_photo)
            .await;
        let jpeg = jpeg.ok_or(NotJudged::NotPossible)?;
        let mut question = question(&self.catalog, &case.candidates, case.evident.vehicle, jpeg);
        question.read_text.clone_from(&case.evident.read_text);
        Ok(question)
    }

    /// Settles the cost, and saves the judgement for reuse on near-duplicates. A failure to save is only logged.
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
                // The verdict belongs to the scan's owner; the cost is charged to the shop.
                tenant_id: case.user.tenant_id,
                scan_id: case.scan_id,
                embedding: Embedding::clone(&case.embedding),
                model_sha256: self.identifier.model_sha256().to_owned(),
                judgement: judgement.clone(),
                offered: case.offered(),
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
                error = logged(&error),
                "what the judge cost could not be noted; the most that it can have cost stays counted"
            );
        }
    }
}

/// The question about a photograph, as sent to the judge.
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
            // A taught part is not in the catalogue; its label is derived from its name.
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

/// Logs a failed query; the scan is then answered without the judge.
pub(crate) fn failed(error: &partsight_store::Error) -> NotJudged {
    tracing::error!(error = logged(error), "the judge could not be consulted");
    NotJudged::Internal
}
