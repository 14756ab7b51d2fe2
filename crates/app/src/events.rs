//! Events of accounts, and the webhooks that they are sent to. Several servers share the deliveries. Begin with
//! `deliver.rs`.

mod deliver;
mod problems;
mod webhooks;

use std::sync::Arc;
use std::time::Duration;

use partsight_domain::{AccountEvent, User};
use partsight_providers::WebhookSender;
use partsight_store::Store;
use uuid::Uuid;

use crate::accounts::Accounts;
use crate::clock::Clock;
use crate::detached_tasks::DetachedTasks;
use crate::limits::rate_limit::RateLimit;
use crate::{Result, Settings};

pub use webhooks::{CreatedWebhook, WebhookTest};

/// Events in one answer.
const PAGE: u32 = 500;
/// Test deliveries and resends of one account at once, and how long until one more: each calls an address of its choice
/// at once.
const TESTS: u32 = 10;
const TEST_INTERVAL: Duration = Duration::from_secs(10);

/// The events of all accounts. Cheap to clone.
#[derive(Clone)]
pub struct Events {
    store: Store,
    clock: Clock,
    accounts: Arc<Accounts>,
    /// `None` if nothing may leave this machine.
    sender: Option<WebhookSender>,
    tests: Arc<RateLimit>,
    /// Names this server among those that share the database.
    worker: Uuid,
    tasks: DetachedTasks,
}

partsight_domain::debug_fields!(Events { worker });

impl Events {
    /// # Errors
    /// [`Error::Provider`](crate::Error::Provider) when no HTTP client can be built.
    pub(crate) fn new(accounts: Arc<Accounts>, tasks: DetachedTasks, settings: &Settings) -> Result<Self> {
        let may_leave = !settings.server.zero_egress;
        let sender = may_leave.then(|| WebhookSender::new(&settings.webhooks)).transpose()?;
        Ok(Self {
            store: accounts.store.clone(),
            clock: accounts.clock.clone(),
            accounts,
            sender,
            tests: Arc::new(RateLimit::new(TESTS, TEST_INTERVAL)),
            worker: Uuid::now_v7(),
            tasks,
        })
    }

    /// The same events, whose deliveries have another time limit than ten seconds. For tests.
    #[must_use]
    pub fn with_delivery_limit(&self, limit: Duration) -> Self {
        let sender = self.sender.clone().map(|sender| sender.with_limit(limit));
        Self { sender, ..self.clone() }
    }

    /// The events of the user's account after the one of number `after`, at most 500, in their order.
    pub async fn after(&self, user: &User, after: u64) -> Result<Vec<AccountEvent>> {
        Ok(self.store.list_events(user.tenant_id, after, PAGE).await?)
    }

    /// The number of the last event of the user's account; 0 before the first.
    pub async fn last_number(&self, user: &User) -> Result<u64> {
        Ok(self.store.last_event_number(user.tenant_id).await?)
    }
}
