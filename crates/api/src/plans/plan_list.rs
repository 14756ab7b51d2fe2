//! The public list of plans.

use axum::Json;
use axum::extract::State;
use partsight_app::App;
use partsight_domain::{BillingInterval, CURRENCY, Feature, Plan, UNLIMITED_SCANS};
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::user::PlanType;

/// The plans of this server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlanList {
    /// ISO 4217 code in lower case.
    #[schema(example = "usd")]
    currency: &'static str,
    /// Whether plans can be bought on this server.
    for_sale: bool,
    /// The cheapest first.
    plans: Vec<PlanOffer>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlanOffer {
    plan: PlanType,
    #[schema(example = "Pro")]
    name: &'static str,
    /// Price per month, in US cents.
    #[schema(example = 499)]
    month_cents: u32,
    /// Price per year, in US cents: ten times the price per month.
    #[schema(example = 4990)]
    year_cents: u32,
    /// Scans that the plan includes; 999 means unlimited.
    #[schema(example = 999)]
    scan_limit: u32,
    unlimited_scans: bool,
    /// Features of the plan, as texts for people.
    #[schema(example = json!(["Unlimited scans", "Full scan history"]))]
    benefits: &'static [&'static str],
    /// Features of the plan, as identifiers for programs.
    #[schema(value_type = Vec<String>, example = json!(["full-history", "compatibility-checker"]))]
    features: Vec<&'static str>,
}

impl From<Plan> for PlanOffer {
    fn from(plan: Plan) -> Self {
        let features = Feature::ALL.into_iter().filter(|&feature| plan.includes(feature));
        Self {
            plan: plan.into(),
            name: plan.name(),
            month_cents: plan.price_cents(BillingInterval::Month),
            year_cents: plan.price_cents(BillingInterval::Year),
            scan_limit: plan.scan_limit(),
            unlimited_scans: plan.scan_limit() == UNLIMITED_SCANS,
            benefits: plan.benefits(),
            features: features.map(Feature::as_str).collect(),
        }
    }
}

/// Lists all plans with their prices, and says whether they can be bought on this server.
#[utoipa::path(get, path = "/api/plans", tag = "subscription", responses((status = OK, body = PlanList)))]
pub(crate) async fn list_plans(State(app): State<App>) -> Json<PlanList> {
    Json(PlanList {
        currency: CURRENCY,
        for_sale: app.plans.sells_plans(),
        plans: Plan::ALL.into_iter().map(PlanOffer::from).collect(),
    })
}
