//! Subscriptions and their payments, companies that share a plan, and messages to support.
//! Begin with `billing.rs`, which explains how subscriptions are synced from the payment provider.

pub(crate) mod billing;
pub(crate) mod companies;
pub(crate) mod contact;

use std::sync::Arc;

use partsight_store::Store;

use crate::accounts::Accounts;
use crate::clock::Clock;
use crate::drawn_picture::OnDecodingThreads;
use billing::Billing;
use companies::JudgeElsewhere;
use contact::ContactLimits;

/// Plans and who pays for them. Cheap to clone.
#[derive(Clone)]
pub struct Plans {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) billing: Billing,
    contact_limits: Arc<ContactLimits>,
    judge_elsewhere: Option<JudgeElsewhere>,
    on_decoding_threads: OnDecodingThreads,
}

impl Plans {
    /// `sign_in_attempts` also determines the limits on messages to support. `on_decoding_threads` redraws logos;
    /// `judge_elsewhere` is shown to people who are invited to a company.
    pub(crate) fn new(
        accounts: Arc<Accounts>,
        billing: Billing,
        sign_in_attempts: u32,
        judge_elsewhere: Option<JudgeElsewhere>,
        on_decoding_threads: OnDecodingThreads,
    ) -> Self {
        Self {
            store: accounts.store.clone(),
            clock: accounts.clock.clone(),
            contact_limits: Arc::new(ContactLimits::new(sign_in_attempts)),
            accounts,
            billing,
            judge_elsewhere,
            on_decoding_threads,
        }
    }
}
