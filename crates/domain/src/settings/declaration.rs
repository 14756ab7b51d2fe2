/// Declares the settings of one subject, each with a description of one or two sentences, key, field, type and
/// default:
///
/// ```
/// partsight_domain::settings! {
///     /// What the radio does.
///     pub struct RadioSettings {
///         /// Loudness in decibels.
///         "radio_volume" volume: u32 = 20, in 0..=120;
///         /// Name of the station.
///         "radio_station" station: Option<String> = None, without "the strongest one",
///             must be "a name" if |name| name.as_deref() != Some("");
///     }
/// }
/// use partsight_domain::SettingsGroup;
///
/// let loud = RadioSettings { volume: 121, ..RadioSettings::default() };
/// let message = loud.check().unwrap_err().to_string();
/// assert_eq!(message, "the setting `radio_volume` is 121, but it must be 0 to 120");
/// ```
///
/// `in` is the range of a number, `must be ... if` any other rule. `without` describes the effective default if the
/// value alone does not show it. A setting of the type `Option<Secret>` is never shown.
#[macro_export]
macro_rules! settings {
    (
        $(#[doc = $about:literal])+
        pub struct $Group:ident {
            $(
                $(#[doc = $doc:literal])+
                $name:literal $field:ident: $type:ty = $default:expr
                    $(, in $range:expr)?
                    $(, without $without:literal)?
                    $(, must be $rule:literal if $fits:expr)?;
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $Group {
            $( $(#[doc = $doc])+ pub $field: $type, )+
        }

        impl ::core::default::Default for $Group {
            fn default() -> Self {
                Self { $( $field: $default, )+ }
            }
        }

        impl $crate::SettingsGroup for $Group {
            const ABOUT: &'static str = concat!($($about, "\n"),+);

            fn facts() -> ::std::vec::Vec<$crate::SettingFacts> {
                let defaults = Self::default();
                ::std::vec![$(
                    $crate::SettingFacts {
                        name: $name,
                        about: concat!($($doc),+).trim(),
                        default: $crate::setting_value(&defaults.$field),
                        without: concat!($($without)?),
                        rule: {
                            let rules: ::std::vec::Vec<::std::string::String> = ::std::vec![
                                $( $crate::SettingRange::<$type>::text(&$range), )?
                                $( $rule.to_owned(), )?
                            ];
                            rules.concat()
                        },
                        is_secret: ::std::any::TypeId::of::<$type>()
                            == ::std::any::TypeId::of::<::core::option::Option<$crate::Secret>>(),
                    },
                )+]
            }

            fn read<'de, A: ::serde::de::MapAccess<'de>>(
                &mut self,
                name: &str,
                values: &mut A,
            ) -> ::core::result::Result<bool, A::Error> {
                // An unknown name may belong to the next group.
                match name {
                    $( $name => self.$field = values.next_value()?, )+
                    _ => return Ok(false),
                }
                Ok(true)
            }

            fn write<S: ::serde::ser::SerializeStruct>(
                &self,
                fields: &mut S,
            ) -> ::core::result::Result<(), S::Error> {
                $( fields.serialize_field($name, &self.$field)?; )+
                Ok(())
            }

            fn check(&self) -> ::core::result::Result<(), $crate::InvalidSetting> {
                $(
                    $(
                        if !$crate::SettingRange::<$type>::fits(&$range, &self.$field) {
                            return Err($crate::InvalidSetting {
                                name: $name,
                                found: $crate::shown_setting(&self.$field),
                                expected: $crate::SettingRange::<$type>::text(&$range).into(),
                            });
                        }
                    )?
                    $(
                        let fits: fn(&$type) -> bool = $fits;
                        let found = $crate::shown_setting(&self.$field);
                        $crate::InvalidSetting::unless(fits(&self.$field), $name, found, $rule)?;
                    )?
                )+
                Ok(())
            }
        }
    };
}
