use partsight_app::OCCLUSION_GRID;
use partsight_domain::SetCalibration;
use serde_json::{Map, Value, json};

use super::figures::thin;
use crate::comparison::letter;
use crate::maps::place;
use crate::metrics::{SelectivePoint, SetCoverage, SetFigures, Share};
use crate::{Comparison, Duplicates, Evaluation, LocalAnswers, Measured, Pair, ReportedPhoto};

/// Maximum of labels listed with the lowest coverage of their candidate sets.
const WORST_SETS: usize = 10;
/// Maximum of points of a curve.
const CURVE_POINTS: usize = 1000;
/// Maximum of entries of a list; the CSV files have them all.
const LISTED: usize = 1000;

/// The figures of one model as a flat object, as `--format json` prints them.
pub fn summary_json(evaluation: &Evaluation<'_>) -> Value {
    let mut summary = object(&evaluation.figures);
    let more = json!({
        "errors": evaluation.failures.len(),
        "duplicates": evaluation.duplicates.count(),
        "inTraining": in_training(&evaluation.duplicates),
        "withoutDuplicates": evaluation.without_duplicates.as_ref().map(object),
        "aurc": evaluation.selective.area(),
        "local": local(&evaluation.local),
        "localOfAll": evaluation.local_of_all.as_ref().map(local),
        "takenOver": evaluation.taken_over,
        "wrongLabels": evaluation.n_confidently_wrong_labels(),
        "top1WithLikelyLabels": evaluation.top1_with_likely_labels().and_then(Share::value),
        "cascade": evaluation.cascade,
        "gate": evaluation.gate,
        "promises": evaluation.promises,
        "provenance": evaluation.provenance,
        "model": {
            "name": evaluation.model.name,
            "version": evaluation.model.version,
            "sha256": evaluation.model.sha256,
            "provider": evaluation.model.provider,
            "labels": evaluation.model.labels,
        },
        "notices": evaluation.notices,
    });
    if let Value::Object(more) = more {
        // Flat, because scripts rely on these names.
        summary.extend(more);
    }
    if let Some((rule, coverage)) = evaluation.sets() {
        summary.insert("sets".to_owned(), sets(evaluation, rule, &coverage));
    }
    Value::Object(summary)
}

/// Number of photographs that look like training photographs; `None` if the model has no fingerprints of those.
fn in_training(duplicates: &Duplicates) -> Option<usize> {
    let n_found = duplicates.photos.iter().filter(|one| one.training.is_some()).count();
    (duplicates.n_training > 0).then_some(n_found)
}

fn sets(evaluation: &Evaluation<'_>, rule: SetCalibration, coverage: &SetCoverage) -> Value {
    let figures = |figures: &SetFigures| {
        json!({
            "n": figures.held.total,
            "coverage": figures.held.value(),
            "coverageInterval": figures.held.interval(),
            "meanSize": figures.mean_size(),
        })
    };
    let class = |(class, of_class): &(usize, SetFigures)| {
        let mut entry = figures(of_class);
        entry["label"] = evaluation.model.label(*class).into();
        entry
    };
    json!({
        "promised": rule.coverage,
        "overall": figures(&coverage.overall),
        "worst": coverage.classes.iter().take(WORST_SETS).map(class).collect::<Vec<_>>(),
        "without": coverage.without,
    })
}

/// The figures of the compared models and the paired tests: the summary of each model under `a`, `b` and so on, and a
/// table of all in `models`. `paired` is the test of the second model against the first.
pub fn comparison_json(comparison: &Comparison<'_>) -> Value {
    let mut compared = Map::new();
    let paired = |pair: &Pair, verdict: &String| {
        json!({
            "n": pair.outcomes.total(),
            "outcomes": pair.outcomes,
            "difference": pair.outcomes.difference(),
            "differenceInterval": pair.interval,
            "mcnemarP": pair.p_value,
            "falseDiscoveryRate": pair.false_discovery_rate,
            "verdict": verdict,
        })
    };
    let verdicts = comparison.verdicts();
    let pairs: Vec<Value> =
        comparison.pairs.iter().zip(&verdicts).map(|(pair, verdict)| paired(pair, verdict)).collect();
    let mut models = Vec::new();
    for (index, evaluation) in comparison.evaluations.iter().enumerate() {
        let figures = &evaluation.figures;
        let (coverage, coverage_interval) = comparison.coverages[index];
        models.push(json!({
            "key": letter(index),
            "name": comparison.names[index],
            "sha256": evaluation.model.sha256,
            "n": figures.n,
            "nRejection": figures.n_rejection,
            "top1": figures.top1,
            "top1Interval": figures.top1_interval,
            "top5": figures.top5,
            "top5Interval": figures.top5_interval,
            "macroTop1": figures.macro_top1,
            "macroTop1Interval": figures.macro_top1_interval,
            "ece": figures.ece,
            "eceInterval": comparison.ece_intervals[index],
            "coverageAt2PercentRisk": coverage,
            "coverageAt2PercentRiskInterval": coverage_interval,
            "rejectAuroc": figures.reject_auroc,
            "rejectAurocInterval": figures.reject_auroc_interval,
            "p50Ms": figures.p50_ms,
            "p50MsInterval": figures.p50_ms_interval,
            "againstFirst": index.checked_sub(1).and_then(|other| pairs.get(other)),
        }));
        compared.insert(letter(index).to_string(), summary_json(evaluation));
    }
    compared.insert("models".to_owned(), models.into());
    compared.insert("remark".to_owned(), comparison.remark().into());
    // In addition to the table, for scripts that compare two models.
    if let Some(pair) = pairs.into_iter().next() {
        compared.insert("paired".to_owned(), pair);
    }
    Value::Object(compared)
}

/// `report.json` of one model: the summary, and all data of the page.
pub(super) fn report(evaluation: &Evaluation<'_>, written_at: &str) -> Vec<u8> {
    let model = evaluation.model;
    let mut report = match summary_json(evaluation) {
        Value::Object(summary) => summary,
        _ => Map::new(),
    };
    let more = json!({
        "writtenAt": written_at,
        "dataset": {
            "source": evaluation.dataset.source().to_string_lossy(),
            "photos": evaluation.dataset.samples().len(),
            "labels": evaluation.dataset.labels(),
        },
        "slices": evaluation.slices,
        // All photographs, unlike the lists below, because a later run is compared with these.
        "photos": evaluation.photos.iter().map(|photo| ReportedPhoto::of(evaluation, photo)).collect::<Vec<_>>(),
        "thresholds": model.thresholds,
        "prices": evaluation.options.prices,
        "classes": evaluation.classes.iter().map(|figures| json!({
            "label": model.label(figures.class),
            "recall": figures.recall,
            "recallInterval": figures.recall.interval(),
            "precision": figures.precision,
        })).collect::<Vec<_>>(),
        "confusion": evaluation.confusion.cells().map(|(truth, guess, count)| json!({
            "label": model.label(truth), "guess": model.label(guess), "count": count,
        })).collect::<Vec<_>>(),
        "calibration": evaluation.calibration,
        "riskCoverage": thin(&evaluation.selective.points, CURVE_POINTS).iter().map(|point| json!({
            "threshold": point.threshold,
            "coverage": evaluation.selective.coverage(point),
            "risk": point.risk().value(),
        })).collect::<Vec<_>>(),
        "rejectionByLabel": evaluation.unknown_labels.iter().take(LISTED).map(|of_label| json!({
            "label": of_label.label,
            "identified": of_label.identified,
            "identifiedInterval": of_label.identified.interval(),
            "notSure": of_label.n_not_sure,
            "notAPart": of_label.n_not_a_part,
            "takenFor": of_label.taken_for.map(|(guess, _)| model.label(guess)),
            "takenForCount": of_label.taken_for.map(|(_, count)| count),
        })).collect::<Vec<_>>(),
        "rejection": thin(&evaluation.rejection, CURVE_POINTS),
        "cost": evaluation.cost,
        "mistakes": evaluation.mistakes().iter().take(LISTED).map(|photo| mistake(evaluation, photo))
            .collect::<Vec<_>>(),
        "falseIdentifications": evaluation.false_identifications().iter().take(LISTED)
            .map(|photo| mistake(evaluation, photo)).collect::<Vec<_>>(),
        "wrongLabelsListed": evaluation.wrong_labels.iter().take(LISTED).enumerate().map(|(index, wrong)| json!({
            "rank": index + 1,
            "path": evaluation.path(wrong.photo),
            "label": evaluation.label(wrong.photo),
            "likelyLabel": model.label(wrong.issue.likely),
            "labelProbability": wrong.issue.label_probability,
            "likelyProbability": wrong.issue.likely_probability,
            "confident": wrong.issue.is_confident,
        })).collect::<Vec<_>>(),
        "compared": {
            "training": evaluation.duplicates.n_training,
            "references": evaluation.duplicates.n_references(),
            "tooPlain": evaluation.duplicates.n_plain,
        },
        "failures": evaluation.failures.iter().take(LISTED).map(|failure| json!({
            "path": evaluation.dataset.shown(&failure.path), "reason": failure.reason,
        })).collect::<Vec<_>>(),
    });
    if let Value::Object(more) = more {
        report.extend(more);
    }
    bytes(&Value::Object(report))
}

/// `report.json` of several models.
pub(super) fn comparison_report(comparison: &Comparison<'_>, written_at: &str) -> Vec<u8> {
    let mut report = comparison_json(comparison);
    report["writtenAt"] = written_at.into();
    report["dataset"] = comparison.first().dataset.source().to_string_lossy().into();
    bytes(&report)
}

fn mistake(evaluation: &Evaluation<'_>, photo: &Measured) -> Value {
    json!({
        "path": evaluation.path(photo),
        "label": evaluation.label(photo),
        "guess": evaluation.model.label(photo.answer.best().class),
        "confidence": photo.answer.best().confidence,
        "knownScore": photo.answer.known_score,
        "verdict": photo.answer.verdict,
        "occlusion": evaluation.maps.get(&photo.sample).map(|map| json!({
            "strongest": place(map),
            "drops": map.drops.chunks(OCCLUSION_GRID).collect::<Vec<_>>(),
            "seen": map.seen,
        })),
        "nearest": evaluation.nearest.get(&photo.sample).map(|nearest| nearest.iter().map(|neighbour| json!({
            "path": evaluation.path_of(neighbour.sample),
            "label": evaluation.label_of(neighbour.sample),
            "similarity": neighbour.similarity,
        })).collect::<Vec<_>>()),
    })
}

fn local(local: &LocalAnswers) -> Value {
    json!({
        "inForce": selective(local, &local.in_force),
        "atMost": local.at_most.iter().map(|(risk, point)| json!({
            "maxWrong": risk,
            "point": point.map(|point| selective(local, &point)),
        })).collect::<Vec<_>>(),
    })
}

fn selective(local: &LocalAnswers, point: &SelectivePoint) -> Value {
    json!({
        "confidenceFrom": point.threshold,
        "answered": point.answered,
        "answeredShare": local.curve.coverage(point),
        "wrong": point.wrong,
        "wrongShare": point.risk().value(),
        "wrongUpperBound95": point.risk().upper_bound(),
    })
}

fn object(value: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}
