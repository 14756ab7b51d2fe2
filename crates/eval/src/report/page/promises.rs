//! The promises of the model's manifest beside what was measured.

use super::section;
use crate::report::html::{Table, bound_percent, count_of, interval};
use crate::{Evaluation, PromiseCheck, PromiseVerdict, Promised};

/// Empty if the manifest promises nothing about these photographs.
pub(super) fn promises(evaluation: &Evaluation<'_>) -> String {
    let checks = &evaluation.promises;
    if checks.is_empty() {
        return String::new();
    }
    let row = |check: &PromiseCheck| {
        vec![
            match check.of {
                Promised::IdentifiedWrong => "wrong answers among identified, known types",
                Promised::NotAPartIdentified => "identified among photographs labelled not-a-part",
                Promised::OtherPartsIdentified => "identified among photographs of other unknown labels",
            }
            .to_owned(),
            bound_percent(check.at_most),
            count_of(check.found),
            interval(check.interval),
            crate::comparison::p_value(check.p_value),
            match check.verdict {
                PromiseVerdict::Held => "held",
                PromiseVerdict::Compatible => "compatible",
                PromiseVerdict::Refuted => "refuted",
            }
            .to_owned(),
        ]
    };
    let table = Table {
        caption: "Promises of the model",
        head: &["share", "promised at most", "found", "95% interval", "p-value", "verdict"],
        numbers: &[1, 2, 3, 4],
        rows: checks.iter().map(row).collect(),
    };
    let reading = "What the model's manifest promises for photographs like those that it was measured on, beside these \
                   photographs; those that look like training photographs are left out. Refuted: so large a share has a \
                   probability (the p-value, exact binomial test, one-sided) of at most 5% if the promise holds. Held: the \
                   one-sided 95% upper bound (Clopper-Pearson) keeps the promise. Compatible: neither.";
    section("promises", "Promises of the model", reading, &table.html())
}
