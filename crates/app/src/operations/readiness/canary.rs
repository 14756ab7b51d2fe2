//! The canary: a photograph with a known answer that regularly takes the path of all others.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use partsight_domain::NearReferences;
use partsight_inference::{Photo, PhotoLimits};
use tokio::time::Instant;

use crate::recognition::photo_budget::Asker;
use crate::with_causes;
use crate::{EMBEDDED_MODEL, Error, Identifier};

/// The golden photograph `rim.png` of the shipped model as a JPEG, the format of most photographs.
const PHOTO: &[u8] = include_bytes!("../../../data/canary.jpg");
/// Its label, as the shipped model identifies it.
const LABEL: &str = "rim";
/// How long a successful run is reused. A server runs the canary twice as often by itself.
const FRESH: Duration = Duration::from_mins(1);
/// How long it is reused while too many photographs are in flight to run the canary.
const FRESH_WHILE_BUSY: Duration = Duration::from_mins(5);
/// Smallest cosine between the embeddings of two runs: the golden files of the shipped model agree to 0.998 between
/// builds of the runtime, and other photographs in the batch change the last digits.
const MIN_COSINE: f64 = 0.99;

/// Whether these limits accept the photograph. If they do not, no run succeeds.
pub(in crate::operations) fn is_within(limits: &PhotoLimits) -> bool {
    Photo::decode(PHOTO, limits).is_ok()
}

/// Results of the canary's runs.
#[derive(Debug, Default)]
pub(super) struct Canary {
    /// Embedding of the first run of this server, f32 `[d]`.
    expected: OnceLock<Vec<f32>>,
    last: Mutex<Option<Run>>,
}

#[derive(Debug, Clone)]
struct Run {
    at: Instant,
    outcome: Result<(), String>,
}

impl Canary {
    /// Whether the photograph was identified in the last minute; runs it now if it was not.
    pub(super) async fn recent(&self, identifier: &Identifier) -> Result<String, String> {
        let last = self.last().clone();
        match last {
            Some(Run { at, outcome: Ok(()) }) if at.elapsed() < FRESH => {
                Ok(format!("A photograph went through decoding and model {} s ago.", at.elapsed().as_secs()))
            }
            _ => self
                .run(identifier)
                .await
                .map(|()| "A photograph went through decoding and model.".to_owned()),
        }
    }

    /// Runs the photograph and stores the result.
    pub(super) async fn run(&self, identifier: &Identifier) -> Result<(), String> {
        let outcome = match identifier.predict_with(&Asker::SERVER, PHOTO, |_| ()).await {
            Ok((predicted, _)) => {
                // Without references: what people teach must not change the expected answer.
                let best = identifier
                    .scorer()
                    .photograph(predicted.raw(), &NearReferences::default())
                    .ranking(1)
                    .pop();
                self.compare(
                    predicted.embedding(),
                    best.as_ref().map(|best| best.label.as_str()),
                    identifier.model_name() == EMBEDDED_MODEL,
                )
            }
            Err(Error::Busy | Error::Overloaded { .. }) => {
                let last = self.last();
                let is_known =
                    matches!(&*last, Some(Run { at, outcome: Ok(()) }) if at.elapsed() < FRESH_WHILE_BUSY);
                // The time of the last run does not change.
                return if is_known {
                    Ok(())
                } else {
                    Err("Too many photographs are waiting to try another.".to_owned())
                };
            }
            Err(error) => Err(format!("A photograph failed: {}.", with_causes(&error))),
        };
        *self.last() = Some(Run { at: Instant::now(), outcome: outcome.clone() });
        outcome
    }

    /// Whether the answer is right: that of the shipped model is known, and every model must repeat its embedding.
    fn compare(&self, embedding: &[f32], label: Option<&str>, is_shipped: bool) -> Result<(), String> {
        if is_shipped && label != Some(LABEL) {
            let seen = label.unwrap_or("nothing");
            return Err(format!("The model sees `{seen}` in a photograph of `{LABEL}`."));
        }
        // The right answer is known only for the shipped model; any other one must repeat its first. See
        // docs/decisions/0093-canary-against-itself.md.
        let expected = self.expected.get_or_init(|| embedding.to_vec());
        if cosine(expected, embedding) >= MIN_COSINE {
            Ok(())
        } else {
            Err("The model does not see in a photograph what it saw there at the start.".to_owned())
        }
    }

    fn last(&self) -> MutexGuard<'_, Option<Run>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cosine of two vectors `[d]`; NaN for a zero vector, which passes no comparison.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum() };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_right_when_it_is_that_of_the_start() {
        let canary = Canary::default();
        canary.compare(&[1.0, 0.0], Some("rim"), true).unwrap();
        canary.compare(&[0.999, 0.01], Some("rim"), true).unwrap();
        let wrong = canary.compare(&[0.0, 1.0], Some("rim"), true).unwrap_err();
        assert_eq!(wrong, "The model does not see in a photograph what it saw there at the start.");
        canary.compare(&[0.0, 0.0], Some("rim"), true).unwrap_err();
        canary.compare(&[f32::NAN, 0.0], Some("rim"), true).unwrap_err();
    }

    #[test]
    fn the_shipped_model_must_see_what_is_in_it_and_others_may_not_know_it() {
        let see = |label, is_shipped| Canary::default().compare(&[1.0], label, is_shipped);
        assert_eq!(
            see(Some("muffler"), true).unwrap_err(),
            "The model sees `muffler` in a photograph of `rim`."
        );
        see(None, true).unwrap_err();
        see(Some("muffler"), false).unwrap();
    }
}
