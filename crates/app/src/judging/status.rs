//! What a tenant can know and say of the judge.

use jiff::SignedDuration;
use partsight_domain::{Candidate, ConsentToJudge, InvalidInput, JudgeBudgetChoice, User};
use partsight_store::Error as StoreError;

use super::cascade::ALTERNATIVES;
use crate::accounts::owner::may_decide;
use crate::judging::Judging;
use crate::{Decimal, Result};

/// How long the single calls of the judge are kept: a year and the month after it, for whoever checks a bill.
const CALLS_KEPT: SignedDuration = SignedDuration::from_hours(24 * 400);

/// What the judge means for a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "five questions that are answered apart from each other")]
pub struct JudgeStatus {
    /// Where its photographs would go, as host or host and port; `None` without a judge.
    pub host: Option<String>,
    /// The judge's model.
    pub model: Option<String>,
    /// Whether that is this very machine, so that photographs stay here.
    pub is_on_this_machine: bool,
    /// Whether the user's plan includes it.
    pub is_in_plan: bool,
    /// Whether the user's photographs may be sent there.
    pub is_allowed: bool,
    /// Whether the company that the user is in allows it for its members; `None` without a company.
    pub is_allowed_by_company: Option<bool>,
    /// Whether the user has refused it for themselves, which holds whatever the company allows.
    pub is_refused_by_self: bool,
    /// Whether the user may decide about it for the tenant; for themselves they always may.
    pub may_change: bool,
    /// Today.
    pub day: JudgeBudgetStatus,
    /// This month.
    pub month: JudgeBudgetStatus,
}

/// What a tenant has spent and may spend on the judge in a period, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgeBudgetStatus {
    /// What was spent, calls that run at their most.
    pub spent: u64,
    /// What may be spent.
    pub limit: u64,
    /// What the tenant wants to spend at most; `None` for all that the server allows.
    pub chosen: Option<u64>,
    /// What the server allows a tenant.
    pub most: u64,
}

impl Judging {
    /// What the judge means for the user's tenant.
    pub async fn judge_status(&self, user: &User) -> Result<JudgeStatus> {
        let consent = self.consent_to_judge(user).await?;
        let judge = self.cascade.judge();
        let by_default = judge.is_some_and(|judge| judge.is_allowed_by_default);
        // Where the company has said nothing, the default of the server holds.
        let is_allowed_by_company = consent.company.map(|word| word.unwrap_or(by_default));
        let Some(judge) = judge else {
            return Ok(JudgeStatus {
                host: None,
                model: None,
                is_on_this_machine: false,
                is_in_plan: false,
                is_allowed: consent.allows(by_default),
                is_allowed_by_company,
                is_refused_by_self: consent.is_refused_by_self(),
                may_change: may_decide(user).is_ok(),
                day: JudgeBudgetStatus::default(),
                month: JudgeBudgetStatus::default(),
            });
        };
        let spending = self.store.judge_spending(user.shop_tenant(), self.clock.now()).await?;
        let choice = self.store.judge_budget_choice(user.shop_tenant()).await?;
        let limits = judge.budgets(choice);
        Ok(JudgeStatus {
            host: Some(judge.client.host()),
            model: Some(judge.client.model().to_owned()),
            is_on_this_machine: judge.client.is_on_this_machine(),
            is_in_plan: judge.is_in_plan(self.accounts.effective_plan(user)),
            is_allowed: consent.allows(by_default),
            is_allowed_by_company,
            is_refused_by_self: consent.is_refused_by_self(),
            may_change: may_decide(user).is_ok(),
            day: JudgeBudgetStatus {
                spent: spending.tenant_day,
                limit: limits.tenant_day,
                chosen: choice.day,
                most: judge.most_budgets.tenant_day,
            },
            month: JudgeBudgetStatus {
                spent: spending.tenant_month,
                limit: limits.tenant_month,
                chosen: choice.month,
                most: judge.most_budgets.tenant_month,
            },
        })
    }

    /// What the user, and the company that they are in, have said about sending photographs to the judge.
    pub(crate) async fn consent_to_judge(&self, user: &User) -> Result<ConsentToJudge, StoreError> {
        // Asked for the person apart from the company: their own refusal is stronger. See
        // docs/decisions/0090-company-consent-is-an-offer.md.
        let own = self.store.judge_consent(user.tenant_id).await?;
        let company = match user.company {
            Some(company) => Some(self.store.judge_consent(company.tenant_id).await?),
            None => None,
        };
        Ok(ConsentToJudge { own, company })
    }

    /// Notes whether the user refuses that their own photographs are sent to the judge, or no longer does. A refusal
    /// holds whatever their company allows, and also forgets what the judge said of their photographs.
    pub async fn set_own_judge_consent(&self, user: &User, is_allowed: bool) -> Result<JudgeStatus> {
        self.store.set_judge_consent(user.tenant_id, is_allowed, self.clock.now()).await?;
        tracing::info!(judge.is_allowed = is_allowed, "somebody has decided about the judge for themselves");
        self.judge_status(user).await
    }

    /// Notes whether the user, or for all its members the company, allows that photographs are sent to the judge.
    /// Taking it back also forgets what the judge said of them. A member who has refused it for themselves is not sent
    /// along by the company's yes.
    ///
    /// # Errors
    /// [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who does not manage it.
    pub async fn set_judge_consent(&self, user: &User, is_allowed: bool) -> Result<JudgeStatus> {
        may_decide(user)?;
        self.store.set_judge_consent(user.shop_tenant(), is_allowed, self.clock.now()).await?;
        tracing::info!(judge.is_allowed = is_allowed, "a tenant has decided about the judge");
        self.judge_status(user).await
    }

    /// Sets what the user, or the company, wants to spend on the judge at most. It holds from the next question on.
    ///
    /// # Errors
    /// [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who does not manage it,
    /// [`Error::Invalid`](crate::Error::Invalid) for more than the server allows.
    pub async fn set_judge_budget(&self, user: &User, choice: JudgeBudgetChoice) -> Result<JudgeStatus> {
        may_decide(user)?;
        if let Some(judge) = self.cascade.judge() {
            let most = judge.most_budgets;
            check_budget("dayMicroDollars", "day", choice.day, most.tenant_day)?;
            check_budget("monthMicroDollars", "month", choice.month, most.tenant_month)?;
        }
        self.store.set_judge_budget_choice(user.shop_tenant(), choice, self.clock.now()).await?;
        tracing::info!(
            judge.day_micro_dollars = choice.day,
            judge.month_micro_dollars = choice.month,
            "a tenant has set its budget for the judge"
        );
        self.judge_status(user).await
    }

    /// What one question to the judge is set aside for by the settings, in millionths of a dollar: one about the types
    /// with the longest descriptions. What is billed is usually less. `None` without a judge.
    pub(crate) fn judge_question_cost(&self) -> Option<u64> {
        let judge = self.cascade.judge()?;
        let length = |label| self.catalog.get(label).map_or(0, |part| part.description.len());
        let mut labels: Vec<_> = self.identifier.labels().iter().collect();
        labels.sort_by_key(|label| std::cmp::Reverse(length(label)));
        let candidates: Vec<Candidate> = labels
            .into_iter()
            .take(1 + ALTERNATIVES)
            .map(|label| Candidate { label: label.clone(), confidence: 0.0 })
            .collect();
        let question = super::asking::question(&self.catalog, &candidates, None, Vec::new());
        Some(judge.most_cost(&question).micro_dollars)
    }

    /// Deletes the calls of the judge that are more than 400 days old, and returns how many went. The sums that
    /// budgets are compared with stay.
    pub async fn prune_judge_calls(&self) -> Result<u64> {
        Ok(self.store.prune_judge_calls(self.clock.now() - CALLS_KEPT).await?)
    }
}

fn check_budget(
    field: &'static str,
    period: &str,
    chosen: Option<u64>,
    most: u64,
) -> Result<(), InvalidInput> {
    if chosen.is_none_or(|chosen| chosen <= most) {
        return Ok(());
    }
    let most = Decimal::from_millionths(most);
    let message = format!(
        "This server allows at most ${most} a {period}. Please set that or less, or leave it empty for all of it."
    );
    Err(InvalidInput::new(field, message))
}
