//! One question to the judge about a photograph: a turn, money that is set aside, the question itself, and what came of
//! it. Whether there is to be one is for `cascade.rs`.

use std::pin::Pin;
use std::sync::Arc;

use partsight_catalog::Catalog;
use partsight_domain::{
    Candidate, Embedding, Judgement, JudgingReceipt, NotJudged, ScanId, TenantId, User, VehicleName,
    VerdictPath,
};
use partsight_providers::{JudgeCandidate, JudgeQuestion, JudgeReply};
use partsight_store::{CallPurpose, JudgeCost, JudgedVerdict, Kept, NoMoney, ReservedCall};
use tokio::sync::OnceCell;

use super::configured_judge::ConfiguredJudge;
use super::in_flight::Shared;
use crate::judging::Judging;
use crate::judging::judge_photo::{self, judge_photo};

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

/// A photograph that is to be judged.
pub(super) struct Case<'c> {
    pub(super) scan_id: ScanId,
    pub(super) user: &'c User,
    pub(super) judge: &'c ConfiguredJudge,
    pub(super) embedding: Arc<Embedding>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) photo: SharedPhoto,
    /// The rest of what the judge may see.
    pub(super) evident: Evident<'c>,
    /// Made once, however often the judge has no time for it.
    pub(super) question: OnceCell<JudgeQuestion>,
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

    /// Asks the judge, and pays for it.
    pub(super) async fn ask(
        &self,
        case: &Case<'_>,
        receipt: &mut JudgingReceipt,
    ) -> Result<Shared, NotJudged> {
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

/// A database that fails must not cost the answer.
pub(crate) fn failed(error: &partsight_store::Error) -> NotJudged {
    tracing::error!(error = error as &dyn std::error::Error, "the judge could not be consulted");
    NotJudged::Internal
}
