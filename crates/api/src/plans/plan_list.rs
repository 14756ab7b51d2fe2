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
    /// ISO 4217, lower case.
    #[schema(example = "usd")]
    currency: &'static str,
    /// Whether plans can be bought here.
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
    /// Price of a month, in cents.
    #[schema(example = 499)]
    month_cents: u32,
    /// Price of a year, in cents: that of ten months.
    #[schema(example = 4990)]
    year_cents: u32,
    /// Scans that it allows; 999 means that there is no limit.
    #[schema(example = 999)]
    scan_limit: u32,
    unlimited_scans: bool,
    /// What it offers, for people.
    #[schema(example = json!(["Unlimited scans", "Full scan history"]))]
    benefits: &'static [&'static str],
    /// What it unlocks, for programs.
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

/// All plans with their prices, and whether they can be bought here.
#[utoipa::path(get, path = "/api/plans", tag = "subscription", responses((status = OK, body = PlanList)))]
pub(crate) async fn list_plans(State(app): State<App>) -> Json<PlanList> {
    Json(PlanList {
        currency: CURRENCY,
        for_sale: app.plans.sells_plans(),
        plans: Plan::ALL.into_iter().map(PlanOffer::from).collect(),
    })
}
