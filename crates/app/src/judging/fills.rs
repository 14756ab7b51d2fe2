//! What the judge's language model fills in where the catalogue has nothing: guides of taught parts, oil specifications
//! and notes on fitment. Whatever goes wrong, the answer is what it would be without.
//!
//! Only somebody who asks for it in so many words has it filled in: a call that reads shows what is there and never
//! spends. So nobody who pages through vehicles or parts, no program that crawls them, and no browser that fetches a
//! page ahead can use up a budget, and a page never waits for a language model. What is asked for is asked once: it is
//! kept for all whom it concerns, also that nothing usable came. Questions of one shop are limited beside its budget, so
//! that a stuck button does not spend a month in a minute.

use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{FillKind, Filled, NotJudged, TenantId, User};
use partsight_inference::sha256;
use partsight_providers::JudgeReply;
use partsight_store::{CallPurpose, FillKey, JudgeCost, Kept, NewFill, ReservedCall, StoredFill};

use crate::accounts::owner::{Owner, shop_to_change};
use crate::fill::{FillState, FillSubject};
use crate::judging::Judging;
use crate::judging::asking::failed;
use crate::judging::configured_judge::ConfiguredJudge;
use crate::limits::one_at_a_time::OneAtATime;
use crate::limits::rate_limit::RateLimit;
use crate::{Entity, Error, Result};

/// What was filled in is kept for so long: makers change their minds, and models learn.
const KEEP_FILLED: SignedDuration = SignedDuration::from_hours(24 * 180);
/// That it is not known is kept for so long: the next model may know.
const KEEP_UNKNOWN: SignedDuration = SignedDuration::from_hours(24 * 14);
/// That an answer which was paid for could not be used is kept for so long: another try may go better, and should not be
/// one click away.
const KEEP_UNUSABLE: SignedDuration = SignedDuration::from_mins(10);
/// Questions of one shop at once, and the time after which one comes back.
const QUESTIONS: u32 = 10;
const QUESTION_INTERVAL: Duration = Duration::from_mins(1);

/// How much is filled in at a time: each subject once, and so many questions of a shop.
#[derive(Default)]
pub(crate) struct FillLimits {
    one_at_a_time: OneAtATime<String>,
    by_shop: QuestionLimit,
}

struct QuestionLimit(RateLimit);

impl Default for QuestionLimit {
    fn default() -> Self {
        Self(RateLimit::new(QUESTIONS, QUESTION_INTERVAL))
    }
}

/// A subject as the store knows it.
struct Wanted<'s> {
    subject: &'s FillSubject,
    subject_sha256: String,
    viewer: TenantId,
    may_discard: bool,
}

impl<'s> Wanted<'s> {
    fn new(user: &User, subject: &'s FillSubject) -> Self {
        let subject_sha256 = sha256(subject.question.subject().as_bytes());
        let may_discard = may_discard(user, subject).is_ok();
        Self { subject, subject_sha256, viewer: user.shop_tenant(), may_discard }
    }

    fn state(&self, stored: StoredFill) -> FillState {
        let StoredFill { content, llm_model, created_at } = stored;
        match content {
            Some(content) => {
                FillState::Filled { content, llm_model, filled_at: created_at, may_discard: self.may_discard }
            }
            None => FillState::NotKnown { llm_model, asked_at: created_at },
        }
    }

    fn kind(&self) -> FillKind {
        self.subject.question.kind()
    }

    fn key(&self) -> FillKey<'_> {
        FillKey {
            kind: self.kind(),
            owner: self.subject.owner,
            subject_sha256: &self.subject_sha256,
            viewer: self.viewer,
        }
    }

    /// Tells it from every other subject.
    fn name(&self) -> String {
        let owner = self.subject.owner.map(|owner| owner.to_string()).unwrap_or_default();
        format!("{} {owner} {}", self.kind().as_str(), self.subject_sha256)
    }
}

/// Refuses those who may not change whose the subject is; what all share, each shop may throw away for itself.
pub(crate) fn may_discard(user: &User, subject: &FillSubject) -> Result<()> {
    match subject.owner {
        Some(owner) if Owner::of(user).may_change(Some(owner)) => Ok(()),
        _ => shop_to_change(user).map(|_| ()),
    }
}

impl Judging {
    /// What there is of a subject. Asks nobody, and costs nothing. Those who may not ask see nothing of what others asked
    /// for: they want no language model, or have not paid for one.
    pub(crate) async fn fill_state(&self, user: &User, subject: &FillSubject) -> FillState {
        if let Err(reason) = self.judge_for(user).await {
            return FillState::NotAsked(reason);
        }
        self.found(&Wanted::new(user, subject)).await.unwrap_or(FillState::Askable)
    }

    /// Has a subject filled in, unless it is already, or is known not to be known.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`] for more than 10 questions of a shop at once. Every other failure is part of the
    /// answer.
    pub(crate) async fn fill(&self, user: &User, subject: &FillSubject) -> Result<FillState> {
        let (judging, user, subject) = (self.clone(), user.clone(), subject.clone());
        // What is paid for is kept, also when whoever asked for it goes away.
        self.tasks.run(async move { judging.fill_to_the_end(&user, &subject).await }).await
    }

    async fn fill_to_the_end(&self, user: &User, subject: &FillSubject) -> Result<FillState> {
        let judge = match self.judge_for(user).await {
            Ok(judge) => judge,
            Err(reason) => return Ok(FillState::NotAsked(reason)),
        };
        let wanted = Wanted::new(user, subject);
        // Whoever comes second finds what the first one got.
        let _turn = self.fills.one_at_a_time.enter(wanted.name()).await;
        if let Some(found) = self.found(&wanted).await {
            return Ok(found);
        }
        // After the look at what is kept: only a question counts, not whoever reads its answer.
        self.fills.by_shop.0.take(&wanted.viewer.to_string(), self.clock.steady())?;
        Ok(self.ask_for_fill(user, judge, &wanted).await.unwrap_or_else(FillState::NotAsked))
    }

    /// Throws away what was filled in, so that it can be asked for anew. What all share goes for the user's shop alone.
    ///
    /// # Errors
    /// [`Error::NotFound`] where nothing was filled in. Whether the user may change the shop is for the caller to check.
    pub(crate) async fn discard_fill(&self, user: &User, subject: &FillSubject) -> Result<()> {
        let wanted = Wanted::new(user, subject);
        if self.store.reject_fill(wanted.key(), self.clock.now()).await? {
            tracing::info!(fill.kind = wanted.kind().as_str(), "what was filled in was thrown away");
            Ok(())
        } else {
            Err(Error::NotFound { entity: Entity::Fill })
        }
    }

    /// A database that fails must not cost the answer.
    async fn found(&self, wanted: &Wanted<'_>) -> Option<FillState> {
        match self.store.find_fill(wanted.key(), self.clock.now()).await {
            Ok(found) => found.map(|stored| wanted.state(stored)),
            // `Some`, so that nothing is paid for while the database cannot keep it.
            Err(error) => Some(FillState::NotAsked(failed(&error))),
        }
    }

    async fn ask_for_fill(
        &self,
        user: &User,
        judge: &ConfiguredJudge,
        wanted: &Wanted<'_>,
    ) -> Result<FillState, NotJudged> {
        let outcome = self.pay_for_fill(user, judge, wanted).await;
        let (state, cost) = match outcome {
            Ok((state, cost)) => (Ok(state), cost),
            Err((reason, cost)) => (Err(reason), cost),
        };
        self.metrics.count_fill(wanted.kind(), &state, cost);
        tracing::info!(
            fill.kind = wanted.kind().as_str(),
            fill.reason = state.as_ref().err().copied().map(NotJudged::as_str),
            fill.cost_micro_dollars = cost.micro_dollars,
            "the language model was to fill something in"
        );
        state
    }

    /// Asks under the rules of the judge: its turns, its breaker, its budgets.
    async fn pay_for_fill(
        &self,
        user: &User,
        judge: &ConfiguredJudge,
        wanted: &Wanted<'_>,
    ) -> Result<(FillState, JudgeCost), (NotJudged, JudgeCost)> {
        let free = |reason| (reason, JudgeCost::default());
        let turn = judge.turn().await.map_err(free)?;
        let question = &wanted.subject.question;
        let most = judge.most_fill_cost(question);
        let purpose = CallPurpose::Fill(wanted.kind(), user.id);
        let reserved =
            self.reserve_judge_call(judge, wanted.viewer, purpose, most.micro_dollars).await.map_err(free)?;
        // As with a photograph, the money counts as spent from here on.
        let reply = judge.client.fill(question).await;
        let cost = judge.cost_of(&reply, most);
        let state = self.keep_fill(wanted, judge, reserved, cost, reply).await;
        judge.end_turn(turn);
        state.map(|state| (state, cost)).map_err(|reason| (reason, cost))
    }

    /// Settles the call and keeps what came of it. An answer that cannot be kept is still an answer.
    async fn keep_fill(
        &self,
        wanted: &Wanted<'_>,
        judge: &ConfiguredJudge,
        reserved: ReservedCall,
        cost: JudgeCost,
        reply: JudgeReply<Option<Filled>>,
    ) -> Result<FillState, NotJudged> {
        let keep_for = match &reply.answer {
            Ok(Some(_)) => Some(KEEP_FILLED),
            Ok(None) => Some(KEEP_UNKNOWN),
            Err(_) if cost.micro_dollars > 0 => Some(KEEP_UNUSABLE),
            Err(_) => None,
        };
        let now = self.clock.now();
        let content = reply.answer.as_ref().ok().cloned().flatten();
        let fill = keep_for.map(|keep_for| NewFill {
            kind: wanted.kind(),
            // What failed for one shop says nothing to others, who may try for themselves.
            owner: wanted.subject.owner.or(reply.answer.is_err().then_some(wanted.viewer)),
            subject_sha256: wanted.subject_sha256.clone(),
            content: content.clone(),
            llm_model: judge.client.model().to_owned(),
            created_at: now,
            expires_at: now.saturating_add(keep_for).unwrap_or(now),
        });
        let kept = fill.as_ref().map(Kept::Fill);
        if let Err(error) = self.store.settle_judge_call(wanted.viewer, reserved, cost, kept, now).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "what an answer cost could not be noted; the most that it can have cost stays counted"
            );
        }
        // Only now, because what cannot be used was paid for as well.
        reply.answer?;
        let llm_model = judge.client.model().to_owned();
        Ok(wanted.state(StoredFill { content, llm_model, created_at: now }))
    }
}
