//! The judge with its prices, budgets and limits: the same for photographs and for what it fills in.

use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{Decimal, FillQuestion, JudgeBudgetChoice, NotJudged, Plan};
use partsight_inference::Judging;
use partsight_providers::{Judge, JudgeConsent, JudgeQuestion, JudgeReply, JudgeUsage};
use partsight_store::{JudgeBudgets, JudgeCost};
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::{Error, Result, Settings};

/// How long a question waits while as many as may be are with the judge.
const WAIT_FOR_TURN: Duration = Duration::from_secs(2);
/// How soon a photograph that waits for the judge looks again where no question came back here: one of another server may
/// have, and its own batch may have ended.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Millionths of a dollar are paid for each million of tokens, for each dollar of the price.
const TOKENS: u128 = 1_000_000;
/// A count of tokens can be so many times what was reserved: the setting for the tokens of a photograph may be wrong.
const FURTHEST_COUNT: u64 = 100;

/// The judge of the settings: its client, what it costs, and what may be asked and spent.
#[derive(Debug)]
pub(crate) struct ConfiguredJudge {
    pub(crate) client: Judge,
    /// What is allowed to all, and to any tenant, which may choose less.
    pub(super) most_budgets: JudgeBudgets,
    /// One for each question that may be with the judge at a time.
    turns: Semaphore,
    n_turns: usize,
    /// Rung when a question came back.
    came_back: Notify,
    pub(super) least_similarity: f32,
    pub(super) reuse: SignedDuration,
    pub(crate) trust: f32,
    pub(crate) is_allowed_by_default: bool,
}

impl ConfiguredJudge {
    /// The judge of these settings, if they name one; `judging` is what was measured of the model in use.
    ///
    /// # Errors
    /// [`Error::Provider`] for an address or key that cannot be used.
    pub(crate) fn new(settings: &Settings, judging: Judging) -> Result<Option<Self>> {
        let Some(client) = Judge::new(settings.judge.clone())? else { return Ok(None) };
        if settings.server.zero_egress && !client.is_on_this_machine() {
            // The settings are checked before; nobody may get here past that check.
            return Err(Error::internal("a judge elsewhere under `zero_egress`"));
        }
        let settings = &settings.judge;
        let n_turns = settings.concurrency as usize;
        Ok(Some(Self {
            client,
            most_budgets: JudgeBudgets {
                tenant_day: settings.tenant_daily_budget.millionths(),
                tenant_month: settings.tenant_monthly_budget.millionths(),
                server_day: settings.daily_budget.millionths(),
                server_month: settings.monthly_budget.millionths(),
            },
            turns: Semaphore::new(n_turns),
            n_turns,
            came_back: Notify::new(),
            least_similarity: settings.reuse_similarity.map_or(judging.reuse_similarity, Decimal::to_f32),
            reuse: SignedDuration::from_hours(24 * i64::from(settings.reuse_days)),
            trust: settings.trust.to_f32(),
            is_allowed_by_default: settings.consent == JudgeConsent::Given,
        }))
    }

    /// The budgets that hold for a tenant which wants to spend no more than this: never more than the server allows.
    pub(super) fn budgets(&self, choice: JudgeBudgetChoice) -> JudgeBudgets {
        let lower = |choice: Option<u64>, most: u64| choice.map_or(most, |choice| choice.min(most));
        JudgeBudgets {
            tenant_day: lower(choice.day, self.most_budgets.tenant_day),
            tenant_month: lower(choice.month, self.most_budgets.tenant_month),
            ..self.most_budgets
        }
    }

    /// Whether a plan includes the judge.
    pub(super) fn is_in_plan(&self, plan: Plan) -> bool {
        let rank = |plan| match plan {
            Plan::Basic => 0,
            Plan::Pro => 1,
            Plan::Business => 2,
        };
        rank(plan) >= rank(self.client.settings().plan)
    }

    /// Leave to ask once, until it is dropped.
    ///
    /// # Errors
    /// [`NotJudged::CircuitOpen`] and [`NotJudged::Busy`].
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>, NotJudged> {
        // Before the wait, so that nobody queues for a service that is left alone.
        if self.client.is_left_alone() {
            return Err(NotJudged::CircuitOpen);
        }
        let permit = timeout(WAIT_FOR_TURN, self.turns.acquire()).await;
        // The semaphore is never closed, so that only the time can have run out.
        permit.ok().and_then(Result::ok).ok_or(NotJudged::Busy)
    }

    /// As [`turn`](Self::turn), for a photograph of a batch: only what nobody at a screen waits for, and at once.
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub(super) fn spare_turn(&self) -> Result<SemaphorePermit<'_>, NotJudged> {
        if self.client.is_left_alone() {
            return Err(NotJudged::CircuitOpen);
        }
        // A turn that is given back goes to whoever waits for it before it can be had here.
        self.turns.try_acquire().map_err(|_| NotJudged::Busy)
    }

    /// Gives a turn back whose question was settled, and lets one that waits look again.
    pub(super) fn end_turn(&self, turn: SemaphorePermit<'_>) {
        drop(turn);
        self.came_back.notify_one();
    }

    /// Waits until a question came back, a second at most.
    pub(super) async fn until_one_came_back(&self) {
        let _ = timeout(LOOK_AGAIN, self.came_back.notified()).await;
    }

    /// Whether the judge may soon take a question that it does not take now for this reason.
    pub(super) fn may_take_later(&self, reason: NotJudged) -> bool {
        match reason {
            NotJudged::Busy => true,
            // The question that shows whether it is back is on its way, or has shown that it is.
            NotJudged::CircuitOpen => !self.client.is_resting(),
            _ => false,
        }
    }

    /// Questions that are with the judge now.
    pub(crate) fn n_in_flight(&self) -> usize {
        self.n_turns.saturating_sub(self.turns.available_permits())
    }

    /// The most that a question can cost, by what the settings say of a photograph.
    pub(crate) fn most_cost(&self, question: &JudgeQuestion) -> JudgeCost {
        let photo_tokens = u64::from(self.client.settings().photo_tokens);
        self.most_priced(photo_tokens.saturating_add(self.client.max_text_tokens(question)))
    }

    /// The most that it can cost to have something filled in.
    pub(crate) fn most_fill_cost(&self, question: &FillQuestion) -> JudgeCost {
        self.most_priced(self.client.max_fill_tokens(question))
    }

    /// What a question did cost: by the judge's own count; where there is none that can be true, nothing for a question
    /// that it did not take, and the most for one that it may have answered.
    pub(crate) fn cost_of<T>(&self, reply: &JudgeReply<T>, most: JudgeCost) -> JudgeCost {
        // The judge's own count is what is billed, also for an answer that cannot be used.
        if let Some(usage) = reply.usage.filter(|usage| is_plausible(*usage, most)) {
            return self.priced(usage.input_tokens, usage.output_tokens);
        }
        let was_not_taken = matches!(
            reply.answer,
            Err(NotJudged::RateLimited
                | NotJudged::ServerError
                | NotJudged::KeyRejected
                | NotJudged::RequestRejected)
        );
        if reply.was_sent && !was_not_taken { most } else { JudgeCost::default() }
    }

    fn most_priced(&self, input_tokens: u64) -> JudgeCost {
        self.priced(input_tokens, self.client.settings().max_output_tokens.into())
    }

    fn priced(&self, input_tokens: u64, output_tokens: u64) -> JudgeCost {
        // Millionths of a dollar for a million tokens.
        // In u128, where no product of two u64 can overflow.
        let price = |tokens: u64, price: Option<Decimal>| {
            u128::from(tokens) * u128::from(price.unwrap_or_default().millionths())
        };
        let settings = self.client.settings();
        // Rounded up, so that many small calls are not free.
        let micro_dollars = (price(input_tokens, settings.input_price)
            + price(output_tokens, settings.output_price))
        .div_ceil(TOKENS);
        JudgeCost {
            input_tokens,
            output_tokens,
            micro_dollars: u64::try_from(micro_dollars).unwrap_or(u64::MAX),
        }
    }
}

/// Whether the judge can have counted right. One wrong count would use up everybody's budget for the month.
fn is_plausible(usage: JudgeUsage, most: JudgeCost) -> bool {
    let is_near = |counted: u64, most: u64| counted <= most.saturating_mul(FURTHEST_COUNT);
    let is_true =
        is_near(usage.input_tokens, most.input_tokens) && is_near(usage.output_tokens, most.output_tokens);
    if !is_true {
        tracing::warn!(
            judge.input_tokens = usage.input_tokens,
            judge.output_tokens = usage.output_tokens,
            "the vision LLM counts more tokens than a question can have; the most that was reserved is counted instead"
        );
    }
    is_true
}

#[cfg(test)]
mod tests {
    use partsight_domain::Judgement;

    use super::*;
    use crate::JudgeProvider;

    fn judge() -> ConfiguredJudge {
        judge_with(|_| {})
    }

    fn judge_with(change: impl FnOnce(&mut Settings)) -> ConfiguredJudge {
        let settings = Settings::with(|settings| {
            settings.judge.provider = Some(JudgeProvider::Openai);
            settings.judge.model = Some("m".to_owned());
            settings.judge.input_price = Some(Decimal::from_millionths(2_500_000));
            settings.judge.output_price = Some(Decimal::from_millionths(10_000_000));
            settings.judge.plan = Plan::Pro;
            change(settings);
        });
        ConfiguredJudge::new(&settings, Judging::default()).unwrap().unwrap()
    }

    fn reply(
        answer: Result<Judgement, NotJudged>,
        usage: Option<JudgeUsage>,
        was_sent: bool,
    ) -> JudgeReply<Judgement> {
        JudgeReply { answer, usage, was_sent }
    }

    #[test]
    fn a_call_costs_what_the_price_list_says_rounded_up() {
        let judge = judge();
        // 1,000 at $2.50 and 100 at $10 a million are $0.0025 and $0.001.
        assert_eq!(judge.priced(1000, 100).micro_dollars, 3500);
        assert_eq!(judge.priced(1, 0).micro_dollars, 3);
        assert_eq!(judge.priced(0, 0).micro_dollars, 0);
        assert_eq!(judge.priced(u64::MAX, u64::MAX).micro_dollars, u64::MAX);
    }

    #[test]
    fn what_nobody_counted_costs_the_most_unless_it_was_not_taken() {
        let judge = judge();
        let most = JudgeCost { input_tokens: 2000, output_tokens: 1000, micro_dollars: 15_000 };
        let cost =
            |reason, usage, was_sent| judge.cost_of(&reply(Err(reason), usage, was_sent), most).micro_dollars;
        assert_eq!(cost(NotJudged::TimedOut, None, true), 15_000);
        assert_eq!(cost(NotJudged::AnswerTooLarge, None, true), 15_000);
        assert_eq!(cost(NotJudged::Unreachable, None, true), 15_000);
        assert_eq!(cost(NotJudged::Unreachable, None, false), 0);
        assert_eq!(cost(NotJudged::ServerError, None, true), 0);
        assert_eq!(cost(NotJudged::CircuitOpen, None, false), 0);
        let usage = JudgeUsage { input_tokens: 1000, output_tokens: 100 };
        assert_eq!(cost(NotJudged::AnswerUnreadable, Some(usage), true), 3500);
        // Settings can state too few tokens for a photograph, but not a hundred times too few.
        let large = JudgeUsage { input_tokens: 40_000, output_tokens: 100 };
        assert_eq!(cost(NotJudged::AnswerUnreadable, Some(large), true), 101_000);
        for (input_tokens, output_tokens) in [(1_000_000_000_000, 100), (1000, 1_000_000_000_000)] {
            let wrong = JudgeUsage { input_tokens, output_tokens };
            assert_eq!(cost(NotJudged::AnswerUnreadable, Some(wrong), true), 15_000, "{wrong:?}");
        }
    }

    #[tokio::test]
    async fn a_person_who_waits_for_a_turn_has_it_before_a_batch() {
        let judge = judge_with(|settings| settings.judge.concurrency = 1);
        let with_the_judge = judge.spare_turn().unwrap();
        assert_eq!(judge.spare_turn().err(), Some(NotJudged::Busy));
        let person = judge.turn();
        tokio::pin!(person);
        assert!(timeout(Duration::ZERO, &mut person).await.is_err(), "it waits");
        judge.end_turn(with_the_judge);
        assert_eq!(judge.spare_turn().err(), Some(NotJudged::Busy));
        judge.end_turn(person.await.unwrap());
        assert!(judge.spare_turn().is_ok());
    }

    #[test]
    fn a_shop_can_spend_less_than_the_server_allows_and_never_more() {
        let judge = judge();
        let most = judge.most_budgets;
        assert_eq!(judge.budgets(JudgeBudgetChoice::default()), most);
        let choice = JudgeBudgetChoice { day: Some(0), month: Some(most.tenant_month + 1) };
        assert_eq!(judge.budgets(choice), JudgeBudgets { tenant_day: 0, ..most });
    }

    #[test]
    fn plans_from_the_set_one_on_include_the_judge() {
        let included = [Plan::Basic, Plan::Pro, Plan::Business].map(|plan| judge().is_in_plan(plan));
        assert_eq!(included, [false, true, true]);
    }
}
