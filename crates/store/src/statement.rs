//! Statements with their values, and what is done with them most often.

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
use sqlx::{Any, Encode, Type};
use uuid::Uuid;

use crate::nullable_float::NullableFloat;
use crate::{Error, Store};

/// A query with its values in the order of their numbers: `sql!("... WHERE user_id = $1", [user_id])`. Many
/// values may stand in several lists.
macro_rules! sql {
    ($text:expr, $([$($value:expr),*]),*) => {
        sqlx::query($text)$($(.bind($crate::statement::Value::bound(&$value)))*)*
    };
}

/// As [`sql`], for the one value of each row.
macro_rules! scalar {
    ($text:expr, $([$($value:expr),*]),*) => {
        sqlx::query_scalar($text)$($(.bind($crate::statement::Value::bound(&$value)))*)*
    };
}

/// What can be bound, and as what: names and ids as text, moments as milliseconds since 1970, yes and no as 1 and 0.
///
/// There is none for a bare floating-point number: see [`NullableFloat`].
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

type Statement<'q> = Query<'q, Any, AnyArguments>;

impl Store {
    /// All rows of a query, read by `read`.
    pub(crate) async fn list<T>(
        &self,
        query: Statement<'_>,
        read: impl Fn(&AnyRow) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        query.fetch_all(&self.db).await?.iter().map(read).collect()
    }

    /// The row of a query, read by `read`, if there is one.
    pub(crate) async fn find<T>(
        &self,
        query: Statement<'_>,
        read: impl Fn(&AnyRow) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        query.fetch_optional(&self.db).await?.as_ref().map(read).transpose()
    }

    /// Runs a single statement that writes and returns no rows; how many rows it changed.
    pub(crate) async fn write(&self, query: Statement<'_>) -> Result<u64, Error> {
        Ok(query.execute(&self.writer).await?.rows_affected())
    }
}
