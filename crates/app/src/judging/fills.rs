//! Fills: texts that the judge's language model writes where the catalogue has none, namely guides of taught parts, oil
//! specifications and notes on fitment. If asking fails, the answer is the same as without a language model.
//!
//! A text is written only on an explicit request; a call that reads shows what is saved and never spends. So browsing,
//! crawlers and prefetching browsers cannot use up a budget, and no page waits for a language model. The result is
//! saved for everybody whom it concerns, including that nothing usable came, so that it is paid for once. Besides its
//! budget, each shop has a rate limit, so that a repeated click cannot spend the month's budget in a minute.

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
use crate::{Entity, Error, Result, logged};

/// How long a text is kept: specifications change, and language models improve.
const KEEP_FILLED: SignedDuration = SignedDuration::from_hours(24 * 180);
/// How long "not known" is kept: another language model may know.
const KEEP_UNKNOWN: SignedDuration = SignedDuration::from_hours(24 * 14);
/// How long an unusable answer that was paid for is kept: a retry may succeed, but not by clicking again at once.
const KEEP_UNUSABLE: SignedDuration = SignedDuration::from_mins(10);
/// Rate limit of a shop: a burst of so many questions, and one more per interval.
const QUESTIONS: u32 = 10;
const QUESTION_INTERVAL: Duration = Duration::from_mins(1);

/// Limits on fills: one question per subject at a time, and the rate limit of each shop.
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

/// A subject with its key in the store.
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

    /// Unique name of the subject.
    fn name(&self) -> String {
        let owner = self.subject.owner.map(|owner| owner.to_string()).unwrap_or_default();
        format!("{} {owner} {}", self.kind().as_str(), self.subject_sha256)
    }
}

/// Refuses users who may not change the subject's owner. A text shared by all tenants may be discarded by each shop for
/// itself.
pub(crate) fn may_discard(user: &User, subject: &FillSubject) -> Result<()> {
    match subject.owner {
        Some(owner) if Owner::of(user).may_change(Some(owner)) => Ok(()),
        _ => shop_to_change(user).map(|_| ()),
    }
}

impl Judging {
    /// The saved text of a subject. Never asks the language model. Users who may not ask do not see texts that others
    /// requested either, because they refused the language model or their plan does not include it.
    pub(crate) async fn fill_state(&self, user: &User, subject: &FillSubject) -> FillState {
        if let Err(reason) = self.judge_for(user).await {
            return FillState::NotAsked(reason);
        }
        self.found(&Wanted::new(user, subject)).await.unwrap_or(FillState::Askable)
    }

    /// Requests a text, unless one is saved or the subject is known to be unknown.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`] beyond the shop's rate limit. Every other failure is part of the returned state.
    pub(crate) async fn fill(&self, user: &User, subject: &FillSubject) -> Result<FillState> {
        let (judging, user, subject) = (self.clone(), user.clone(), subject.clone());
        // A detached task survives client disconnect, so that a paid answer is saved.
        self.tasks.run(async move { judging.fill_to_the_end(&user, &subject).await }).await
    }

    async fn fill_to_the_end(&self, user: &User, subject: &FillSubject) -> Result<FillState> {
        let judge = match self.judge_for(user).await {
            Ok(judge) => judge,
            Err(reason) => return Ok(FillState::NotAsked(reason)),
        };
        let wanted = Wanted::new(user, subject);
        // A second request for the subject waits, and finds the result of the first.
        let _turn = self.fills.one_at_a_time.enter(wanted.name()).await;
        if let Some(found) = self.found(&wanted).await {
            return Ok(found);
        }
        // After the lookup, because only questions count against the limit.
        self.fills.by_shop.0.take(&wanted.viewer.to_string(), self.clock.steady())?;
        Ok(self.ask_for_fill(user, judge, &wanted).await.unwrap_or_else(FillState::NotAsked))
    }

    /// Discards a text, so that it can be requested again. A shared text is hidden from the user's shop only.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no text. The caller checks whether the user may change the shop.
    pub(crate) async fn discard_fill(&self, user: &User, subject: &FillSubject) -> Result<()> {
        let wanted = Wanted::new(user, subject);
        if self.store.reject_fill(wanted.key(), self.clock.now()).await? {
            tracing::info!(fill.kind = wanted.kind().as_str(), "filled-in values were discarded");
            Ok(())
        } else {
            Err(Error::NotFound { entity: Entity::Fill })
        }
    }

    /// The saved state; `None` if the subject can be requested.
    async fn found(&self, wanted: &Wanted<'_>) -> Option<FillState> {
        match self.store.find_fill(wanted.key(), self.clock.now()).await {
            Ok(found) => found.map(|stored| wanted.state(stored)),
            // `Some`, so that no answer is paid for while the database cannot save it.
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

    /// Asks within the judge's turns, circuit breaker and budgets.
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
        // As for a photograph, the reserved maximum counts as spent from here on.
        let reply = judge.client.fill(question).await;
        let cost = judge.cost_of(&reply, most);
        let state = self.keep_fill(wanted, judge, reserved, cost, reply).await;
        judge.end_turn(turn);
        state.map(|state| (state, cost)).map_err(|reason| (reason, cost))
    }

    /// Settles the cost and saves the result. A failure to save is only logged.
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
            // A failure is saved for this shop only; other shops may try for themselves.
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
                error = logged(&error),
                "what an answer cost could not be noted; the most that it can have cost stays counted"
            );
        }
        // Checked only now, because an unusable answer is charged as well.
        reply.answer?;
        let llm_model = judge.client.model().to_owned();
        Ok(wanted.state(StoredFill { content, llm_model, created_at: now }))
    }
}
