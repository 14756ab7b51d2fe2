//! The store against a database of its own for each test.
//!
//! A test is one async function over a [`TestStore`]; `on_each_database!` runs it on every database that the
//! store supports: on SQLite always, on PostgreSQL when `.make/with-postgres` runs the tests. What only SQLite
//! has (a file, its locks, its page limit) stands in `opening.rs`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails outside a test function fails the test as well"
)]

mod accounts;
mod batches;
mod disk_full;
mod evaluations;
mod events;
mod garage;
mod judging;
mod migrations;
mod nullable;
mod opening;
mod operations;
mod parts;
mod plans;
mod scanning;
mod servers;
mod teaching;
mod writers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use partsight_domain::{
    EmailAddress, LinkPurpose, NewUser, NewVehicle, Password, PersonName, Plan, Scan, ScanSource, ScanUsage,
    SessionId, SignInMethod, UsagePath, User, UserId, Vehicle, VehicleId, VehicleName,
};
use partsight_store::{MailLink, NewMail, NewScan, NewSession, Store, StoreOptions};
use sqlx::{AnyConnection, AssertSqlSafe, Connection};
use tempfile::TempDir;
use uuid::Uuid;

use partsight_test_support::postgres::PostgresDatabase;

/// Makes a test of each function, on each database.
macro_rules! on_each_database {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    super::$name(&crate::TestStore::sqlite().await).await;
                }
            )*
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    if let Some(db) = crate::TestStore::postgres().await {
                        super::$name(&db).await;
                    }
                }
            )*
        }
    };
}
pub(crate) use on_each_database;

/// A fresh, migrated database.
pub(crate) struct TestStore {
    pub(crate) store: Store,
    url: String,
    _place: Place,
}

/// What a database lies in, and goes with.
pub(crate) enum Place {
    Sqlite(#[expect(dead_code, reason = "held until the test ends")] TempDir),
    Postgres(#[expect(dead_code, reason = "held until the test ends")] PostgresDatabase),
}

impl Place {
    /// An empty folder and the address of an SQLite database in it.
    pub(crate) fn sqlite() -> (String, Self) {
        let folder = tempfile::tempdir().unwrap();
        (sqlite_url(&folder), Self::Sqlite(folder))
    }

    /// An empty PostgreSQL database, if there is a server.
    pub(crate) async fn postgres() -> Option<(String, Self)> {
        let database = PostgresDatabase::create().await?;
        Some((database.url.clone(), Self::Postgres(database)))
    }
}

/// As in production, but a lock is waited for as long as a slow disk may keep it from one of many tests.
pub(crate) fn patient() -> StoreOptions {
    StoreOptions { wait: Duration::from_mins(1), ..StoreOptions::default() }
}

impl TestStore {
    /// Deletes an account, and writes again and again until it is deleted; returns how often.
    async fn delete_while(&self, user: &User, write: impl AsyncFn(i64)) -> i64 {
        let deleting = async || assert!(self.store.delete_user(user.id, user.tenant_id).await.unwrap());
        self.write_during(deleting, write).await
    }

    /// Writes again and again until `work` has ended; returns how often.
    async fn write_during(&self, work: impl AsyncFn(), write: impl AsyncFn(i64)) -> i64 {
        let has_ended = AtomicBool::new(false);
        let working = async {
            work().await;
            has_ended.store(true, Ordering::Relaxed);
        };
        let writing = async {
            let mut n_written = 0;
            while !has_ended.load(Ordering::Relaxed) {
                write(n_written).await;
                n_written += 1;
            }
            n_written
        };
        tokio::join!(working, writing).1
    }

    pub(crate) async fn sqlite() -> Self {
        Self::at(Place::sqlite()).await
    }

    /// `None` where no PostgreSQL server is.
    pub(crate) async fn postgres() -> Option<Self> {
        let database = PostgresDatabase::with_schema(async |url| {
            Store::open_with(url, &patient()).await.unwrap().close().await;
        });
        let database = database.await?;
        Some(Self::at((database.url.clone(), Place::Postgres(database))).await)
    }

    async fn at((url, place): (String, Place)) -> Self {
        Self { store: Store::open_with(&url, &patient()).await.unwrap(), url, _place: place }
    }

    /// Adds a user with this name before `@example.com`.
    pub(crate) async fn user(&self, name: &str) -> User {
        self.store
            .create_user(UserId(Uuid::now_v7()), &new_user(name), "$argon2id$of-", &new_session(at(0)), &[])
            .await
            .unwrap()
    }

    /// The newest session of a user.
    pub(crate) async fn session_of(&self, user: &User) -> SessionId {
        self.store.list_sessions(user.id, at(0), Timestamp::MIN).await.unwrap()[0].id
    }

    /// Whose session this secret opens at `now`, however long it was not used.
    pub(crate) async fn session_user(&self, secret: &str, now: Timestamp) -> Option<User> {
        let found = self.store.find_session(secret, now, Timestamp::MIN).await.unwrap();
        found.map(|found| found.user)
    }

    /// Adds a vehicle of this model.
    pub(crate) async fn vehicle(&self, user: &User, model: &str) -> Vehicle {
        let id = VehicleId(Uuid::now_v7());
        self.store
            .create_vehicle(user.tenant_id, id, &new_vehicle(model), Plan::Business, at(0))
            .await
            .unwrap()
    }

    /// Mails a link with this token to an address, if it has an account; whether it has one.
    pub(crate) async fn mailed_link(
        &self,
        email: &EmailAddress,
        purpose: LinkPurpose,
        token: &str,
        now: Timestamp,
    ) -> bool {
        let link = MailLink::Account(purpose);
        let mail = NewMail { link: Some(link), ..new_mail(email.as_str()) };
        self.store.queue_mail(None, &mail, now).await.unwrap();
        let claimed = self.store.claim_mail(Uuid::from_u128(9), now, now + MINUTE).await.unwrap().unwrap();
        let is_open = self.store.open_mail_link(&claimed, link, token, now).await.unwrap();
        assert!(self.store.finish_mail(&claimed.lease).await.unwrap());
        is_open
    }

    /// Gives the user an API key and a calendar address, both of which open the account without its password.
    pub(crate) async fn leave_ways_in(&self, user: &User) {
        accounts::api_keys::key(self, user, &user.email).await.unwrap();
        self.store.save_calendar_feed(user.id, &user.email, at(1)).await.unwrap();
    }

    /// Whether the API key and the calendar address of [`Self::leave_ways_in`] still open the account.
    pub(crate) async fn ways_in(&self, user: &User) -> (bool, bool) {
        let key = self.store.find_api_key(&format!("secret of {}", user.email)).await.unwrap();
        (key.is_some(), self.store.find_calendar_user(&user.email).await.unwrap().is_some())
    }

    /// Runs a statement that the store has no method for, on a connection of its own.
    pub(crate) async fn execute(&self, sql: &str) {
        let mut connection = AnyConnection::connect(&self.url).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
}

/// The address of the file that `Store::open_sqlite` makes in `folder`.
pub(crate) fn sqlite_url(folder: &TempDir) -> String {
    format!("sqlite://{}?mode=rwc", folder.path().join("partsight.db").display())
}

/// A scan in a browser that this machine answered.
const WEB: ScanUsage = ScanUsage { source: ScanSource::Web, path: UsagePath::Local, cost_micros: 0 };

/// A scan of a browser as it is saved, by itself.
pub(crate) fn new_scan(scan: &Scan, limit: u32) -> NewScan<'_> {
    NewScan { scan, photos: &[], features: None, limit, is_counted: true, usage: &WEB, call: None }
}

/// How long a mail is claimed.
pub(crate) const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// A moment, in seconds after an arbitrary one.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

/// A session that begins at `now` and outlives every test.
pub(crate) fn new_session(now: Timestamp) -> NewSession {
    let id = SessionId(Uuid::now_v7());
    NewSession {
        id,
        token_sha256: format!("secret of {id}"),
        created_at: now,
        expires_at: at(i64::from(i32::MAX)),
        browser: "Firefox on Linux".to_owned(),
        method: SignInMethod::Password,
    }
}

/// A mail to this address, without a link.
pub(crate) fn new_mail(to: &str) -> NewMail {
    NewMail {
        to: EmailAddress::new(to).unwrap(),
        subject: "News".to_owned(),
        text: "Your password was changed.".to_owned(),
        reply_to: None,
        link: None,
    }
}

pub(crate) fn new_user(name: &str) -> NewUser {
    NewUser {
        email: EmailAddress::new(&format!("{name}@example.com")).unwrap(),
        password: Password::new("correct horse".to_owned()).unwrap(),
        first_name: PersonName::new("firstName", "Ann").unwrap(),
        last_name: PersonName::new("lastName", "Lee").unwrap(),
    }
}

pub(crate) fn new_vehicle(model: &str) -> NewVehicle {
    NewVehicle::new(VehicleName::new(2015, "Honda", model).unwrap(), None, None, None, None).unwrap()
}
