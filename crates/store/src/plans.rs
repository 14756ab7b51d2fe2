//! Subscriptions and payments, companies and the people in them, and what visitors write to the operator.
//! Begin with `subscriptions.rs` or `companies.rs`.

mod cancellation_requests;
mod companies;
mod company_invitations;
mod company_members;
mod contact_messages;
mod subscriptions;

pub(crate) use companies::lock_company;
pub use company_invitations::{InvitationKey, Invite, JoinCompany, NewInvitation};
pub use subscriptions::{BillingClaim, BillingRecord, PaymentEventRow};
