//! Status of the judge for a tenant, and the tenant's consent and budget.

use jiff::SignedDuration;
use partsight_domain::{Candidate, ConsentToJudge, InvalidInput, JudgeBudgetChoice, User};
use partsight_store::Error as StoreError;

use super::cascade::ALTERNATIVES;
use crate::accounts::owner::may_decide;
use crate::judging::Judging;
use crate::{Decimal, Result};

/// How long records of single calls are kept: a year and about a month, to check bills against.
const CALLS_KEPT: SignedDuration = SignedDuration::from_hours(24 * 400);

/// Status of the judge for a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "five questions that are answered apart from each other")]
pub struct JudgeStatus {
    /// Where photographs would be sent, as host or host and port; `None` without a judge.
    pub host: Option<String>,
    /// The judge's model.
    pub model: Option<String>,
    /// Whether the judge runs on this machine, so that photographs do not leave it.
    pub is_on_this_machine: bool,
    /// Whether the user's plan includes it.
    pub is_in_plan: bool,
    /// Whether the user's photographs may be sent there.
    pub is_allowed: bool,
    /// Whether the user's company allows it for its members; `None` without a company.
    pub is_allowed_by_company: Option<bool>,
    /// Whether the user has refused it for themselves, which overrides the company's consent.
    pub is_refused_by_self: bool,
    /// Whether the user may decide for the shop; they may always decide for themselves.
    pub may_change: bool,
    /// Budget of today.
    pub day: JudgeBudgetStatus,
    /// Budget of this month.
    pub month: JudgeBudgetStatus,
}

/// A tenant's spending and budget in a period, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgeBudgetStatus {
    /// Spending so far, with running calls at their maximum cost.
    pub spent: u64,
    /// The budget in force.
    pub limit: u64,
    /// The budget that the tenant chose; `None` for all that the server allows.
    pub chosen: Option<u64>,
    /// Maximum that the server allows a tenant.
    pub most: u64,
}

impl Judging {
    /// Status of the judge for the user's shop.
    pub async fn judge_status(&self, user: &User) -> Result<JudgeStatus> {
        let consent = self.consent_to_judge(user).await?;
        let judge = self.cascade.judge();
        let by_default = judge.is_some_and(|judge| judge.is_allowed_by_default);
        // The server's default applies if the company has not decided.
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

    /// The decisions of the user and their company on sending photographs to the judge.
    pub(crate) async fn consent_to_judge(&self, user: &User) -> Result<ConsentToJudge, StoreError> {
        // Two queries, because the person's own refusal overrides the company. See
        // docs/decisions/0090-company-consent-is-an-offer.md.
        let own = self.store.judge_consent(user.tenant_id).await?;
        let company = match user.company {
            Some(company) => Some(self.store.judge_consent(company.tenant_id).await?),
            None => None,
        };
        Ok(ConsentToJudge { own, company })
    }

    /// Saves the user's own consent to send photographs to the judge. A refusal overrides the company's consent, and
    /// deletes the saved verdicts on their photographs.
    pub async fn set_own_judge_consent(&self, user: &User, is_allowed: bool) -> Result<JudgeStatus> {
        self.store.set_judge_consent(user.id, user.tenant_id, is_allowed, self.clock.now()).await?;
        tracing::info!(judge.is_allowed = is_allowed, "somebody has decided about the judge for themselves");
        self.judge_status(user).await
    }

    /// Saves the consent of the user's shop to send photographs to the judge: the user alone, or all members of the
    /// company. Withdrawing it deletes the saved verdicts. Members who refused for themselves stay excluded.
    ///
    /// # Errors
    /// [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who does not manage it.
    pub async fn set_judge_consent(&self, user: &User, is_allowed: bool) -> Result<JudgeStatus> {
        may_decide(user)?;
        self.store.set_judge_consent(user.id, user.shop_tenant(), is_allowed, self.clock.now()).await?;
        tracing::info!(judge.is_allowed = is_allowed, "a tenant has decided about the judge");
        self.judge_status(user).await
    }

    /// Sets the shop's budget for the judge, effective from the next question.
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
        self.store.set_judge_budget_choice(user.id, user.shop_tenant(), choice, self.clock.now()).await?;
        tracing::info!(
            judge.day_micro_dollars = choice.day,
            judge.month_micro_dollars = choice.month,
            "a tenant has set its budget for the judge"
        );
        self.judge_status(user).await
    }

    /// Maximum cost of a question, in millionths of a dollar: for the types with the longest descriptions. The billed
    /// cost is usually lower. `None` without a judge.
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

    /// Deletes records of judge calls older than 400 days, and verdicts that are no longer reused. The totals that
    /// budgets are compared with stay.
    pub async fn purge(&self) -> Result<()> {
        let now = self.clock.now();
        self.store.prune_judge_calls(now - CALLS_KEPT).await?;
        self.store.purge_judged_verdicts(now).await?;
        Ok(())
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
