//! Enums of JSON that mirror enums of the domain.

/// Defines an enum for JSON with the variants of a domain enum, in kebab-case by default.
macro_rules! wire_enum {
    ($(#[$doc:meta])* $name:ident from $domain:ty { $($variant:ident),* $(,)? }) => {
        $crate::wire_enum::wire_enum!($(#[$doc])* $name from $domain as "kebab-case" { $($variant),* });
    };
    ($(#[$doc:meta])* $name:ident from $domain:ty as $case:tt { $($variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, serde::Serialize, utoipa::ToSchema)]
        #[serde(rename_all = $case)]
        pub(crate) enum $name {
            $($variant),*
        }

        impl From<$domain> for $name {
            fn from(value: $domain) -> Self {
                // Without a wildcard: a new variant of the domain does not compile until it is listed here.
                match value {
                    $(<$domain>::$variant => Self::$variant),*
                }
            }
        }
    };
}

pub(crate) use wire_enum;
