//! Several photographs of one type, pooled by different rules: how often the answer is right, and how well its
//! confidence is calibrated.
//!
//! usage: `partsight scan FOLDERS --top 1000 --format jsonl | several_photographs N`, where the folder of each
//! photograph has its label for a name. Groups are all sets of N photographs of one label; where there are
//! photographs in folders `not-a-part`, also each photograph of a part beside each of them, and N neighbours among them.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::{env, io};

use partsight_domain::{FusedScores, OpinionPool, PartLabel};
use partsight_inference::Model;
use partsight_inference::calibration::expected_calibration_error;
use serde_json::{Deserializer, Value};

type Failure = Box<dyn std::error::Error>;

const NOT_A_PART: &str = "not-a-part";
/// Bins of the calibration error.
const BINS: usize = 15;

/// Photographs, and the part that all or the first of them show.
struct Group<'a> {
    truth: Option<&'a PartLabel>,
    photographs: Vec<&'a FusedScores>,
}

/// How to make one answer of several.
#[derive(Clone, Copy)]
enum Rule {
    /// As the server does.
    Pool,
    /// The mean of the probabilities.
    Arithmetic,
    /// The mean of their logarithms.
    Geometric,
    /// Their product, as of independent evidence.
    Product,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().collect();
    let [_, n] = arguments.as_slice() else { return Err("usage: several_photographs N < SCANS".into()) };
    let n: usize = n.parse()?;
    let mut photographs: BTreeMap<PartLabel, Vec<FusedScores>> = BTreeMap::new();
    for row in Deserializer::from_reader(io::stdin().lock()).into_iter::<Value>() {
        let row = row?;
        if row["error"].is_null() {
            let (label, scores) = photograph(&row)?;
            photographs.entry(label).or_default().push(scores);
        }
    }
    let misses = photographs.remove(&PartLabel::new(NOT_A_PART)?).unwrap_or_default();

    let (mut same, mut with_miss) = (Vec::new(), Vec::new());
    for (label, all) in &photographs {
        for set in sets(all.len(), n) {
            same.push(Group { truth: Some(label), photographs: set.iter().map(|&at| &all[at]).collect() });
        }
        for (one, miss) in all.iter().flat_map(|one| misses.iter().map(move |miss| (one, miss))) {
            with_miss.push(Group { truth: Some(label), photographs: vec![one, miss] });
        }
    }
    let without: Vec<Group<'_>> =
        misses.windows(n).map(|set| Group { truth: None, photographs: set.iter().collect() }).collect();
    for (name, groups) in
        [("of one type", &same), ("of a part, and one of none", &with_miss), ("of no part", &without)]
    {
        if !groups.is_empty() {
            report(name, groups)?;
        }
    }
    Ok(())
}

/// The label of a row, and what the model says of its photograph.
fn photograph(row: &Value) -> Result<(PartLabel, FusedScores), Failure> {
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or("a row lacks a text");
    let number = |value: &Value| value.as_f64().map(|value| value as f32).ok_or("a row lacks a number");
    let path = text(&row["path"])?;
    let folder = Path::new(&path).parent().and_then(Path::file_name).ok_or("a path without a folder")?;
    let others = row["alternatives"].as_array().ok_or("a row lacks alternatives")?;
    let mut candidates = Vec::new();
    for candidate in std::iter::once(row).chain(others) {
        candidates.push((PartLabel::new(&text(&candidate["label"])?)?, number(&candidate["confidence"])?));
    }
    // All photographs have the classes in the same order.
    candidates.sort_by(|one, other| one.0.cmp(&other.0));
    let (labels, probabilities): (Vec<PartLabel>, Vec<f32>) = candidates.into_iter().unzip();
    let categories = vec![None; labels.len()];
    let scores = FusedScores { labels, categories, probabilities, known_score: number(&row["knownScore"])? };
    Ok((PartLabel::new(&folder.to_string_lossy())?, scores))
}

/// All sets of `n` of the numbers below `of`, in order.
fn sets(of: usize, n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let with_last = |last| sets(last, n - 1).into_iter().map(move |set| [set, vec![last]].concat());
    (0..of).flat_map(with_last).collect()
}

fn answer(rule: Rule, photographs: &[&FusedScores]) -> Result<FusedScores, Failure> {
    let n = photographs.len() as f64;
    let mut answer = (*photographs.first().ok_or("an empty group")?).clone();
    let sums = |value: fn(f32) -> f64| -> Vec<f64> {
        let sum = |at: usize| photographs.iter().map(|scores| value(scores.probabilities[at])).sum();
        (0..photographs[0].probabilities.len()).map(sum).collect()
    };
    let logarithms = || sums(|probability| f64::from(probability).max(1e-30).ln());
    let weights: Vec<f64> = match rule {
        Rule::Pool => {
            let all = photographs.iter().map(|&scores| scores.clone()).collect();
            return Ok(OpinionPool::new(all).ok_or("an empty group")?.scores);
        }
        Rule::Arithmetic => sums(f64::from),
        Rule::Geometric => logarithms().into_iter().map(|sum| (sum / n).exp()).collect(),
        Rule::Product => {
            let sums = logarithms();
            let largest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            sums.into_iter().map(|sum| (sum - largest).exp()).collect()
        }
    };
    let total: f64 = weights.iter().sum();
    answer.probabilities = weights.iter().map(|weight| (weight / total) as f32).collect();
    answer.known_score = photographs.iter().map(|scores| scores.known_score).sum::<f32>() / n as f32;
    Ok(answer)
}

fn report(name: &str, groups: &[Group<'_>]) -> Result<(), Failure> {
    let model = Model::embedded()?;
    let thresholds = &model.manifest().thresholds;
    let mut out = io::stdout().lock();
    writeln!(out, "\n{} groups {name}", groups.len())?;
    writeln!(
        out,
        "{:<12}{:>8}{:>12}{:>8}{:>10}{:>12}{:>8}{:>14}",
        "rule", "right", "confidence", "ECE", "log loss", "identified", "right", "not a part"
    )?;
    for (rule, name) in [
        (Rule::Pool, "pool"),
        (Rule::Geometric, "geometric"),
        (Rule::Arithmetic, "arithmetic"),
        (Rule::Product, "product"),
    ] {
        let mut answers: Vec<(f64, bool)> = Vec::new();
        let (mut loss, mut n_identified, mut n_identified_right, mut n_refused) = (0.0, 0, 0, 0);
        for group in groups {
            let scores = answer(rule, &group.photographs)?;
            let best = scores.ranking(1).remove(0);
            let is_right = Some(&best.label) == group.truth;
            let at = scores.labels.iter().position(|label| Some(label) == group.truth);
            loss -= at.map_or(0.0, |at| f64::from(scores.probabilities[at]).max(1e-30).ln());
            let known = f64::from(scores.known_score);
            let is_identified = f64::from(best.confidence) >= thresholds.identified_confidence
                && known >= thresholds.identified_known_score;
            n_identified += usize::from(is_identified);
            n_identified_right += usize::from(is_identified && is_right);
            n_refused += usize::from(known < thresholds.not_a_part_below);
            answers.push((f64::from(best.confidence), is_right));
        }
        let n = answers.len() as f64;
        let n_right = answers.iter().filter(|(_, is_right)| *is_right).count() as f64;
        let confidence = answers.iter().map(|(confidence, _)| confidence).sum::<f64>() / n;
        writeln!(
            out,
            "{name:<12}{:>8.4}{confidence:>12.3}{:>8.4}{:>10.4}{:>12.4}{:>8.4}{:>14.4}",
            n_right / n,
            expected_calibration_error(&answers, BINS),
            loss / n,
            n_identified as f64 / n,
            n_identified_right as f64 / n_identified.max(1) as f64,
            n_refused as f64 / n,
        )?;
    }
    Ok(())
}
