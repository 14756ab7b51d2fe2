use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
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
    };
}

id!(
    /// Whoever owns vehicles and what is logged of them: a person alone, or the members of a company.
    TenantId
);
id!(
    /// A person with an account.
    UserId
);
id!(
    /// A saved vehicle.
    VehicleId
);
id!(
    /// A logged oil change.
    OilChangeId
);
id!(
    /// A logged repair.
    RepairId
);
id!(
    /// One answered scan.
    ScanId
);
id!(
    /// One signed-in browser. Not the secret in its cookie.
    SessionId
);
id!(
    /// Somebody's wish that their subscription ends.
    CancellationRequestId
);
id!(
    /// A team under one plan.
    CompanyId
);
id!(
    /// A person's place in a company.
    MemberId
);
id!(
    /// A person asked into a company.
    InvitationId
);
id!(
    /// What somebody wrote to support.
    ContactMessageId
);
id!(
    /// A key for programs. Not the secret.
    ApiKeyId
);
id!(
    /// A photograph that shows what a part looks like.
    ReferenceId
);
id!(
    /// A part of a shop: a number of a brand.
    ShopPartId
);
id!(
    /// A price list of a shop.
    PriceListId
);
