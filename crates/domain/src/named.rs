//! Enums whose values have names in the API, in rows and in metrics.

/// The text is not the name of a value of the enum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no known name")]
pub struct UnknownName(pub String);

/// Declares an enum with a list of its values and a name for each value.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $name {
            /// Every value, in the order of declaration.
            // A macro cannot count variants, but the length of an array of their names is a constant.
            pub const ALL: [Self; [$($text),*].len()] = [$(Self::$variant),*];

            /// The name in the API, in rows and in metrics.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// The value whose [`Self::as_str`] is `name`.
            pub fn from_name(name: &str) -> Option<Self> {
                // Two values with the same name would be an unreachable pattern, which the compiler reports.
                match name {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Self::from_name(name).ok_or_else(|| $crate::UnknownName(name.to_owned()))
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{Plan, UnknownName};

    #[test]
    fn a_value_is_found_by_its_own_name_only() {
        for plan in Plan::ALL {
            assert_eq!(Plan::from_name(plan.as_str()), Some(plan));
            assert_eq!(plan.to_string().parse(), Ok(plan));
        }
        assert_eq!(Plan::from_name("Pro"), None);
        assert_eq!("gold".parse::<Plan>(), Err(UnknownName("gold".to_owned())));
    }
}
