//! How settings are declared: each once, by [`settings!`](crate::settings!), in the crate that obeys it.
//!
//! From that declaration come the field, its default, its reading and writing, its check, and its row in the tables and
//! files that list all settings.

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
    if found.is_empty() { "empty" } else { found }
}

impl InvalidSetting {
    /// Refuses what was found, unless it fits.
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

/// What people are told of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFacts {
    /// Its key in the settings file.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its default; null where it has none.
    pub default: Value,
    /// What holds without it, where its default alone does not say so; else empty.
    pub without: &'static str,
    /// What it must be, such as `1 to 120`; empty where its type says so.
    pub rule: String,
    /// Whether it is never shown.
    pub is_secret: bool,
}

impl SettingFacts {
    /// The default as messages show it: a text without quotes, nothing where there is none.
    pub fn shown_default(&self) -> String {
        shown_setting(&self.default)
    }
}

/// Settings of one subject, as [`settings!`](crate::settings!) declares them.
pub trait SettingsGroup: Default {
    /// What people are told of the subject, a sentence a line.
    const ABOUT: &'static str;

    /// What people are told of each setting, in the order of declaration.
    fn facts() -> Vec<SettingFacts>;

    /// Takes the next value of `values`, if `name` is a setting of this group; tells whether it is.
    ///
    /// # Errors
    /// A value that cannot be read.
    fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, values: &mut A) -> Result<bool, A::Error>;

    /// Writes each setting under its name.
    ///
    /// # Errors
    /// What the serializer refuses.
    fn write<S: SerializeStruct>(&self, fields: &mut S) -> Result<(), S::Error>;

    /// Checks the rule of each setting.
    ///
    /// # Errors
    /// The first setting that breaks its own.
    fn check(&self) -> Result<(), InvalidSetting>;
}

/// The values that a setting of type `T` may have; one that is not set may be left so.
pub trait SettingRange<T> {
    /// Whether a value is among them.
    fn fits(&self, value: &T) -> bool;
    /// As people are told, such as `1 to 120`.
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
        // What is not set breaks no rule.
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

/// A value as its message shows it: a text without quotes, nothing for what is not set.
#[doc(hidden)]
pub fn shown_setting(value: &impl Serialize) -> String {
    match setting_value(value) {
        Value::Null => String::new(),
        Value::String(text) => text,
        // Without the point that JSON gives to a whole number of this kind.
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        other => other.to_string(),
    }
}

#[doc(hidden)]
pub fn setting_value(value: &impl Serialize) -> Value {
    // Cannot fail for what settings are made of; null is shown as nothing.
    serde_json::to_value(value).unwrap_or_default()
}
