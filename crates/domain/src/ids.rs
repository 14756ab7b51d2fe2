use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

// Made as UUID v7, which begin with their time: pages, groups of photographs and marks of an import go by their order.
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
    /// Whoever owns vehicles and what is logged of them: a person alone, or the members of a company.
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
    /// Somebody's wish that their subscription ends.
    CancellationRequestId;
    /// A team under one plan.
    CompanyId;
    /// A person's place in a company.
    MemberId;
    /// A person asked into a company.
    InvitationId;
    /// What somebody wrote to support.
    ContactMessageId;
    /// A key for programs. Not the secret.
    ApiKeyId;
    /// A photograph that shows what a part looks like.
    ReferenceId;
    /// A part of a shop: a number of a brand.
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
    /// Something that happened in an account.
    EventId;
    /// Where an account lets events be sent.
    WebhookId;
}
