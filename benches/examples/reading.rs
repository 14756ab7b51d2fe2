//! How much of the text on photographs is read, and what reading costs.
//!
//! usage: `reading FOLDER LIST [NETWORKS]`, where LIST is a CSV file with the columns `path` (within FOLDER), `kind`
//! (`part-number`, `brand`, `words`, `size`, or `none` for a photograph without text), `text` and `certain` (`yes` or
//! `no`), and NETWORKS is a folder in place of the embedded networks. Photographs with mistakes come first.
//!
//! A text counts as read where it stands within one line of text, spaces, dashes, dots and case aside. Costs are
//! processor time of one thread, and are right on a machine that is busy, too.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::{env, fs, io};

use partsight_inference::{OnnxRuntime, Photo, PhotoLimits, Reader, TextLine};
use rustix::time::{ClockId, clock_gettime};

type Failure = Box<dyn std::error::Error>;

/// A reading of so few letters and digits on a photograph without text is not counted as false.
const FEWEST_CHARACTERS: usize = 2;

/// One photograph and what stands on it.
#[derive(Default)]
struct Truth {
    /// Kind and text, of what is certain.
    texts: Vec<(String, String)>,
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
    let mut found: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    let (mut n_false, mut n_without) = (0, 0);
    let (mut costs_without, mut costs_with) = (Vec::new(), Vec::new());
    let mut out = io::stdout().lock();
    for (path, truth) in &photographs {
        let photo = Photo::decode(&fs::read(Path::new(folder).join(path))?, &PhotoLimits::default())?;
        let start = processor_ms();
        let lines = reader.read(&photo)?;
        let cost = processor_ms() - start;
        if lines.is_empty() { &mut costs_without } else { &mut costs_with }.push(cost);
        let read: Vec<String> = lines.iter().map(|line| normal(&line.text)).collect();
        if truth.is_without_text {
            n_without += 1;
            n_false += usize::from(read.iter().any(|text| text.len() >= FEWEST_CHARACTERS));
        }
        let mut missed = Vec::new();
        for (kind, text) in &truth.texts {
            let set = path.split('/').next().unwrap_or_default().to_owned();
            let (hits, all) = found.entry((kind.clone(), set)).or_default();
            *all += 1;
            let wanted = normal(text);
            if read.iter().any(|line| line.contains(&wanted)) {
                *hits += 1;
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

/// Letters, digits and signs but those that are printed at will, in upper case.
fn normal(text: &str) -> String {
    text.chars()
        .filter(|c| !(c.is_whitespace() || matches!(c, '-' | '.')))
        .flat_map(char::to_uppercase)
        .collect()
}

fn processor_ms() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1000.0 + time.tv_nsec as f64 / 1e6
}
