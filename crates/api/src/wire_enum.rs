//! Enums of the wire that are those of the domain.

/// Names a value of the domain on the wire, one to one, in kebab-case unless it says otherwise.
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
                // Without a default: a variant that is new in the domain does not compile before it stands here.
                match value {
                    $(<$domain>::$variant => Self::$variant),*
                }
            }
        }
    };
}

pub(crate) use wire_enum;
