use std::sync::Arc;

use jiff::Timestamp;
use partsight_catalog::Catalog;
use partsight_store::Store;

use crate::accounts::Accounts;
use crate::batches::Batches;
use crate::clock::Clock;
use crate::detached_tasks::DetachedTasks;
use crate::drawn_picture::OnDecodingThreads;
use crate::evaluations::Evaluations;
use crate::evaluations::assessor::Assessor;
use crate::events::Events;
use crate::garage::Garage;
use crate::judging::Judging;
use crate::limits::heavy_work::HeavyWork;
use crate::metrics::Metrics;
use crate::operations::Operations;
use crate::parts::Parts;
use crate::plans::Plans;
use crate::plans::billing::Billing;
use crate::plans::companies::JudgeElsewhere;
use crate::scanning::Scanning;
use crate::scanning::photo_storage::PhotoStorage;
use crate::teaching::Teaching;
use crate::{Error, Identifier, Result, Settings};

/// The rooms over one store, one catalogue and one model. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The model in use.
    pub recognition: Arc<Identifier>,
    /// People, sessions, keys and limits.
    pub accounts: Arc<Accounts>,
    /// Events, and the programs that get them.
    pub events: Arc<Events>,
    /// Subscriptions and companies.
    pub plans: Arc<Plans>,
    /// Vehicles and what is written down about them.
    pub garage: Arc<Garage>,
    /// Part types, shops' own parts and where to buy them.
    pub parts: Arc<Parts>,
    /// The vision language model and what it fills in.
    pub judging: Arc<Judging>,
    /// References, and what feedback changes.
    pub teaching: Arc<Teaching>,
    /// From photographs to an answer.
    pub scanning: Arc<Scanning>,
    /// Many photographs as one job.
    pub batches: Arc<Batches>,
    /// How well the model knows labelled photographs.
    pub evaluations: Arc<Evaluations>,
    /// Health, metrics, and what touches all rooms.
    pub operations: Arc<Operations>,
    store: Store,
    clock: Clock,
    tasks: DetachedTasks,
}

impl App {
    /// Builds the rooms with these settings; must be called in a tokio runtime.
    ///
    /// # Errors
    /// [`Error::LabelNotInCatalog`] for a model with a type that the catalogue does not describe, so that it could
    /// not be shown; [`Error::Provider`] for a mail server, sign-in or payment provider, judge or supplier that
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
        if settings.server.zero_egress && !settings.outside_services().is_empty() {
            // The settings were checked before; this is a second line of defence.
            return Err(Error::internal("a service elsewhere under `zero_egress`"));
        }
        if let Some(label) = identifier.labels().iter().find(|label| catalog.get(label).is_none()) {
            return Err(Error::LabelNotInCatalog(label.clone()));
        }
        let (tasks, heavy, metrics) =
            (DetachedTasks::default(), Arc::<HeavyWork>::default(), Arc::<Metrics>::default());
        // In the order of dependency, rooms without dependencies first.
        let accounts = Arc::new(Accounts::new(
            store.clone(),
            clock.clone(),
            settings,
            tasks.clone(),
            on_decoding_threads(&identifier),
        )?);
        let events = Arc::new(Events::new(Arc::clone(&accounts), tasks.clone(), settings)?);
        let billing = Billing::new(store.clone(), clock.clone(), settings, tasks.clone())?;
        let garage =
            Arc::new(Garage::new(Arc::clone(&accounts), Arc::clone(&heavy), tasks.clone(), settings)?);
        let parts = Arc::new(Parts::new(
            Arc::clone(&accounts),
            Arc::clone(&garage),
            catalog,
            identifier.labels().into(),
            Arc::clone(&heavy),
            Arc::clone(&metrics),
            settings,
        )?);
        let judging = Arc::new(Judging::new(
            Arc::clone(&parts),
            Arc::clone(&identifier),
            Arc::clone(&metrics),
            tasks.clone(),
            settings,
        )?);
        let plans = Arc::new(Plans::new(
            Arc::clone(&accounts),
            billing,
            settings.accounts.sign_in_attempts,
            judge_elsewhere(&judging),
            on_decoding_threads(&identifier),
        ));
        let teaching = Arc::new(Teaching::new(
            Arc::clone(&judging),
            Arc::clone(&identifier),
            Arc::clone(&heavy),
            tasks.clone(),
            settings,
        ));
        let photo_storage =
            Arc::new(PhotoStorage::new(store.clone(), clock.clone(), settings.storage.clone()));
        let scanning = Arc::new(Scanning::new(
            Arc::clone(&teaching),
            Arc::clone(&identifier),
            Arc::clone(&metrics),
            Arc::clone(&photo_storage),
            tasks.clone(),
            settings,
        ));
        let batches = Arc::new(Batches::new(Arc::clone(&scanning), settings));
        let evaluations = Arc::new(Evaluations::new(
            Arc::clone(&accounts),
            Arc::clone(&identifier),
            tasks.clone(),
            heavy,
            store.clone(),
            clock.clone(),
            settings,
        ));
        let operations = Arc::new(Operations::new(
            Arc::clone(&plans),
            Arc::clone(&teaching),
            Arc::clone(&evaluations),
            Arc::clone(&identifier),
            photo_storage,
            metrics,
            settings,
        ));
        Ok(Self {
            recognition: identifier,
            accounts,
            events,
            plans,
            garage,
            parts,
            judging,
            teaching,
            scanning,
            batches,
            evaluations,
            operations,
            store,
            clock,
            tasks,
        })
    }

    /// Sets what measures evaluations.
    #[must_use]
    pub fn with_assessor(self, assessor: Arc<dyn Assessor>) -> Self {
        Self { evaluations: Arc::new(self.evaluations.with_assessor(assessor)), ..self }
    }

    /// Finishes running work: answers waiting photographs and closes the database.
    pub async fn close(&self) {
        // Work that other servers can take over is released first. The database is closed last, because what ends
        // still writes to it.
        self.batches.give_back().await;
        self.evaluations.give_back().await;
        self.recognition.shut_down();
        self.teaching.index.stop();
        self.tasks.close().await;
        // After the tasks, which wait for the answers of receivers: what was sent is not sent again.
        self.events.give_back().await;
        self.garage.give_back().await;
        self.accounts.give_back_mails().await;
        self.store.close().await;
    }

    /// Runs `work` to its end, even if its caller goes away.
    ///
    /// # Errors
    /// Those of `work`; [`Error::ShuttingDown`] if the server stopped before it was done, [`Error::Internal`] if it
    /// panicked.
    pub async fn to_the_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.tasks.run(work).await
    }

    /// The time by the clock that all rooms share.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

partsight_domain::debug_fields!(App { recognition });

/// Host of the judge to which companies may send photographs, if that is another machine.
fn judge_elsewhere(judging: &Judging) -> Option<JudgeElsewhere> {
    let judge = judging.judge().filter(|judge| !judge.client.is_on_this_machine())?;
    Some(JudgeElsewhere { host: judge.client.host(), is_allowed_by_default: judge.is_allowed_by_default })
}

/// Lets other rooms draw pictures on the decoding threads, without depending on the decoder.
fn on_decoding_threads(identifier: &Arc<Identifier>) -> OnDecodingThreads {
    let identifier = Arc::clone(identifier);
    Arc::new(move |person, draw| {
        let identifier = Arc::clone(&identifier);
        Box::pin(async move { identifier.on_decoding_threads(person, draw).await })
    })
}
