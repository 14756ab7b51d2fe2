//! What the servers that share a PostgreSQL database must have in common: the time, and most settings.
//!
//! Each server says what its settings are in the name of its sessions (`application_name`), so nothing is stored, and a
//! server that ends says it no more. It gives 12 bits of a hash for each group of settings: enough to notice a difference,
//! and too few to guess a value. Secrets are left out.

use std::convert::Infallible;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::SignedDuration;
use partsight_domain::SettingFacts;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::time::sleep;

use crate::operations::Operations;
use crate::{Result, Settings};

/// The difference of two clocks that NTP keeps right is far smaller.
pub(super) const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(5);
/// How often clocks and settings are compared: far more often than a lease takes to end.
const COMPARE_EVERY: Duration = Duration::from_secs(10);
/// Begins what a server says of its settings. Another version may have other settings.
const MARK: &str = concat!("partsight-", env!("CARGO_PKG_VERSION"), "/");
/// Characters of a group of settings.
const GROUP_CHARS: usize = 2;
/// Settings that each server has for itself, that are paths or addresses on its machine, or that may hold a secret in
/// part.
const OF_EACH_SERVER: [&str; 24] = [
    "listen",
    "trusted_proxies",
    "max_connections",
    "log",
    "log_format",
    "data_dir",
    "database_url",
    "max_upload_bytes",
    "max_decoding_bytes",
    "model_dir",
    "reading_dir",
    "device",
    "onnxruntime",
    "engine_threads",
    "max_batch",
    "queue_capacity",
    "answer_within_ms",
    "batch_workers",
    "batch_dir",
    "mail_dir",
    "supplier_service_url",
    "metrics_public",
    "metrics_listen",
    "otlp_endpoint",
];

/// What a server with these settings says of them.
pub(super) fn settings_mark(settings: &Settings) -> String {
    // Settings that cannot be written are those of nobody, and the mark is of no consequence.
    let values = serde_json::to_value(settings).unwrap_or_default();
    let mut mark = MARK.to_owned();
    for section in Settings::sections() {
        let is_shared = |facts: &&SettingFacts| !facts.is_secret && !OF_EACH_SERVER.contains(&facts.name);
        let shared: Vec<(&str, &Value)> = section
            .settings
            .iter()
            .filter(is_shared)
            .map(|facts| (facts.name, &values[facts.name]))
            .collect();
        let hash = Sha256::digest(serde_json::to_vec(&shared).unwrap_or_default());
        mark.push_str(&URL_SAFE_NO_PAD.encode(hash)[..GROUP_CHARS]);
    }
    mark
}

/// The groups of settings in which one of these sessions of servers differs from the server with the mark `own`.
pub(super) fn differing_groups(own: &str, sessions: &[String]) -> Vec<&'static str> {
    let own = own.trim_start_matches(MARK);
    let others = sessions.iter().filter_map(|name| Some(name.split_once(MARK)?.1));
    // A name that PostgreSQL has cut short, because its address gives it a long one, says nothing.
    let others: Vec<&str> = others.filter(|other| other.len() == own.len()).collect();
    let group = |mark: &str, i: usize| mark.as_bytes().chunks(GROUP_CHARS).nth(i).map(<[u8]>::to_vec);
    let differs = |i: usize| others.iter().any(|other| group(other, i) != group(own, i));
    let titles = Settings::sections().into_iter().map(|section| section.title).enumerate();
    titles.filter(|&(i, _)| differs(i)).map(|(_, title)| title).collect()
}

/// What was found wrong, so that each change is logged once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Differences {
    is_clock_off: bool,
    settings: Vec<&'static str>,
}

impl Operations {
    /// Compares clock and settings with those of the database and its other servers. To be called before the server
    /// takes on any work: see [`Store::compare_clocks`](partsight_store::Store::compare_clocks).
    ///
    /// # Errors
    /// Those of the database.
    pub async fn compare_with_others(&self) -> Result<()> {
        let found = self.differences().await?;
        self.report(&found, &Differences::default());
        Ok(())
    }

    /// Compares them again and again, for as long as the server runs.
    pub async fn run_comparison(&self) -> Infallible {
        let mut known = None;
        loop {
            // A database that is away is reported by those who need it.
            if let Ok(found) = self.differences().await {
                if let Some(known) = &known {
                    self.report(&found, known);
                }
                known = Some(found);
            }
            sleep(COMPARE_EVERY).await;
        }
    }

    async fn differences(&self) -> Result<Differences> {
        let ahead = self.store.compare_clocks(|| self.accounts.clock.now()).await?;
        let sessions = self.store.session_names().await?;
        Ok(Differences {
            is_clock_off: ahead.abs() > CLOCK_TOLERANCE,
            settings: differing_groups(&self.settings_mark, &sessions),
        })
    }

    fn report(&self, found: &Differences, known: &Differences) {
        if found.is_clock_off && !known.is_clock_off {
            tracing::warn!(
                database_ahead_seconds = self.store.database_ahead().as_secs(),
                "the clock of this machine differs from that of the database's machine; keep both right with NTP"
            );
        }
        if !found.settings.is_empty() && found.settings != known.settings {
            tracing::warn!(
                groups = found.settings.join(", "),
                "another server on this database has other settings in these groups; compare what `partsight config` \
                 prints on both machines"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use partsight_domain::{Decimal, Plan, Secret};

    use super::*;

    #[test]
    fn servers_differ_by_the_settings_that_they_should_share() {
        type Change = fn(&mut Settings);
        let cases: [(Change, &[&str]); 6] = [
            (|_| {}, &[]),
            (|s| s.server.public_url = Some("https://parts.example.com".to_owned()), &["Server"]),
            (|s| s.server.plan = Some(Plan::Pro), &["Server"]),
            (|s| s.data.keep_photos_days = 7, &["Data"]),
            // Those of the machine.
            (|s| (s.server.listen, s.model.engine_threads) = (([0, 0, 0, 0], 80).into(), 3), &[]),
            (
                |s| {
                    (s.storage.storage, s.judge.trust) =
                        (Some("/mnt/photographs".to_owned()), Decimal::from_millionths(800_000));
                },
                &["Photograph storage", "Judge"],
            ),
        ];
        let own = settings_mark(&Settings::default());
        for (change, expected) in cases {
            let other = settings_mark(&Settings::with(change));
            assert_eq!(
                differing_groups(&own, &[String::new(), own.clone(), other.clone()]),
                expected,
                "{other}"
            );
            // Beside a name of the operator's, and cut short.
            assert_eq!(differing_groups(&own, &[format!("parts {other}")]), expected);
            assert!(differing_groups(&own, &[other[..other.len() - 1].to_owned()]).is_empty());
        }
        assert!(differing_groups(&own, &["partsight-0.0.1/abcd".to_owned(), "psql".to_owned()]).is_empty());
    }

    #[test]
    fn a_mark_says_nothing_of_secrets_and_fits_into_the_name_of_a_session() {
        let with_secrets = Settings::with(|s| {
            s.judge.api_key = Some(Secret::new("sk-judge"));
            s.mail.smtp_url = Some(Secret::new("smtp://ann:secret@localhost:25"));
        });
        assert_eq!(settings_mark(&with_secrets), settings_mark(&Settings::default()));
        // PostgreSQL cuts off what is longer.
        assert!(settings_mark(&with_secrets).len() < 64);
        for name in OF_EACH_SERVER {
            assert!(Settings::names().contains(&name), "{name}");
        }
    }
}
