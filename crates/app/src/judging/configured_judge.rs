//! The judge with its prices, budgets and limits, which apply to photographs and written texts alike.

use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{Decimal, FillQuestion, JudgeBudgetChoice, NotJudged, Plan};
use partsight_inference::Judging;
use partsight_providers::{Judge, JudgeConsent, JudgeQuestion, JudgeReply, JudgeUsage};
use partsight_store::{JudgeBudgets, JudgeCost};
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::{Error, Result, Settings};

/// How long a question waits for a turn at the limit of concurrent questions.
const WAIT_FOR_TURN: Duration = Duration::from_secs(2);
/// How soon a waiting photograph of a batch retries if no question of this server came back: one of another server may
/// have, or its batch may have ended.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Prices are per million tokens.
const TOKENS: u128 = 1_000_000;
/// A reported token count up to this multiple of the reserved one is believed, because the setting for the tokens of a
/// photograph may be too low.
const FURTHEST_COUNT: u64 = 100;

/// The judge of the settings: client, prices, budgets and limits.
#[derive(Debug)]
pub(crate) struct ConfiguredJudge {
    pub(crate) client: Judge,
    /// Budgets of the server in all, and per tenant; a tenant may choose less.
    pub(super) most_budgets: JudgeBudgets,
    /// One permit per concurrent question.
    turns: Semaphore,
    n_turns: usize,
    /// Notified when a question came back.
    came_back: Notify,
    pub(super) least_similarity: f32,
    pub(super) reuse: SignedDuration,
    pub(crate) trust: f32,
    pub(crate) is_allowed_by_default: bool,
}

impl ConfiguredJudge {
    /// The judge of these settings, if they name one; `judging` holds the values of the model's manifest.
    ///
    /// # Errors
    /// [`Error::Provider`] for an unusable address or key.
    pub(crate) fn new(settings: &Settings, judging: Judging) -> Result<Option<Self>> {
        let Some(client) = Judge::new(settings.judge.clone())? else { return Ok(None) };
        if settings.server.zero_egress && !client.is_on_this_machine() {
            // Checked with the settings already; a second check, because photographs must never leave then.
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

    /// The budgets in force for a tenant with this choice: never more than the server allows.
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

    /// A permit to ask one question, held until it is dropped. Waits at most two seconds.
    ///
    /// # Errors
    /// [`NotJudged::CircuitOpen`] and [`NotJudged::Busy`].
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>, NotJudged> {
        // Before the wait, so that nobody queues while the circuit breaker is open.
        if self.client.is_left_alone() {
            return Err(NotJudged::CircuitOpen);
        }
        let permit = timeout(WAIT_FOR_TURN, self.turns.acquire()).await;
        // The semaphore is never closed, so that only a timeout is left.
        permit.ok().and_then(Result::ok).ok_or(NotJudged::Busy)
    }

    /// As [`turn`](Self::turn), for a photograph of a batch: does not wait, and never takes a permit that a person
    /// waits for.
    ///
    /// # Errors
    /// As [`turn`](Self::turn).
    pub(super) fn spare_turn(&self) -> Result<SemaphorePermit<'_>, NotJudged> {
        if self.client.is_left_alone() {
            return Err(NotJudged::CircuitOpen);
        }
        // The semaphore hands a returned permit to its waiters first.
        self.turns.try_acquire().map_err(|_| NotJudged::Busy)
    }

    /// Returns the permit of a settled question, and wakes one waiting photograph.
    pub(super) fn end_turn(&self, turn: SemaphorePermit<'_>) {
        drop(turn);
        self.came_back.notify_one();
    }

    /// Waits until a question came back, but at most a second.
    pub(super) async fn until_one_came_back(&self) {
        let _ = timeout(LOOK_AGAIN, self.came_back.notified()).await;
    }

    /// Whether a question refused for this reason is worth retrying soon.
    pub(super) fn may_take_later(&self, reason: NotJudged) -> bool {
        match reason {
            NotJudged::Busy => true,
            // The breaker's probe is running, or has succeeded.
            NotJudged::CircuitOpen => !self.client.is_resting(),
            _ => false,
        }
    }

    /// Number of running questions.
    pub(crate) fn n_in_flight(&self) -> usize {
        self.n_turns.saturating_sub(self.turns.available_permits())
    }

    /// Maximum cost of a question, by the setting for the tokens of a photograph.
    pub(crate) fn most_cost(&self, question: &JudgeQuestion) -> JudgeCost {
        let photo_tokens = u64::from(self.client.settings().photo_tokens);
        self.most_priced(photo_tokens.saturating_add(self.client.max_text_tokens(question)))
    }

    /// Maximum cost of a text written on request.
    pub(crate) fn most_fill_cost(&self, question: &FillQuestion) -> JudgeCost {
        self.most_priced(self.client.max_fill_tokens(question))
    }

    /// Cost of a question by the judge's token counts. If they are missing, zero or implausible: zero for a rejected
    /// question, the maximum for one that it may have answered.
    pub(crate) fn cost_of<T>(&self, reply: &JudgeReply<T>, most: JudgeCost) -> JudgeCost {
        // The provider bills by its own counts, even for an unusable answer.
        if let Some(usage) =
            reply.usage.filter(|usage| is_counted(*usage, reply.answer.is_ok()) && is_plausible(*usage, most))
        {
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
        // In millionths of a dollar per million tokens; u128, so that the product of two u64 cannot overflow.
        let price = |tokens: u64, price: Option<Decimal>| {
            u128::from(tokens) * u128::from(price.unwrap_or_default().millionths())
        };
        let settings = self.client.settings();
        // Rounded up, so that small calls are not free.
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

/// Whether the tokens were counted at all: some gateways answer zero, or under other names.
fn is_counted(usage: JudgeUsage, is_answered: bool) -> bool {
    usage.input_tokens > 0 && (usage.output_tokens > 0 || !is_answered)
}

/// Whether token counts are plausible. One wrong count could use up the server's budget for the month.
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
        let nothing = JudgeUsage { input_tokens: 0, output_tokens: 0 };
        assert_eq!(cost(NotJudged::AnswerUnreadable, Some(nothing), true), 15_000);
        assert_eq!(cost(NotJudged::ServerError, Some(nothing), true), 0);
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
