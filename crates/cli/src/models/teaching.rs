//! How well a model recognises taught parts, in words.

use partsight_app::models::ModelManifest;
use partsight_eval::bound_percent;

/// Sentences, one per line: what teaching was fitted on, and when a taught part is identified.
pub(super) fn sentences(manifest: &ModelManifest) -> Vec<String> {
    let Some(references) = &manifest.references else {
        let command = format!("partsight models fit-references {} --photos DIR", manifest.name);
        let how =
            if manifest.prototypes.is_some() { format!(": `{command}` lets them") } else { String::new() };
        return vec![format!("Parts cannot be taught to it{how}.")];
    };
    let unmeasured = references.fitted_on.strip_prefix("Nothing: ");
    let mut sentences = vec![match unmeasured {
        Some(reason) => format!("Teaching was not measured: {reason}"),
        None => format!("Teaching was fitted on: {}", references.fitted_on),
    }];
    let Some(identified) = &references.identified else {
        sentences.push(
            "Taught parts are identified by the thresholds of the model's own types; no error bound is \
             stated for them."
                .to_owned(),
        );
        return sentences;
    };
    sentences.push(match identified.confidence {
        Some(confidence) => format!(
            "Taught parts are identified from confidence {confidence:.4} on: {} of the {} answers were wrong, bound \
             {}; of {} photographs of other parts, {} were called so.",
            identified.identified_wrong,
            identified.identified,
            bound_percent(identified.error_upper_bound),
            identified.others_n,
            identified.others_identified
        ),
        None => "Taught parts are found, never identified.".to_owned(),
    });
    // If nothing was measured, the reason given above also explains the missing confidence.
    if unmeasured.is_none() {
        sentences.push(identified.derived_by.clone());
    }
    sentences
}
