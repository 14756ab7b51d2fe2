//! The store against a database of its own for each test.
//!
//! A test is one async function over a [`TestStore`]; `on_each_database!` runs it on every database that the
//! store supports. What only SQLite has (a file, its locks, its page limit) stands in `opening.rs`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails outside a test function fails the test as well"
)]

mod opening;
mod scans;
mod sessions;
mod users;
mod vehicles;

use jiff::Timestamp;
use partsight_domain::{
    EmailAddress, NewUser, NewVehicle, Password, PersonName, SessionId, User, UserId, Vehicle, VehicleId,
    VehicleName,
};
use partsight_store::{NewSession, Store};
use sqlx::{AnyConnection, AssertSqlSafe, Connection};
use tempfile::TempDir;
use uuid::Uuid;

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
    };
}
pub(crate) use on_each_database;

/// A fresh, migrated database.
pub(crate) struct TestStore {
    pub(crate) store: Store,
    url: String,
    _folder: TempDir,
}

impl TestStore {
    pub(crate) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = sqlite_url(&folder);
        Self { store: Store::open_sqlite(folder.path()).await.unwrap(), url, _folder: folder }
    }

    /// Adds a user with this name before `@example.com`.
    pub(crate) async fn user(&self, name: &str) -> User {
        self.store
            .create_user(UserId(Uuid::now_v7()), &new_user(name), "$argon2id$of-", &new_session(at(0)))
            .await
            .unwrap()
    }

    /// Adds a vehicle of this model.
    pub(crate) async fn vehicle(&self, user: &User, model: &str) -> Vehicle {
        let id = VehicleId(Uuid::now_v7());
        self.store.create_vehicle(user.id, id, &new_vehicle(model), at(0)).await.unwrap()
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
