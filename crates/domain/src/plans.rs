//! Subscriptions, companies that share a plan, and messages to support.
//!
//! Begin with `subscription` and `company`.

mod company;
mod contact;
mod paid_plan;
mod subscription;

pub use company::{
    Company, CompanyInvitation, CompanyMember, CompanyProfile, INVITATION_VALID_FOR, LOGO_MAX_BYTES,
    MAX_COMPANY_MEMBERS, NewMember, OpenInvitation, REFUSAL_HOLDS_FOR,
};
pub use contact::{ContactMessage, ContactTrap, NewContactMessage};
pub use paid_plan::{BillingInterval, CURRENCY, PaidPlan};
pub use subscription::{
    CancellationRequest, CancellationState, PLAN_CHANGE_WAIT, Subscription, SubscriptionStatus,
};
