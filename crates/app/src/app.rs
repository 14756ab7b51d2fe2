use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use partsight_catalog::Catalog;
use partsight_domain::{PhotoKeeping, Plan, User};
use partsight_store::Store;
use tokio::sync::Semaphore;

use crate::accounts::AccountParts;
use crate::api_keys::key_limit;
use crate::billing::Billing;
use crate::cascade::Cascade;
use crate::contact::ContactLimits;
use crate::fills::FillParts;
use crate::metrics::Metrics;
use crate::passwords::Passwords;
use crate::price_lists::PRICE_LISTS_AT_A_TIME;
use crate::rate_limit::RateLimit;
use crate::reference::{self, Reference};
use crate::references::ReferenceIndex;
use crate::suppliers::OutsideSuppliers;
use crate::unbroken::Unbroken;
use crate::vin_decoder::AskedDecoder;
use crate::{Error, Identifier, Result, Settings};

/// Tells the time. Tests give one that they can set.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The clock of the machine.
#[expect(clippy::disallowed_methods, reason = "this is the one home of the clock")]
pub fn system_clock() -> Clock {
    Arc::new(Timestamp::now)
}

/// All use cases over one store, one catalogue and one model. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) store: Store,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) identifier: Arc<Identifier>,
    pub(crate) passwords: Passwords,
    pub(crate) clock: Clock,
    pub(crate) plan_for_all: Option<Plan>,
    pub(crate) accounts: Arc<AccountParts>,
    pub(crate) billing: Billing,
    pub(crate) contact_limits: Arc<ContactLimits>,
    pub(crate) key_limit: Arc<RateLimit>,
    pub(crate) reference: Arc<Reference>,
    pub(crate) vin_decoder: Option<Arc<AskedDecoder>>,
    pub(crate) references: Arc<ReferenceIndex>,
    pub(crate) keep_photos: PhotoKeeping,
    pub(crate) keep_photos_days: u32,
    pub(crate) cascade: Arc<Cascade>,
    pub(crate) fills: Arc<FillParts>,
    /// What goes on when whoever asked for it goes away.
    pub(crate) unbroken: Unbroken,
    pub(crate) metrics: Arc<Metrics>,
    /// One for each price list that may arrive at a time.
    pub(crate) price_list_turns: Arc<Semaphore>,
    pub(crate) outside_suppliers: Arc<OutsideSuppliers>,
}

impl App {
    /// Joins the parts under these settings; must be called in a tokio runtime.
    ///
    /// # Errors
    /// [`Error::LabelNotInCatalog`] for a model with a type that the catalogue does not describe, which could
    /// not be answered; [`Error::Provider`] for a mail server, sign-in or payment provider, judge or supplier that
    /// cannot be used;
    /// [`Error::VehicleFacts`] for a broken file of imported vehicle facts;
    /// [`Error::Internal`] when the system gives no threads.
    pub fn new(
        store: Store,
        catalog: Arc<Catalog>,
        identifier: Arc<Identifier>,
        clock: Clock,
        settings: &Settings,
    ) -> Result<Self> {
        if settings.zero_egress && !settings.outside_services().is_empty() {
            // The settings are checked before; nobody may get here past that check.
            return Err(Error::internal("a service elsewhere under `zero_egress`"));
        }
        if let Some(label) = identifier.labels().iter().find(|label| catalog.get(label).is_none()) {
            return Err(Error::LabelNotInCatalog { label: label.clone() });
        }
        let passwords = Passwords::start()?;
        let accounts = Arc::new(AccountParts::start(settings)?);
        let billing = Billing::new(store.clone(), Arc::clone(&clock), settings)?;
        let unbroken = billing.changes.clone();
        let reference = reference::load(&settings.data_dir)?;
        let vin_decoder =
            settings.vin_decoder_url.as_deref().map(AskedDecoder::new).transpose()?.map(Arc::new);
        let cascade = Arc::new(Cascade::new(settings, &catalog)?);
        let references = Arc::new(ReferenceIndex::new(&identifier, settings));
        let outside_suppliers = Arc::new(OutsideSuppliers::new(settings)?);
        Ok(Self {
            store,
            catalog,
            identifier,
            passwords,
            clock,
            plan_for_all: settings.plan,
            accounts,
            billing,
            key_limit: Arc::new(key_limit(settings)),
            contact_limits: Arc::new(ContactLimits::new(settings.sign_in_attempts)),
            reference,
            vin_decoder,
            references,
            keep_photos: settings.keep_photos,
            keep_photos_days: settings.keep_photos_days,
            cascade,
            fills: Arc::default(),
            unbroken,
            metrics: Arc::default(),
            price_list_turns: Arc::new(Semaphore::new(PRICE_LISTS_AT_A_TIME)),
            outside_suppliers,
        })
    }

    /// The plan that holds for `user` on this server.
    pub fn effective_plan(&self, user: &User) -> Plan {
        self.plan_for_all.unwrap_or_else(|| user.subscribed_plan())
    }

    /// What identifies photographs here.
    pub fn identifier(&self) -> &Identifier {
        &self.identifier
    }

    /// Whether the database answers.
    pub async fn check_health(&self) -> Result<()> {
        Ok(self.store.ping().await?)
    }

    /// Finishes what is running: answers waiting photographs and closes the database.
    pub async fn close(&self) {
        self.identifier.shut_down();
        self.unbroken.close().await;
        self.accounts.close().await;
        self.store.close().await;
    }

    /// The moment that it is for all use cases.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("plan_for_all", &self.plan_for_all).finish_non_exhaustive()
    }
}
