use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

// UUID v7, which sort by time: pages, groups of photographs and positions in an import rely on this order.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    )*};
}

ids! {
    /// An owner of data: a person alone, or a company.
    TenantId;
    /// A person with an account.
    UserId;
    /// A saved vehicle.
    VehicleId;
    /// A logged oil change.
    OilChangeId;
    /// A logged repair.
    RepairId;
    /// One answered scan.
    ScanId;
    /// One signed-in browser. Not the secret in its cookie.
    SessionId;
    /// A request to cancel a subscription.
    CancellationRequestId;
    /// A team under one plan.
    CompanyId;
    /// A membership in a company.
    MemberId;
    /// An invitation to a company.
    InvitationId;
    /// A message to support.
    ContactMessageId;
    /// An API key. Not its secret.
    ApiKeyId;
    /// A reference: the embedding of a photograph of a taught part.
    ReferenceId;
    /// A part of a shop.
    ShopPartId;
    /// A price list of a shop.
    PriceListId;
    /// A list of cross-references of a shop.
    CrossReferenceListId;
    /// Many photographs as one job.
    BatchId;
    /// A photograph of a batch.
    BatchItemId;
    /// A measurement of the model on labelled photographs.
    EvaluationId;
    /// An event of an account.
    EventId;
    /// A webhook of an account.
    WebhookId;
}
