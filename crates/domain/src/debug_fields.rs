/// Implements `Debug` for a type with only these fields, because the others are secret, large or irrelevant.
#[macro_export]
macro_rules! debug_fields {
    ($name:ident { $($field:ident),* }) => {
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($field), &self.$field))*
                    .finish_non_exhaustive()
            }
        }
    };
}
