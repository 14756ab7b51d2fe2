//! Fits the confidence to the feedback on a shop's scans: those of all members of a company, or of a person alone.
//!
//! One number for a shop and a model: a temperature on top of the model's own calibration. It is used only if it is
//! better on held-out scans, so that feedback can never make the measured error worse, and only if some of the feedback
//! is about wrong answers: right ones alone would make every answer surer.

use std::ops::RangeInclusive;

use partsight_domain::{
    CalibrationFigures, FeedbackDoubt, PartLabel, RefitOutcome, TenantCalibration, TenantId, User, softmax,
};
use partsight_inference::calibration::{
    Labelled, expected_calibration_error, negative_log_likelihood, negative_log_likelihood_of_a_mistake,
    temperature_of_least,
};
use partsight_store::KnownScan;

use crate::Result;
use crate::accounts::owner::may_decide;
use crate::limits::heavy_work::Deadline;
use crate::teaching::Teaching;
use crate::with_causes;

/// Scans with a named part that a fit needs: with fewer, the calibration error of a good model is mostly chance.
pub const MIN_FEEDBACK: usize = 50;
/// Most scans that a fit uses, the newest.
const MAX_FEEDBACK: u32 = 1000;
/// Folds of the cross-validation. They are stratified: each has its share of the wrong answers, so that accepting a
/// fit does not depend on a lucky split.
const FOLDS: usize = 5;
/// Wrong answers among them that a fit needs: one for each fold.
const MIN_WRONG: usize = FOLDS;
/// A temperature outside this range is a sign of unreliable feedback, and is not used.
const TEMPERATURES: RangeInclusive<f64> = 0.5..=4.0;
/// Smallest reduction of the log loss, in nats, that is worth a change.
const LEAST_GAIN: f64 = 1e-4;
/// Bins of the calibration error.
const BINS: usize = 10;

/// A scan in the fit.
struct Example {
    /// `ln p` of each label, without a tenant's own temperature; at least two.
    log_probabilities: Vec<f32>,
    /// Index of the right label; `None` if it had no probability, so that the best guess was wrong.
    class: Option<usize>,
}

impl Teaching {
    /// The temperature that the feedback of a shop gave for the model in use.
    pub(crate) async fn feedback_temperature(&self, tenant_id: TenantId) -> Result<Option<f64>> {
        let calibration = self.store.tenant_calibration(tenant_id).await?;
        Ok(calibration.filter(|found| self.is_of_model_in_use(found)).and_then(|found| found.temperature))
    }

    fn is_of_model_in_use(&self, calibration: &TenantCalibration) -> bool {
        calibration.model_sha256 == self.identifier.model_sha256()
    }

    /// The calibration of a shop for the model in use, or the last attempt at one.
    pub(crate) async fn calibration_of(&self, tenant_id: TenantId) -> Result<Option<TenantCalibration>> {
        let found = self.store.tenant_calibration(tenant_id).await?;
        Ok(found.filter(|calibration| self.is_of_model_in_use(calibration)))
    }

    /// Fits the confidence of a user's shop to its feedback now, and uses the fit if it is better.
    ///
    /// # Errors
    /// [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who does not manage it.
    pub async fn refit_calibration(&self, user: &User) -> Result<TenantCalibration> {
        may_decide(user)?;
        self.refit(user.shop_tenant(), true).await
    }

    /// Returns a user's shop to the model's own calibration, permanently.
    ///
    /// # Errors
    /// [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who does not manage it.
    pub async fn undo_calibration(&self, user: &User) -> Result<()> {
        may_decide(user)?;
        let shop = user.shop_tenant();
        Ok(self.store.undo_tenant_calibration(shop, self.clock.now()).await?)
    }

    /// Fits the confidence of every shop that has new feedback and did not forbid it; returns for how many the
    /// calibration changed. A failure does not stop the others.
    pub async fn refit_calibrations(&self) -> Result<u64> {
        let mut n_changed = 0;
        for tenant_id in self.store.list_tenants_to_refit().await? {
            match self.refit(tenant_id, false).await {
                Ok(calibration) => n_changed += u64::from(calibration.outcome == RefitOutcome::Changed),
                Err(error) => {
                    tracing::error!(reason = with_causes(&error), "a calibration could not be fitted");
                }
            }
        }
        Ok(n_changed)
    }

    /// `is_asked_for`: also where the shop has forbidden it.
    async fn refit(&self, tenant_id: TenantId, is_asked_for: bool) -> Result<TenantCalibration> {
        let model_sha256 = self.identifier.model_sha256();
        // Read before the scans: feedback that arrives meanwhile is newer than the attempt.
        let attempted_at = self.clock.now();
        let scans = self.store.list_known_scans(tenant_id, model_sha256, MAX_FEEDBACK).await?;
        let examples = examples(scans, self.identifier.labels());
        let in_force = self.feedback_temperature(tenant_id).await?;
        let threshold = f64::from(self.thresholds_of(tenant_id).await?.identified_confidence);
        let n = examples.len() as u64;
        let work = move |_: &Deadline| Ok(fit(examples, in_force, threshold));
        let fitted = self.heavy.run(tenant_id.into(), work).await?;
        let calibration = TenantCalibration {
            model_sha256: model_sha256.to_owned(),
            temperature: fitted.temperature,
            outcome: fitted.outcome,
            doubt: fitted.doubt,
            n,
            before: fitted.before,
            after: fitted.after,
            attempted_at,
        };
        if !self.store.set_tenant_calibration(tenant_id, &calibration, is_asked_for).await? {
            return Ok(TenantCalibration { outcome: RefitOutcome::Kept, doubt: None, ..calibration });
        }
        tracing::info!(
            calibration.outcome = calibration.outcome.as_str(),
            calibration.temperature = calibration.temperature,
            calibration.n = n,
            "a calibration was fitted to feedback"
        );
        Ok(calibration)
    }
}

/// The scans that can be used: those whose probabilities are complete.
fn examples(scans: Vec<KnownScan>, classes: &[PartLabel]) -> Vec<Example> {
    let example = |scan: KnownScan| {
        let mut labels = classes.iter().chain(&scan.taught_labels);
        // A part that the model did not know then is counted as what it was: a wrong answer.
        let class = labels.position(|label| *label == scan.label);
        let n = scan.log_probabilities.len();
        let is_whole = n == classes.len() + scan.taught_labels.len() && n > 1;
        is_whole.then_some(Example { log_probabilities: scan.log_probabilities, class })
    };
    scans.into_iter().filter_map(example).collect()
}

/// The result of a fit.
#[derive(Debug)]
struct Fitted {
    temperature: Option<f64>,
    outcome: RefitOutcome,
    doubt: Option<FeedbackDoubt>,
    before: Option<CalibrationFigures>,
    after: Option<CalibrationFigures>,
}

/// Fits a temperature, and accepts it if it is in [`TEMPERATURES`] and beats the one in force on held-out scans: a log
/// loss lower by 0.0001 nats or more, and neither a higher calibration error nor a larger share of wrong ones among the
/// identified.
fn fit(mut examples: Vec<Example>, in_force: Option<f64>, threshold: f64) -> Fitted {
    let unchanged =
        |outcome, doubt| Fitted { temperature: in_force, outcome, doubt, before: None, after: None };
    if examples.len() < MIN_FEEDBACK {
        return unchanged(RefitOutcome::TooFew, None);
    }
    // One number, because a few dozen scans are too few to fit more. See docs/decisions/0048-feedback-temperature.md.
    // The best guess does not depend on the temperature. Sorted by correctness, so that `index % FOLDS` distributes
    // right and wrong answers evenly.
    examples.sort_by_key(|example| best(example, 1.0).1);
    let now = in_force.unwrap_or(1.0);
    let before = figures(&examples.iter().map(|example| (example, now)).collect::<Vec<_>>(), threshold);
    if examples.iter().filter(|example| !best(example, 1.0).1).count() < MIN_WRONG {
        let doubt = Some(FeedbackDoubt::TooFewWrong);
        return Fitted { before: Some(before), ..unchanged(RefitOutcome::Kept, doubt) };
    }
    let mut held_out = Vec::with_capacity(examples.len());
    for fold in 0..FOLDS {
        let others: Vec<&Example> = part(&examples, |index| index % FOLDS != fold);
        let temperature = temperature_of(&others);
        held_out
            .extend(part(&examples, |index| index % FOLDS == fold).into_iter().map(|own| (own, temperature)));
    }
    let after = figures(&held_out, threshold);
    let wrong_share =
        |figures: &CalibrationFigures| figures.identified_wrong as f64 / (figures.identified as f64).max(1.0);
    let is_better = before.log_loss - after.log_loss > LEAST_GAIN
        && after.ece <= before.ece
        && wrong_share(&after) <= wrong_share(&before);
    // On all of them now: the folds were only for the decision.
    let temperature = temperature_of(&examples.iter().collect::<Vec<_>>());
    let doubt = (!TEMPERATURES.contains(&temperature)).then_some(FeedbackDoubt::OutOfRange);
    let is_taken = is_better && doubt.is_none();
    Fitted {
        temperature: if is_taken { Some(temperature) } else { in_force },
        outcome: if is_taken { RefitOutcome::Changed } else { RefitOutcome::Kept },
        doubt,
        before: Some(before),
        after: Some(after),
    }
}

fn part(examples: &[Example], is_meant: impl Fn(usize) -> bool) -> Vec<&Example> {
    examples.iter().enumerate().filter(|(index, _)| is_meant(*index)).map(|(_, example)| example).collect()
}

/// `-ln p` of what is known of a scan: of its right part, or of the best guess being wrong.
///
/// The latter is less than the truth, since every guess was wrong; so much the model can express.
fn loss(example: &Example, temperature: f64) -> f64 {
    let logits = &example.log_probabilities;
    match example.class {
        Some(class) => negative_log_likelihood(&[Labelled { logits, class, weight: 1.0 }], temperature),
        None => negative_log_likelihood_of_a_mistake(logits, temperature),
    }
}

/// The temperature with the least loss, in 0.001..=1000.
fn temperature_of(examples: &[&Example]) -> f64 {
    temperature_of_least(|temperature| examples.iter().map(|example| loss(example, temperature)).sum())
}

/// Metrics of scans, each with its temperature.
fn figures(scans: &[(&Example, f64)], threshold: f64) -> CalibrationFigures {
    let answers: Vec<(f64, bool)> =
        scans.iter().map(|(example, temperature)| best(example, *temperature)).collect();
    let identified = answers.iter().filter(|(confidence, _)| *confidence >= threshold);
    let losses = scans.iter().map(|(example, temperature)| loss(example, *temperature));
    CalibrationFigures {
        log_loss: losses.sum::<f64>() / scans.len().max(1) as f64,
        ece: expected_calibration_error(&answers, BINS),
        identified: identified.clone().count() as u64,
        identified_wrong: identified.filter(|(_, is_right)| !is_right).count() as u64,
    }
}

/// Confidence of the best guess at a temperature, and whether it is right.
fn best(example: &Example, temperature: f64) -> (f64, bool) {
    let logits: Vec<f64> =
        example.log_probabilities.iter().map(|&logit| f64::from(logit) / temperature).collect();
    let probabilities = softmax(&logits);
    // The first of equals.
    let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]).then(b.cmp(&a)));
    best.map_or((0.0, false), |class| (probabilities[class], Some(class) == example.class))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `n` scans of two labels whose best guess has `confidence`, every `wrong`th of them wrong.
    fn scans(n: usize, confidence: f32, wrong: usize) -> Vec<Example> {
        let scan = |index: usize| Example {
            log_probabilities: vec![confidence.ln(), (1.0 - confidence).ln()],
            class: Some(usize::from(index.is_multiple_of(wrong))),
        };
        (0..n).map(scan).collect()
    }

    #[test]
    fn a_model_that_is_too_sure_is_cooled_down_to_the_share_of_right_answers() {
        let right = scans(200, 0.98, 4).swap_remove(1);
        let fitted = fit(scans(200, 0.98, 4), None, 0.9);
        assert_eq!(fitted.outcome, RefitOutcome::Changed);
        let confidence = best(&right, fitted.temperature.unwrap()).0;
        assert!((confidence - 0.75).abs() < 0.01, "{confidence}");
        let (before, after) = (fitted.before.unwrap(), fitted.after.unwrap());
        assert!(after.log_loss < before.log_loss && after.ece < before.ece);
        assert_eq!((before.identified, before.identified_wrong, after.identified), (200, 50, 0));
    }

    #[test]
    fn where_the_wrong_ones_stand_among_the_scans_decides_nothing() {
        // Every fifth is wrong: dealt in their order, all of them would be in one of the five parts.
        let fitted = fit(scans(200, 0.98, 5), None, 0.9);
        assert_eq!(fitted.outcome, RefitOutcome::Changed);
        let mut turned = scans(200, 0.98, 5);
        turned.sort_by_key(|scan| scan.class);
        assert_eq!(fit(turned, None, 0.9).after, fitted.after);
    }

    #[test]
    fn a_calibration_that_holds_is_kept() {
        // Three in four are right at 75%, in every fold.
        let fitted = fit(scans(200, 0.75, 4), None, 0.9);
        assert_eq!((fitted.outcome, fitted.temperature), (RefitOutcome::Kept, None));
        let fitted = fit(scans(200, 0.75, 4), Some(1.0), 0.9);
        assert_eq!((fitted.outcome, fitted.temperature), (RefitOutcome::Kept, Some(1.0)));
    }

    #[test]
    fn what_would_call_more_wrong_ones_identified_is_not_taken() {
        // Mostly right at 70%: higher confidences fit better, and cross the threshold with the wrong ones.
        let fitted = fit(scans(200, 0.7, 5), None, 0.75);
        assert_eq!((fitted.outcome, fitted.temperature, fitted.doubt), (RefitOutcome::Kept, None, None));
        let (before, after) = (fitted.before.unwrap(), fitted.after.unwrap());
        assert!(after.log_loss < before.log_loss && after.identified_wrong > before.identified_wrong);
    }

    #[test]
    fn feedback_that_is_all_alike_changes_nothing() {
        let of = |n_wrong: usize| -> Vec<Example> {
            let mut scans = scans(200, 0.7, 1000);
            for (at, scan) in scans.iter_mut().enumerate() {
                scan.class = Some(usize::from(at < n_wrong));
            }
            scans
        };
        for (n_wrong, doubt) in [
            (0, FeedbackDoubt::TooFewWrong),
            (MIN_WRONG - 1, FeedbackDoubt::TooFewWrong),
            // Would be best at 0.25, and does not end at 0.5.
            (MIN_WRONG, FeedbackDoubt::OutOfRange),
            (200, FeedbackDoubt::OutOfRange),
        ] {
            for in_force in [None, Some(1.5)] {
                let fitted = fit(of(n_wrong), in_force, 0.9);
                assert_eq!(
                    (fitted.outcome, fitted.temperature, fitted.doubt),
                    (RefitOutcome::Kept, in_force, Some(doubt)),
                    "{n_wrong} wrong"
                );
                assert!(fitted.before.is_some(), "{n_wrong} wrong");
            }
        }
    }

    #[test]
    fn a_wrong_answer_whose_part_had_no_probability_counts_as_wrong() {
        // Every fourth is wrong, half of these about a part that the model does not know.
        let mut known = scans(200, 0.98, 4);
        for scan in known.iter_mut().step_by(8) {
            scan.class = None;
        }
        let fitted = fit(known, None, 0.9);
        assert_eq!(fitted.outcome, RefitOutcome::Changed);
        let confidence = best(&scans(1, 0.98, 4)[0], fitted.temperature.unwrap()).0;
        assert!((confidence - 0.75).abs() < 0.01, "{confidence}");
        assert_eq!(fitted.before.unwrap().identified_wrong, 50);
    }

    #[test]
    fn too_little_feedback_changes_nothing() {
        let fitted = fit(scans(MIN_FEEDBACK - 1, 0.99, 4), Some(1.5), 0.9);
        assert_eq!((fitted.outcome, fitted.temperature), (RefitOutcome::TooFew, Some(1.5)));
        assert!(fitted.before.is_none() && fitted.after.is_none());
    }

    #[test]
    fn scans_without_all_probabilities_are_left_out() {
        let label = |name: &str| PartLabel::new(name).unwrap();
        let scan = |name: &str, n: usize| KnownScan {
            label: label(name),
            log_probabilities: vec![-1.0; n],
            taught_labels: vec![label("egr-valve")],
        };
        let found = examples(
            vec![scan("rim", 3), scan("egr-valve", 3), scan("door", 3), scan("rim", 2)],
            &[label("piston"), label("rim")],
        );
        assert_eq!(found.iter().map(|example| example.class).collect::<Vec<_>>(), [Some(1), Some(2), None]);
    }
}
