//! What the servers that share a PostgreSQL database must have in common: the time, most settings, and the model.
//!
//! Each server says what its settings and its model are in the name of its sessions (`application_name`), so nothing is
//! stored, and a server that ends says it no more. It gives 12 bits of a hash for each group of settings: enough to notice
//! a difference, and too few to guess a value. Secrets are left out. The model is that of its manifest, which has the
//! hashes of its files and its thresholds.

use std::convert::Infallible;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::SignedDuration;
use partsight_domain::SettingFacts;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::time::sleep;

use crate::operations::Operations;
use crate::recognition::model_source::ModelSource;
use crate::{Result, Settings};

/// The difference of two clocks that NTP keeps right is far smaller.
pub(super) const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(5);
/// How often clocks and settings are compared: far more often than a lease takes to end.
const COMPARE_EVERY: Duration = Duration::from_secs(10);
/// Begins what a server says of itself. Another version may have other settings.
const MARK: &str = concat!("partsight-", env!("CARGO_PKG_VERSION"), "/");
/// Characters of a group of settings, and of the model.
const GROUP_CHARS: usize = 2;
/// Stands for a model that cannot be read; no hash in base64 has these characters.
const UNKNOWN_MODEL: &str = "??";
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

/// What a server with these settings says of them and of its model.
pub(super) fn server_mark(settings: &Settings) -> String {
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
        mark.push_str(&mark_of(&shared));
    }
    let manifest = ModelSource::in_use(settings).manifest(settings);
    mark.push_str(&manifest.map_or_else(|_| UNKNOWN_MODEL.to_owned(), |manifest| mark_of(&manifest)));
    mark
}

fn mark_of(value: &impl Serialize) -> String {
    let hash = Sha256::digest(serde_json::to_vec(value).unwrap_or_default());
    URL_SAFE_NO_PAD.encode(hash)[..GROUP_CHARS].to_owned()
}

/// In what other servers differ from one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct OtherServers {
    /// The groups of settings in which one of them differs.
    pub(super) settings: Vec<&'static str>,
    /// Whether one of them has another model.
    pub(super) has_other_model: bool,
}

/// In what these sessions of servers differ from the server with the mark `own`.
pub(super) fn compare_marks(own: &str, sessions: &[String]) -> OtherServers {
    let own = own.trim_start_matches(MARK);
    let others = sessions.iter().filter_map(|name| Some(name.split_once(MARK)?.1));
    // A name that PostgreSQL has cut short, because its address gives it a long one, says nothing.
    let others: Vec<&str> = others.filter(|other| other.len() == own.len()).collect();
    let group = |mark: &str, i: usize| mark.as_bytes().chunks(GROUP_CHARS).nth(i).map(<[u8]>::to_vec);
    let differs = |i: usize| others.iter().any(|other| group(other, i) != group(own, i));
    let sections = Settings::sections();
    let n_sections = sections.len();
    let titles = sections.into_iter().map(|section| section.title).enumerate();
    let model = |mark: &str| group(mark, n_sections).filter(|chars| chars != UNKNOWN_MODEL.as_bytes());
    OtherServers {
        settings: titles.filter(|&(i, _)| differs(i)).map(|(_, title)| title).collect(),
        has_other_model: model(own)
            .is_some_and(|own| others.iter().filter_map(|other| model(other)).any(|other| other != own)),
    }
}

/// What was found wrong, so that each change is logged once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Differences {
    is_clock_off: bool,
    others: OtherServers,
}

impl Operations {
    /// Compares clock, settings and model with those of the database and its other servers. To be called before the server
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
            others: compare_marks(&self.server_mark, &sessions),
        })
    }

    fn report(&self, found: &Differences, known: &Differences) {
        if found.is_clock_off && !known.is_clock_off {
            tracing::warn!(
                database_ahead_seconds = self.store.database_ahead().as_secs(),
                "the clock of this machine differs from that of the database's machine; keep both right with NTP"
            );
        }
        let (found, known) = (&found.others, &known.others);
        if found.has_other_model && !known.has_other_model {
            tracing::warn!(
                "another server on this database has another model; compare what `partsight models info` prints on both \
                 machines"
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
    use std::fs;
    use std::path::Path;

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
        let own = server_mark(&Settings::default());
        let differing_groups = |sessions: &[String]| compare_marks(&own, sessions).settings;
        for (change, expected) in cases {
            let other = server_mark(&Settings::with(change));
            assert_eq!(differing_groups(&[String::new(), own.clone(), other.clone()]), expected, "{other}");
            // Beside a name of the operator's, and cut short.
            assert_eq!(differing_groups(&[format!("parts {other}")]), expected);
            assert!(differing_groups(&[other[..other.len() - 1].to_owned()]).is_empty());
        }
        assert!(differing_groups(&["partsight-0.0.1/abcd".to_owned(), "psql".to_owned()]).is_empty());
    }

    #[test]
    fn servers_differ_by_their_models_wherever_these_lie() {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/partsight-50/model.toml");
        let shipped = fs::read_to_string(shipped).unwrap();
        let mark_with = |manifest: &str| {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("model.toml"), manifest).unwrap();
            server_mark(&Settings::with(|s| s.model.dir = Some(folder.path().into())))
        };
        let own = server_mark(&Settings::default());
        let other = mark_with(&shipped.replacen("version = \"", "version = \"1", 1));
        for (session, expected) in [(other, true), (mark_with(&shipped), false), (mark_with(""), false)] {
            let found = compare_marks(&own, std::slice::from_ref(&session));
            assert_eq!(found, OtherServers { settings: Vec::new(), has_other_model: expected }, "{session}");
        }
        // Whoever does not know its own model has nothing to compare.
        assert!(!compare_marks(&mark_with(""), &[own]).has_other_model);
    }

    #[test]
    fn a_mark_says_nothing_of_secrets_and_fits_into_the_name_of_a_session() {
        let with_secrets = Settings::with(|s| {
            s.judge.api_key = Some(Secret::new("sk-judge"));
            s.mail.smtp_url = Some(Secret::new("smtp://ann:secret@localhost:25"));
        });
        assert_eq!(server_mark(&with_secrets), server_mark(&Settings::default()));
        // PostgreSQL cuts off what is longer.
        assert!(server_mark(&with_secrets).len() < 64);
        for name in OF_EACH_SERVER {
            assert!(Settings::names().contains(&name), "{name}");
        }
    }
}
