//! The figures as a table and as JSON.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use partsight_app::{BatchSpeed, BulkSpeed, Durations, LoadSpeed, NetworkSpeed};
use serde::Serialize;

use crate::text_table::TextTable;

const SECONDS_AN_HOUR: f64 = 3600.0;
const NOTHING: &str = "-";

/// The photographs' files, in memory, so that the disk is not measured.
pub(super) struct Photographs {
    /// Which photographs, in words.
    pub(super) from: String,
    pub(super) bytes: Vec<Arc<[u8]>>,
}

/// All figures; durations in milliseconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    program_version: &'static str,
    model: String,
    provider: String,
    provider_reason: String,
    runtime: String,
    engines: usize,
    photographs: String,
    batches: Vec<BatchRow>,
    bulk: BulkRow,
    loads: Vec<LoadRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price_per_hour: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price_per_thousand: Option<f64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BatchRow {
    batch: usize,
    images_per_second: f64,
    #[serde(flatten)]
    times: Times,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BulkRow {
    at_once: usize,
    photos_per_second: f64,
    #[serde(flatten)]
    times: Times,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LoadRow {
    offered_per_second: f64,
    answered_per_second: f64,
    sent: usize,
    refused: usize,
    #[serde(flatten)]
    times: Option<Times>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct Times {
    median_ms: f64,
    p99_ms: f64,
}

impl From<Durations> for Times {
    fn from(durations: Durations) -> Self {
        Self { median_ms: millis(durations.median), p99_ms: millis(durations.p99) }
    }
}

impl Report {
    pub(super) fn new(
        network: &NetworkSpeed,
        photographs: &Photographs,
        bulk: &BulkSpeed,
        loads: &[LoadSpeed],
        price_per_hour: Option<f64>,
    ) -> Self {
        let batch = |speed: &BatchSpeed| BatchRow {
            batch: speed.batch,
            images_per_second: rounded(speed.images_per_second),
            times: speed.durations.into(),
        };
        let load = |speed: &LoadSpeed| LoadRow {
            offered_per_second: rounded(speed.offered_per_second),
            answered_per_second: rounded(speed.answered_per_second),
            sent: speed.sent,
            refused: speed.refused,
            times: speed.durations.map(Times::from),
        };
        Self {
            program_version: env!("CARGO_PKG_VERSION"),
            model: network.model.clone(),
            provider: network.provider.clone(),
            provider_reason: network.reason.clone(),
            runtime: network.runtime.clone(),
            engines: network.engines,
            photographs: photographs.from.clone(),
            batches: network.batches.iter().map(batch).collect(),
            bulk: BulkRow {
                at_once: bulk.at_once,
                photos_per_second: rounded(bulk.photos_per_second),
                times: bulk.durations.into(),
            },
            loads: loads.iter().map(load).collect(),
            price_per_hour,
            price_per_thousand: price_per_hour
                .map(|price| price / (bulk.photos_per_second * SECONDS_AN_HOUR) * 1000.0),
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a `String` cannot fail.
        let _ = writeln!(
            text,
            "{} on {}, {}, {} engine{}\n{}\nphotographs: {}\n\nThe network alone\n{}",
            self.model,
            self.provider,
            self.runtime,
            self.engines,
            if self.engines == 1 { "" } else { "s" },
            self.provider_reason,
            self.photographs,
            self.batch_table()
        );
        let _ = writeln!(
            text,
            "\nFrom file to answer, {} at a time: {:.1} photographs a second; one takes {:.1} ms (median), {:.1} ms (99th \
             percentile)",
            self.bulk.at_once, self.bulk.photos_per_second, self.bulk.times.median_ms, self.bulk.times.p99_ms
        );
        if let (Some(hour), Some(thousand)) = (self.price_per_hour, self.price_per_thousand) {
            let _ = writeln!(text, "1,000 photographs cost {thousand:.5} at {hour} an hour");
        }
        let _ = writeln!(text, "\nUnder load\n{}", self.load_table());
        text
    }

    fn batch_table(&self) -> TextTable {
        let mut table =
            table(&["images in a batch", "images a second", "batch, median ms", "99th percentile"]);
        for row in &self.batches {
            table.add_row([
                row.batch.to_string(),
                format!("{:.1}", row.images_per_second),
                format!("{:.1}", row.times.median_ms),
                format!("{:.1}", row.times.p99_ms),
            ]);
        }
        table
    }

    fn load_table(&self) -> TextTable {
        let mut table = table(&["offered a second", "answered", "refused", "median ms", "99th percentile"]);
        for row in &self.loads {
            let time = |of: fn(Times) -> f64| {
                row.times.map_or_else(|| NOTHING.to_owned(), |times| format!("{:.1}", of(times)))
            };
            table.add_row([
                format!("{:.1}", row.offered_per_second),
                format!("{:.1}", row.answered_per_second),
                format!("{} of {}", row.refused, row.sent),
                time(|times| times.median_ms),
                time(|times| times.p99_ms),
            ]);
        }
        table
    }
}

fn table(head: &[&str]) -> TextTable {
    TextTable::new(head).right(0..head.len())
}

/// Rounded to hundredths: further digits are noise.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn millis(duration: Duration) -> f64 {
    rounded(duration.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_of_a_thousand_follows_from_the_rate() {
        let durations = Durations { median: Duration::from_micros(12_340), p99: Duration::from_millis(50) };
        let network = NetworkSpeed {
            model: "m 1".to_owned(),
            provider: "CPU".to_owned(),
            reason: "asked for".to_owned(),
            runtime: "r".to_owned(),
            engines: 1,
            batches: vec![BatchSpeed { batch: 8, images_per_second: 99.994, durations }],
        };
        let photographs = Photographs { from: "3 of 3".to_owned(), bytes: Vec::new() };
        let bulk = BulkSpeed { at_once: 2, photos_per_second: 100.0, durations };
        let refused = LoadSpeed {
            offered_per_second: 200.0,
            answered_per_second: 0.0,
            sent: 7,
            refused: 7,
            durations: None,
        };
        let report = Report::new(&network, &photographs, &bulk, &[refused], Some(3.6));
        let json = serde_json::to_value(&report).unwrap();
        // 3.6 per hour are 0.001 per second, in which 100 photographs are answered.
        assert_eq!(json["pricePerThousand"], 0.01);
        assert_eq!(json["batches"][0]["imagesPerSecond"], 99.99);
        assert_eq!(json["bulk"]["medianMs"], 12.34);
        assert!(json["loads"][0].get("medianMs").is_none(), "{json}");
        let text = report.text();
        assert!(text.contains("7 of 7") && text.contains("cost 0.01000 at 3.6 an hour"), "{text}");
    }
}
