//! The whole program in this process, on a new SQLite database: use cases and router, with an engine that answers
//! without a model.

use std::cell::RefCell;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use axum::Router;
use jiff::Timestamp;
use ndarray::{Array1, Array2};
use partsight_api::{ApiState, router};
use partsight_app::{App, Caller, Catalog, Clock, Identifier, Settings, SignedIn, Store};
use partsight_domain::{EmailAddress, NewUser, Password, PersonName, Plan, User};
use partsight_inference::{Engine, Error, ImageBatch, Manifest, Model, Outputs};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::targets::PHOTO_LIMITS;

/// 2027-01-15 08:00:00 UTC. It stays that moment, so that an input does the same whenever it is tried.
const NOW_SECOND: i64 = 1_800_000_000;
/// After so many users the shop is made anew: what they left behind would slow it down.
const MAX_USERS: u32 = 500;

/// A shop that is open for the inputs of one thread.
pub(crate) struct Shop {
    pub(crate) app: App,
    pub(crate) router: Router,
    /// Images that reached the engine so far.
    images: Arc<AtomicUsize>,
    user: Option<SignedIn>,
    n_users: u32,
    _folder: TempDir,
}

thread_local! {
    static OPEN: RefCell<Option<(Runtime, Shop)>> = const { RefCell::new(None) };
}

/// Runs `work` in the shop of this thread.
pub(crate) fn in_shop(work: impl AsyncFnOnce(&mut Shop)) {
    OPEN.with_borrow_mut(|open| {
        let (runtime, mut shop) = open.take().unwrap_or_else(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("the system gives a runtime");
            let shop = runtime.block_on(Shop::open());
            (runtime, shop)
        });
        runtime.block_on(work(&mut shop));
        // A finding unwinds past this, and the next input gets a new shop.
        if shop.n_users >= MAX_USERS {
            runtime.block_on(shop.app.close());
        } else {
            *open = Some((runtime, shop));
        }
    });
}

impl Shop {
    async fn open() -> Self {
        let folder = tempfile::tempdir().expect("the system gives a folder");
        let settings = Settings::with(|settings| {
            settings.data.dir = folder.path().into();
            settings.server.plan = Some(Plan::Business);
            settings.photos.max_bytes = PHOTO_LIMITS.max_bytes;
            settings.photos.max_pixels = PHOTO_LIMITS.max_pixels;
        });
        let model = Model::embedded().expect("the model is whole");
        let catalog = Arc::new(Catalog::embedded().expect("the catalogue is whole"));
        let images = Arc::new(AtomicUsize::new(0));
        let engine = Counter { manifest: model.manifest().clone(), images: Arc::clone(&images) };
        let identifier = Identifier::new(vec![Box::new(engine)], model.labels(), &catalog, &settings)
            .expect("the engine starts")
            .with_reference_space(model.reference_space().cloned());
        let store = Store::open_sqlite(folder.path()).await.expect("the database opens");
        let now = || Timestamp::from_second(NOW_SECOND).expect("the moment is one");
        let clock = Clock::new(now, std::time::Instant::now);
        let app = App::new(store, catalog, Arc::new(identifier), clock, &settings).expect("the app starts");
        let router = router(ApiState::new(app.clone(), &settings));
        Self { app, router, images, user: None, n_users: 0, _folder: folder }
    }

    /// Somebody with an account and nothing else, until [`Shop::spoil`].
    pub(crate) async fn user(&mut self) -> User {
        self.signed_in().await.user.clone()
    }

    /// The same with the secret of their session.
    pub(crate) async fn signed_in(&mut self) -> &SignedIn {
        if self.user.is_none() {
            self.n_users += 1;
            self.user = Some(sign_up(&self.app, self.n_users).await);
        }
        self.user.as_ref().expect("somebody just signed up")
    }

    /// Says that the user has something now; the next input gets another one.
    pub(crate) fn spoil(&mut self) {
        self.user = None;
    }

    /// Images that reached the engine so far.
    pub(crate) fn images(&self) -> usize {
        self.images.load(SeqCst)
    }
}

async fn sign_up(app: &App, number: u32) -> SignedIn {
    let name = |field| PersonName::new(field, "Ann").expect("the name is one");
    let new = NewUser {
        email: EmailAddress::new(&format!("ann{number}@example.com")).expect("the address is one"),
        password: Password::new("a long enough password".to_owned()).expect("the password is one"),
        first_name: name("firstName"),
        last_name: name("lastName"),
    };
    // Attempts are limited by address.
    let caller = Caller {
        address: IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + (number << 8))),
        browser: String::new(),
    };
    app.accounts.sign_up(new, &caller).await.expect("nobody else has the address")
}

/// An engine that is sure of the first type, whatever it sees.
struct Counter {
    manifest: Manifest,
    images: Arc<AtomicUsize>,
}

impl Engine for Counter {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn max_batch(&self) -> usize {
        1
    }

    fn provider(&self) -> &'static str {
        "test"
    }

    fn run(&mut self, images: &ImageBatch) -> Result<Outputs, Error> {
        let n_images = images.n_images();
        self.images.fetch_add(n_images, SeqCst);
        let mut logits = Array2::zeros((n_images, self.manifest.classes.count));
        logits.column_mut(0).fill(20.0);
        let mut embeddings = Array2::zeros((n_images, self.manifest.embedding.dimension));
        embeddings.column_mut(0).fill(1.0);
        Ok(Outputs { embeddings, logits, known: Array1::from_elem(n_images, 20.0) })
    }
}
