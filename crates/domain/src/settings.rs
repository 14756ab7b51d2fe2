//! Declaration of settings: each once, by [`settings!`](crate::settings!), in the crate that uses it.
//!
//! The declaration generates the field, its default, deserialisation and serialisation, its check, and its row in the
//! tables and files that list all settings.

mod decimal;
mod declaration;
mod secret;
mod service_url;

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::{RangeFrom, RangeInclusive};

use serde::Serialize;
use serde::de::MapAccess;
use serde::ser::SerializeStruct;
use serde_json::Value;

pub use decimal::Decimal;
pub use secret::Secret;
pub use service_url::ServiceUrl;

/// A setting that is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the setting `{name}` is {}, but it must be {expected}", shown(found))]
pub struct InvalidSetting {
    /// The key.
    pub name: &'static str,
    /// The value found; `(hidden)` of a secret.
    pub found: String,
    /// The rule it breaks.
    pub expected: Cow<'static, str>,
}

fn shown(found: &str) -> &str {
    match found {
        "" => "empty",
        blank if blank.trim().is_empty() => "blank",
        _ => found,
    }
}

impl InvalidSetting {
    /// Returns the error for `found`, unless the setting is valid.
    ///
    /// # Errors
    /// The setting with its rule.
    pub fn unless(
        fits: bool,
        name: &'static str,
        found: impl Into<String>,
        expected: &'static str,
    ) -> Result<(), Self> {
        if fits { Ok(()) } else { Err(Self { name, found: found.into(), expected: expected.into() }) }
    }
}

/// Description of a setting for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFacts {
    /// Its key in the settings file.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its default; null if it has none.
    pub default: Value,
    /// The effective value if it is not set, where the default alone does not show it; else empty.
    pub without: &'static str,
    /// Its rule, such as `1 to 120`; empty if the type implies it.
    pub rule: String,
    /// Whether it is never shown.
    pub is_secret: bool,
}

impl SettingFacts {
    /// The default for messages: a string without quotes, empty if there is none.
    pub fn shown_default(&self) -> String {
        shown_setting(&self.default)
    }
}

/// Settings of one subject, as [`settings!`](crate::settings!) declares them.
pub trait SettingsGroup: Default {
    /// Description of the group for people, one sentence per line.
    const ABOUT: &'static str;

    /// Description of each setting, in the order of declaration.
    fn facts() -> Vec<SettingFacts>;

    /// Deserialises the next value of `values`, if `name` is a setting of this group; returns whether it is.
    ///
    /// # Errors
    /// For an invalid value.
    fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, values: &mut A) -> Result<bool, A::Error>;

    /// Writes each setting under its name.
    ///
    /// # Errors
    /// What the serializer refuses.
    fn write<S: SerializeStruct>(&self, fields: &mut S) -> Result<(), S::Error>;

    /// Checks the rule of each setting.
    ///
    /// # Errors
    /// The first invalid setting.
    fn check(&self) -> Result<(), InvalidSetting>;
}

/// The valid values of a setting of type `T`; an optional one may be unset.
pub trait SettingRange<T> {
    /// Whether a value is among them.
    fn fits(&self, value: &T) -> bool;
    /// The range for people, such as `1 to 120`.
    fn text(&self) -> String;
}

impl<T: PartialOrd + Display> SettingRange<T> for RangeInclusive<T> {
    fn fits(&self, value: &T) -> bool {
        self.contains(value)
    }

    fn text(&self) -> String {
        format!("{} to {}", self.start(), self.end())
    }
}

impl<T: PartialOrd + Display> SettingRange<Option<T>> for RangeInclusive<T> {
    fn fits(&self, value: &Option<T>) -> bool {
        // An unset value is valid.
        value.as_ref().is_none_or(|value| self.contains(value))
    }

    fn text(&self) -> String {
        SettingRange::<T>::text(self)
    }
}

impl<T: PartialOrd + Display> SettingRange<T> for RangeFrom<T> {
    fn fits(&self, value: &T) -> bool {
        self.contains(value)
    }

    fn text(&self) -> String {
        format!("{} or more", self.start)
    }
}

/// A value for messages: a string without quotes, empty if unset.
#[doc(hidden)]
pub fn shown_setting(value: &impl Serialize) -> String {
    match setting_value(value) {
        Value::Null => String::new(),
        // Part of a URL before the `@` may be a password, unless the type hides it itself.
        Value::String(text) if text.contains("://") && !text.contains("***") => {
            ServiceUrl::new(text).to_string()
        }
        Value::String(text) => text,
        // Without the decimal point that JSON writes for whole floats.
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        other => other.to_string(),
    }
}

#[doc(hidden)]
pub fn setting_value(value: &impl Serialize) -> Value {
    // Never fails for the types of settings; null is shown as empty.
    serde_json::to_value(value).unwrap_or_default()
}
