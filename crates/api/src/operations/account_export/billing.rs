//! The payment data of a person, for the export of their account.

use jiff::Timestamp;
use partsight_app::BillingData;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::user::PlanType;
use crate::plans::subscription::{Interval, StatusName};

/// What is kept of somebody who has ordered a plan. Cards and invoices are at the payment provider alone.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedBilling {
    /// Their id as a customer of the payment provider.
    #[schema(required, example = "cus_NffrFeUfNV2Hib")]
    customer_id: Option<String>,
    /// As the payment provider last described it.
    #[schema(required)]
    subscription: Option<ExportedSubscription>,
    /// When they asked for its end, the oldest first.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "crate::wire_time::moments")]
    cancellations_requested_at: Vec<Timestamp>,
}

/// A subscription at the payment provider.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedSubscription {
    #[schema(example = "sub_1MowQVLkdIwHu7ixeRlqHVzs")]
    id: String,
    plan: PlanType,
    interval: Interval,
    status: StatusName,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    current_period_end: Timestamp,
    cancel_at_period_end: bool,
}

impl From<BillingData> for ExportedBilling {
    fn from(data: BillingData) -> Self {
        Self {
            customer_id: data.customer_id,
            subscription: data.subscription.map(|subscription| ExportedSubscription {
                id: subscription.provider_id,
                plan: subscription.plan.into(),
                interval: subscription.interval.into(),
                status: subscription.status.into(),
                current_period_end: subscription.current_period_end,
                cancel_at_period_end: subscription.cancel_at_period_end,
            }),
            cancellations_requested_at: data.cancellations_requested_at,
        }
    }
}
