//! The payment data of a person, for the export of their account.

use jiff::Timestamp;
use partsight_app::BillingData;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::user::PlanType;
use crate::plans::subscription::{Interval, StatusName};

/// Data about a user who has ordered a plan. Cards and invoices are stored only by the payment provider.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportedBilling {
    /// The customer id at the payment provider.
    #[schema(required, example = "cus_NffrFeUfNV2Hib")]
    customer_id: Option<String>,
    /// The last known state at the payment provider.
    #[schema(required)]
    subscription: Option<ExportedSubscription>,
    /// When the user requested cancellation, the oldest first.
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
