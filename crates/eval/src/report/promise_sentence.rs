//! The check of a promise in words.

use super::html::{bound_percent, count_of};
use crate::comparison::stated_p;
use crate::{PromiseCheck, PromiseVerdict, Promised};

/// The result of a check as a sentence without a full stop.
pub fn promise_sentence(check: &PromiseCheck) -> String {
    let of = match check.of {
        Promised::IdentifiedWrong => "wrong answers among identified",
        Promised::NotAPartIdentified => "identified among not-a-part",
        Promised::OtherPartsIdentified => "identified among other unknown labels",
    };
    let p = stated_p(check.p_value);
    let verdict = match check.verdict {
        PromiseVerdict::Held => "held, more is ruled out".to_owned(),
        PromiseVerdict::Compatible => format!("compatible ({p})"),
        PromiseVerdict::Refuted => format!("refuted ({p})"),
    };
    format!(
        "{of}: at most {} promised, found {}: {verdict}",
        bound_percent(check.at_most),
        count_of(check.found)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Promise;
    use crate::metrics::Share;

    #[test]
    fn the_sentence_states_promise_count_and_verdict() {
        let sentence = |count, total| {
            let promise = Promise { of: Promised::OtherPartsIdentified, at_most: 0.1011 };
            promise_sentence(&PromiseCheck::new(promise, Share { count, total }))
        };
        assert_eq!(
            sentence(3, 3),
            "identified among other unknown labels: at most 10.2% promised, found 3 of 3 (100.0%): refuted (p = 0.0010)"
        );
        assert!(sentence(0, 29).ends_with("found 0 of 29 (0.0%): held, more is ruled out"));
        assert!(sentence(0, 3).ends_with("compatible (p = 1.0000)"));
    }
}
