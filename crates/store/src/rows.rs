//! Reads typed values from rows.

use std::str::FromStr;

use jiff::Timestamp;
use partsight_domain::PartLabel;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::Error;

/// The timestamp in `column`, stored as milliseconds since 1970.
pub(crate) fn timestamp(row: &AnyRow, column: &'static str) -> Result<Timestamp, Error> {
    from_millis(row.try_get(column)?, column)
}

/// The timestamp in `column`, if it is not NULL.
pub(crate) fn optional_timestamp(row: &AnyRow, column: &'static str) -> Result<Option<Timestamp>, Error> {
    row.try_get::<Option<i64>, _>(column)?.map(|millis| from_millis(millis, column)).transpose()
}

fn from_millis(millis: i64, column: &'static str) -> Result<Timestamp, Error> {
    Timestamp::from_millisecond(millis).map_err(|error| corrupt(column, &error))
}

/// The text in `column`, parsed.
pub(crate) fn parsed<T>(row: &AnyRow, column: &'static str) -> Result<T, Error>
where
    T: FromStr<Err: std::fmt::Display>,
{
    row.try_get::<String, _>(column)?.parse().map_err(|error| corrupt(column, &error))
}

/// The text in `column`, parsed, if it is not NULL.
pub(crate) fn optional<T>(row: &AnyRow, column: &'static str) -> Result<Option<T>, Error>
where
    T: FromStr<Err: std::fmt::Display>,
{
    let text: Option<String> = row.try_get(column)?;
    text.map(|text| text.parse()).transpose().map_err(|error| corrupt(column, &error))
}

/// The non-negative number in `column`.
pub(crate) fn count(row: &AnyRow, column: &'static str) -> Result<u64, Error> {
    Ok(row.try_get::<i64, _>(column)?.unsigned_abs())
}

/// Whether `column` is 1.
pub(crate) fn flag(row: &AnyRow, column: &'static str) -> Result<bool, Error> {
    Ok(row.try_get::<i64, _>(column)? == 1)
}

/// The JSON in `column`.
pub(crate) fn json<T: serde::de::DeserializeOwned>(row: &AnyRow, column: &'static str) -> Result<T, Error> {
    let text: String = row.try_get(column)?;
    serde_json::from_str(&text).map_err(|error| corrupt(column, &error))
}

/// The part label in `column`.
pub(crate) fn label(row: &AnyRow, column: &'static str) -> Result<PartLabel, Error> {
    PartLabel::new(&row.try_get::<String, _>(column)?).map_err(|error| corrupt(column, &error))
}

/// The part label in `column`, if it is not NULL.
pub(crate) fn optional_label(row: &AnyRow, column: &'static str) -> Result<Option<PartLabel>, Error> {
    let text: Option<String> = row.try_get(column)?;
    text.map(|text| PartLabel::new(&text)).transpose().map_err(|error| corrupt(column, &error))
}

/// Little-endian 32-bit floats in `column`.
pub(crate) fn floats(row: &AnyRow, column: &'static str) -> Result<Vec<f32>, Error> {
    let bytes: Vec<u8> = row.try_get(column)?;
    // Little-endian whatever the machine, so that a backup can be restored on another one.
    let (numbers, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let reason = format!("{} bytes are no whole number of floats", bytes.len());
        return Err(Error::Corrupt { column, reason });
    }
    Ok(numbers.iter().map(|&number| f32::from_le_bytes(number)).collect())
}

/// Numbers as [`floats`] reads them.
pub(crate) fn float_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The error for a `column` with a value that no version of this program writes.
pub(crate) fn corrupt(column: &'static str, reason: &impl std::fmt::Display) -> Error {
    Error::Corrupt { column, reason: reason.to_string() }
}

/// `value` as JSON text.
pub(crate) fn to_json<T: serde::Serialize>(column: &'static str, value: &T) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| corrupt(column, &error))
}
