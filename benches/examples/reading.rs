//! How much of the text on photographs is read, and what reading costs.
//!
//! usage: `reading FOLDER LIST [NETWORKS]`, where LIST is a CSV file with the columns `path` (within FOLDER), `kind`
//! (`part-number`, `brand`, `words`, `size`, or `none` for a photograph without text), `text` and `certain` (`yes` or
//! `no`), and NETWORKS is a folder in place of the embedded networks. Photographs with mistakes come first.
//!
//! A text counts as read where it stands within one line of text, spaces, dashes, dots, apostrophes and case aside; a brand
//! also where the list of brands takes a line for it, and one that it takes for another is counted as wrong. Figures are
//! given for two halves of the photographs too, so that bounds can be chosen on one and measured on the other. Costs are
//! processor time of one thread, and are right on a machine that is busy, too.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::{env, fs, io};

use partsight_domain::{brand_in, has_telling_brand, is_stacked_brand};
use partsight_inference::{KnownTexts, OnnxRuntime, Photo, PhotoLimits, Reader, TextLine};
use rustix::time::{ClockId, clock_gettime};

type Failure = Box<dyn std::error::Error>;

/// A reading of so few letters and digits on a photograph without text is not counted as false.
const FEWEST_CHARACTERS: usize = 2;

/// One photograph and what stands on it.
#[derive(Default)]
struct Truth {
    /// Kind and text, of what is certain.
    texts: Vec<(String, String)>,
    /// All texts, also those that are not certain.
    all: Vec<String>,
    is_without_text: bool,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().collect();
    let (folder, list, networks) = match arguments.as_slice() {
        [_, folder, list] => (folder, list, None),
        [_, folder, list, networks] => (folder, list, Some(Path::new(networks))),
        _ => return Err("usage: reading FOLDER LIST [NETWORKS]".into()),
    };
    let mut photographs: BTreeMap<String, Truth> = BTreeMap::new();
    for row in csv::Reader::from_path(list)?.deserialize() {
        let (path, kind, text, certain): (String, String, String, String) = row?;
        let truth = photographs.entry(path).or_default();
        truth.is_without_text |= kind == "none";
        truth.all.push(text.clone());
        if certain == "yes" && kind != "none" {
            truth.texts.push((kind, text));
        }
    }

    let library = env::var_os("PARTSIGHT_ONNXRUNTIME");
    let runtime = OnnxRuntime::load(library.as_deref().map(Path::new))?;
    let reader = match networks {
        Some(networks) => Reader::open(&runtime, networks)?,
        None => Reader::embedded(&runtime)?,
    };
    let known = KnownTexts { is_known: &has_telling_brand, is_one: &is_stacked_brand };
    let mut found: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    let mut halves: BTreeMap<(String, &str), (usize, usize)> = BTreeMap::new();
    let (mut n_false, mut n_without) = (0, 0);
    let mut wrong_brands = Vec::new();
    let (mut costs_without, mut costs_with) = (Vec::new(), Vec::new());
    let mut out = io::stdout().lock();
    for (path, truth) in &photographs {
        let photo = Photo::decode(&fs::read(Path::new(folder).join(path))?, &PhotoLimits::default())?;
        let start = processor_ms();
        let lines = reader.read_known(&photo, &known)?;
        let cost = processor_ms() - start;
        if lines.is_empty() { &mut costs_without } else { &mut costs_with }.push(cost);
        let read: Vec<String> = lines.iter().map(|line| normal(&line.text)).collect();
        if truth.is_without_text {
            n_without += 1;
            n_false += usize::from(read.iter().any(|text| text.len() >= FEWEST_CHARACTERS));
        }
        let all_text: String = truth.all.iter().map(|text| normal(text)).collect::<Vec<_>>().join(" ");
        let brands = lines.iter().filter_map(|line| Some((brand_in(&line.text)?, line)));
        // What is not noted may be uncertain to the eye, so these are for people to look at.
        let wrong = brands.filter(|(brand, _)| !all_text.contains(&normal(brand)));
        wrong_brands.extend(wrong.map(|(brand, line)| format!("{path}: `{}` as {brand}", line.text)));
        let mut missed = Vec::new();
        for (kind, text) in &truth.texts {
            let set = path.split('/').next().unwrap_or_default().to_owned();
            let (hits, all) = found.entry((kind.clone(), set)).or_default();
            *all += 1;
            halves.entry((kind.clone(), half(path))).or_default().1 += 1;
            let wanted = normal(text);
            let is_named = kind == "brand"
                && lines.iter().filter_map(|line| brand_in(&line.text)).any(|brand| normal(brand) == wanted);
            if is_named || read.iter().any(|line| line.contains(&wanted)) {
                *hits += 1;
                halves.entry((kind.clone(), half(path))).or_default().0 += 1;
            } else {
                missed.push(format!("{kind} `{text}`"));
            }
        }
        if !missed.is_empty() || (truth.is_without_text && !lines.is_empty()) {
            let lines: Vec<String> = lines.iter().map(shown).collect();
            writeln!(
                out,
                "{path} {}x{} {cost:.0} ms\n  missed {}\n  read {}",
                photo.width(),
                photo.height(),
                missed.join(", "),
                lines.join(", ")
            )?;
        }
    }
    for ((kind, set), (hits, all)) in &found {
        writeln!(out, "{kind:<14}{set:<14}{hits:>4} of {all:>3}")?;
    }
    for ((kind, half), (hits, all)) in &halves {
        writeln!(out, "{kind:<14}{half:<14}{hits:>4} of {all:>3}")?;
    }
    for wrong in &wrong_brands {
        writeln!(out, "a brand that is not noted: {wrong}")?;
    }
    writeln!(out, "photographs without text on which something is read: {n_false} of {n_without}")?;
    report_costs(&mut out, "nothing is read", costs_without)?;
    report_costs(&mut out, "something is read", costs_with)
}

fn report_costs(out: &mut impl Write, name: &str, mut costs: Vec<f64>) -> Result<(), Failure> {
    costs.sort_by(f64::total_cmp);
    let at = |share: f64| {
        costs.get((costs.len() as f64 * share) as usize).or(costs.last()).copied().unwrap_or(0.0)
    };
    writeln!(
        out,
        "ms of processor where {name} ({} photographs): median {:.0}, 90th percentile {:.0}, most {:.0}",
        costs.len(),
        at(0.5),
        at(0.9),
        at(1.0)
    )?;
    Ok(())
}

fn shown(line: &TextLine) -> String {
    format!("`{}` {:.2}", line.text, line.confidence)
}

/// By the name alone, so that a photograph stays in its half.
fn half(path: &str) -> &'static str {
    let sum = path.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    if sum.is_multiple_of(2) { "even half" } else { "odd half" }
}

/// Letters, digits and signs but those that are printed at will, in upper case.
fn normal(text: &str) -> String {
    text.chars()
        .filter(|c| !(c.is_whitespace() || matches!(c, '-' | '.' | '\'' | '’')))
        .flat_map(char::to_uppercase)
        .collect()
}

fn processor_ms() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1000.0 + time.tv_nsec as f64 / 1e6
}
