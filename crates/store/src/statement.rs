//! Statements with bound values, and common ways to run them.

use jiff::Timestamp;
use jiff::civil::Date;
use partsight_domain::{
    ApiKeyId, BatchId, BatchItemId, BatchItemState, BatchState, BillingInterval, CancellationRequestId,
    CancellationState, Category, CompanyId, CompanyRole, ContactMessageId, ContactTrap, CrossReferenceListId,
    CrossRelation, Currency, DeliveryState, DigestRhythm, EmailAddress, EvaluationId, EvaluationState,
    EventId, EventKind, FeedbackKind, FillKind, GroupedBy, InvitationId, ItemId, LinkPurpose, LinkTemplate,
    MemberId, OfferSource, OilChangeId, PartLabel, PersonName, PhotoSize, Plan, PriceListId,
    PushSubscriptionId, ReferenceId, ReferenceKind, RefitOutcome, RepairId, ScanId, ScanSource, SessionId,
    ShopPartId, SignInMethod, SubscriptionStatus, TenantId, UsagePath, UserId, VehicleId, Verdict, Vin,
    WebhookId,
};
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, Encode, Execute as _, Type};
use uuid::Uuid;

use crate::nullable_float::NullableFloat;
use crate::transaction::retried;
use crate::{Error, Store};

/// A query with its values in the order of their placeholders: `sql!("... WHERE user_id = $1", [user_id])`. Many
/// values may be split over several lists.
///
/// Two casts are for PostgreSQL: it treats a bare parameter in the list of a `SELECT` as text, and the `SUM` of
/// `BIGINT`s is a `NUMERIC`, which the driver for both databases cannot read.
macro_rules! sql {
    ($text:expr, $([$($value:expr),*]),*) => { with_values!(sqlx::query($text), $([$($value),*]),*) };
}

/// Binds further values to a query.
macro_rules! with_values {
    ($query:expr, $([$($value:expr),*]),*) => {
        $query$($(.bind($crate::statement::Value::bound(&$value)))*)*
    };
}

/// As [`sql`], for a query with one column.
macro_rules! scalar {
    ($text:expr, $([$($value:expr),*]),*) => {
        sqlx::query_scalar($text)$($(.bind($crate::statement::Value::bound(&$value)))*)*
    };
}

/// A value that can be bound: names and ids as text, timestamps as milliseconds since 1970, booleans as 1 and 0.
///
/// Not implemented for a bare floating-point number: see [`NullableFloat`].
pub(crate) trait Value {
    type Bound: for<'q> Encode<'q, Any> + Type<Any> + Send + 'static;

    fn bound(&self) -> Self::Bound;
}

macro_rules! values {
    ($($type:ty => $bound:ty, $bind:expr;)*) => {$(
        impl Value for $type {
            type Bound = $bound;

            fn bound(&self) -> $bound {
                let bind: fn(&$type) -> $bound = $bind;
                bind(self)
            }
        }
    )*};
}

macro_rules! texts {
    ($($type:ty),* $(,)?) => { values! { $($type => String, ToString::to_string;)* } };
}

values! {
    i64 => i64, |number| *number;
    u32 => i64, |number| i64::from(*number);
    u16 => i64, |number| i64::from(*number);
    u8 => i64, |number| i64::from(*number);
    bool => i64, |yes| i64::from(*yes);
    Timestamp => i64, |moment| moment.as_millisecond();
    NullableFloat => NullableFloat, |number| *number;
    [u8] => Vec<u8>, <[u8]>::to_vec;
    Vec<u8> => Vec<u8>, Clone::clone;
    EmailAddress => String, |email| email.as_str().to_owned();
    PersonName => String, |name| name.as_str().to_owned();
    LinkTemplate => String, |link| link.as_str().to_owned();
    Vin => String, |vin| vin.as_str().to_owned();
}

texts! {
    str, String, Date, Uuid,
    ApiKeyId, BatchId, BatchItemId, BatchItemState, BatchState, BillingInterval, CancellationRequestId, CancellationState, Category, CompanyId, CompanyRole, ContactMessageId, ContactTrap, CrossReferenceListId, CrossRelation, Currency, DeliveryState, DigestRhythm, EvaluationId, EvaluationState, EventId, EventKind, FeedbackKind, FillKind, GroupedBy, InvitationId, ItemId, LinkPurpose, MemberId, OilChangeId, PriceListId, PushSubscriptionId, ReferenceId, RepairId, ScanId, SessionId, ShopPartId, TenantId, UserId, VehicleId, WebhookId,
    OfferSource, PartLabel, PhotoSize, Plan, ReferenceKind, RefitOutcome, ScanSource, SignInMethod,
    SubscriptionStatus, UsagePath, Verdict,
}

impl<T: Value + ?Sized> Value for &T {
    type Bound = T::Bound;

    fn bound(&self) -> T::Bound {
        (**self).bound()
    }
}

impl<T: Value> Value for Option<T>
where
    Option<T::Bound>: for<'q> Encode<'q, Any> + Type<Any>,
{
    type Bound = Option<T::Bound>;

    fn bound(&self) -> Option<T::Bound> {
        self.as_ref().map(Value::bound)
    }
}

pub(crate) type Statement<'q> = Query<'q, Any, AnyArguments>;

impl Store {
    /// All rows of a query, converted by `read`.
    pub(crate) async fn list<T>(
        &self,
        query: Statement<'_>,
        read: impl Fn(&AnyRow) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let rows = query.fetch_all(&self.db).await.map_err(|error| self.noted(error))?;
        rows.iter().map(read).collect()
    }

    /// The row of a query, converted by `read`, if there is one.
    pub(crate) async fn find<T>(
        &self,
        query: Statement<'_>,
        read: impl Fn(&AnyRow) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let row = query.fetch_optional(&self.db).await.map_err(|error| self.noted(error))?;
        row.as_ref().map(read).transpose()
    }

    /// Runs a single statement that writes and returns no rows; returns how many rows it changed. It is a transaction
    /// of its own, and retried like any other if the database aborted it in favour of another one.
    pub(crate) async fn write(&self, mut query: Statement<'_>) -> Result<u64, Error> {
        let values = query.take_arguments().map_err(sqlx::Error::Encode)?.unwrap_or_default();
        let text = query.sql();
        self.check_file()?;
        retried(|| async {
            let query: Statement<'_> = sqlx::query_with(text.clone(), copied(&values));
            let done = query.execute(&self.writer).await.map_err(|error| self.noted(error))?;
            Ok(done.rows_affected())
        })
        .await
    }
}

/// The copy shares texts and bytes with the original.
fn copied(values: &AnyArguments) -> AnyArguments {
    let mut copy = AnyArguments::default();
    copy.values.0.clone_from(&values.values.0);
    copy
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use partsight_test_support::postgres::PostgresDatabase;
    use sqlx::{AnyConnection, AssertSqlSafe, Connection};

    use super::*;

    /// A row whose first `n_times` changes PostgreSQL aborts as if for a deadlock. The sequence counts all attempts,
    /// since a rollback does not reset it.
    async fn a_row_that_loses(n_times: u32, database: &PostgresDatabase) -> Store {
        let mut connection = AnyConnection::connect(&database.url).await.unwrap();
        let sql = format!(
            "CREATE TABLE note (text TEXT NOT NULL, n BIGINT NOT NULL); \
             INSERT INTO note VALUES ('a', 0); \
             CREATE SEQUENCE note_tries; \
             CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 IF nextval('note_tries') <= {n_times} THEN \
                     RAISE EXCEPTION 'deadlock detected' USING ERRCODE = 'deadlock_detected'; \
                 END IF; \
                 RETURN NEW; \
             END $$; \
             CREATE TRIGGER lose BEFORE UPDATE ON note FOR EACH ROW EXECUTE FUNCTION lose()"
        );
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        Store::open(&database.url).await.unwrap()
    }

    async fn number(sql: &'static str, store: &Store) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&store.db).await.unwrap()
    }

    async fn add_five(store: &Store) -> Result<u64, Error> {
        store.write(sql!("UPDATE note SET n = n + $2 WHERE text = $1", ["a", 5_i64])).await
    }

    #[tokio::test]
    async fn a_statement_that_gave_way_to_another_one_is_run_again_with_its_values() {
        let Some(database) = PostgresDatabase::create().await else { return };
        let store = a_row_that_loses(2, &database).await;
        assert_eq!(add_five(&store).await.unwrap(), 1);
        assert_eq!(number("SELECT n FROM note", &store).await, 5);
        assert_eq!(number("SELECT last_value FROM note_tries", &store).await, 3);
    }

    #[tokio::test]
    async fn a_statement_that_always_gives_way_is_given_up() {
        let Some(database) = PostgresDatabase::create().await else { return };
        let store = a_row_that_loses(100, &database).await;
        let error = add_five(&store).await.unwrap_err();
        assert!(matches!(error, Error::Locked(_)), "{error:?}");
        assert_eq!(number("SELECT n FROM note", &store).await, 0);
        assert_eq!(number("SELECT last_value FROM note_tries", &store).await, 3);
    }

    #[test]
    fn single_statements_are_written_in_one_way() {
        let mut paths = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                paths.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let is_this = path.ends_with("statement.rs");
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(is_this || !text.contains(".execute(&self.writer)"), "{}: use write", path.display());
            let knows_connections =
                ["statement.rs", "transaction.rs", "store.rs"].iter().any(|file| path.ends_with(file));
            let acquire = "self.writer.acquire()";
            let again = format!("retried(|| async {{\n            let mut connection = {acquire}");
            assert!(
                knows_connections || text.matches(acquire).count() == text.matches(&again).count(),
                "{}: a statement that loses a deadlock is to be run again",
                path.display()
            );
        }
    }
}
