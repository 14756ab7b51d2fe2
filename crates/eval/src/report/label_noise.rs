//! What probably wrong labels mean for the accuracy, in words.

use super::html::percent;
use crate::Evaluation;

/// How many labels are probably wrong, and [`Evaluation::top1_with_likely_labels`]; `None` if none are.
pub fn label_noise(evaluation: &Evaluation<'_>) -> Option<String> {
    let accuracy = percent(evaluation.top1_with_likely_labels()?.value()?);
    let n = evaluation.figures.n;
    Some(match evaluation.n_confidently_wrong_labels() {
        1 => format!(
            "1 of these {n} labels is probably wrong. If it is, and the likely label is right, top-1 accuracy is \
             {accuracy}."
        ),
        n_wrong => format!(
            "{n_wrong} of these {n} labels are probably wrong. If they are, and the likely labels are right, top-1 \
             accuracy is {accuracy}."
        ),
    })
}
