use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use partsight_domain::PartLabel;

use crate::dataset::csv_rows;
use crate::{Error, NOT_A_PART, Result};

/// Columns of a label map in CSV.
const COLUMNS: [&str; 2] = ["from", "to"];
/// Number of nearest labels that an error suggests.
const N_HINTS: usize = 3;

/// A mapping from foreign labels to labels of the model. Labels that it does not contain are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelMap {
    /// `None`: the photographs are left out.
    entries: BTreeMap<String, Option<String>>,
}

impl LabelMap {
    /// Reads a map: CSV with the columns `from` and `to`, or TOML with lines such as `"Spark Plugs" = "spark-plug"`. If
    /// `to` is empty, the photographs are left out.
    ///
    /// # Errors
    /// [`Error::LabelMapFormat`], [`Error::ReadLabelMap`], [`Error::ParseLabelMap`], [`Error::CsvLine`].
    pub fn read(path: &Path) -> Result<Self> {
        let extension = path.extension().map(OsStr::to_ascii_lowercase);
        let pairs = match extension.as_ref().and_then(|extension| extension.to_str()) {
            Some("csv") => csv_pairs(path)?,
            Some("toml") => toml_pairs(path)?,
            _ => return Err(Error::LabelMapFormat { path: path.to_owned() }),
        };
        let kept = |to: String| (!to.is_empty()).then_some(to);
        Ok(Self { entries: pairs.into_iter().map(|(from, to)| (from, kept(to))).collect() })
    }

    /// A map of the `labels` that differ from a `known` label only in case, spaces and underscores.
    pub(crate) fn spelling(labels: &[String], known: &[PartLabel]) -> Self {
        let known: BTreeSet<&str> = known.iter().map(PartLabel::as_str).chain([NOT_A_PART]).collect();
        let entry = |label: &String| {
            let plain = label.trim().to_lowercase().replace([' ', '_'], "-");
            let is_other = !known.contains(label.as_str()) && known.contains(plain.as_str());
            is_other.then(|| (label.clone(), Some(plain)))
        };
        Self { entries: labels.iter().filter_map(entry).collect() }
    }

    /// Checks that every entry maps to one of `labels`, to `not-a-part`, or to nothing.
    ///
    /// # Errors
    /// [`Error::UnknownLabel`] names the nearest labels.
    pub fn check(&self, labels: &[PartLabel], model: &str) -> Result<()> {
        for (from, to) in &self.entries {
            let Some(to) = to else { continue };
            if to != NOT_A_PART && !labels.iter().any(|label| label.as_str() == to) {
                let nearest: Vec<_> =
                    nearest(to, labels).into_iter().take(N_HINTS).map(|label| format!("`{label}`")).collect();
                return Err(Error::UnknownLabel {
                    from: from.clone(),
                    to: to.clone(),
                    model: model.to_owned(),
                    hint: format!("the nearest labels are {}", nearest.join(", ")),
                });
            }
        }
        Ok(())
    }

    /// The label that `label` maps to, or `label` itself; `None` if its photographs are left out.
    pub(crate) fn translate<'a>(&'a self, label: &'a str) -> Option<&'a str> {
        match self.entries.get(label) {
            Some(to) => to.as_deref(),
            None => Some(label),
        }
    }

    /// Entries whose `from` is not among `labels`; it may be misspelt.
    pub(crate) fn unused<'a>(&'a self, labels: &[String]) -> Vec<&'a str> {
        let labels: BTreeSet<&str> = labels.iter().map(String::as_str).collect();
        self.entries.keys().map(String::as_str).filter(|from| !labels.contains(from)).collect()
    }
}

/// The labels sorted by similarity to `text`, the most similar first, ignoring case, spaces and underscores.
pub(crate) fn nearest<'a>(text: &str, labels: &'a [PartLabel]) -> Vec<&'a PartLabel> {
    // Normalised to the form of our labels, so that only real differences count.
    let plain = text.trim().to_lowercase().replace([' ', '_'], "-");
    let mut labels: Vec<_> = labels.iter().collect();
    // The similarity is in 0..=1 and never NaN.
    let likeness = |label: &PartLabel| strsim::jaro_winkler(&plain, label.as_str());
    labels.sort_by(|one, two| likeness(two).total_cmp(&likeness(one)));
    labels
}

fn csv_pairs(path: &Path) -> Result<Vec<(String, String)>> {
    let file =
        fs::File::open(path).map_err(|source| Error::ReadLabelMap { path: path.to_owned(), source })?;
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    let mut pairs = Vec::new();
    for row in csv_rows(path, file, COLUMNS) {
        let (line, fields) = row?;
        let [from, to] = fields.map(|field| field.trim().to_owned());
        let bad = |reason| Error::CsvLine { path: PathBuf::from(path), line, reason };
        if from.is_empty() {
            return Err(bad("the column `from` is empty".to_owned()));
        }
        // Otherwise the later line would silently override the first.
        if let Some(first) = lines.insert(from.clone(), line) {
            return Err(bad(format!("`{from}` is on line {first} already")));
        }
        pairs.push((from, to));
    }
    Ok(pairs)
}

fn toml_pairs(path: &Path) -> Result<Vec<(String, String)>> {
    let text =
        fs::read_to_string(path).map_err(|source| Error::ReadLabelMap { path: path.to_owned(), source })?;
    let pairs: BTreeMap<String, String> = toml::from_str(&text)
        .map_err(|source| Error::ParseLabelMap { path: path.to_owned(), source: Box::new(source) })?;
    Ok(pairs.into_iter().map(|(from, to)| (from, to.trim().to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> Vec<PartLabel> {
        ["brake-pad", "brake-rotor", "spark-plug"].map(|label| PartLabel::new(label).unwrap()).into()
    }

    fn read(name: &str, text: &str) -> Result<LabelMap> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        LabelMap::read(&path)
    }

    #[test]
    fn both_formats_give_the_same_map() {
        let csv = read("map.csv", "to,from,note\nspark-plug,Spark Plugs,x\n,Tyres,\nnot-a-part,\"a, b\",\n");
        let toml =
            read("map.toml", "\"Spark Plugs\" = \"spark-plug\"\nTyres = \"\"\n\"a, b\" = \"not-a-part\"\n");
        let map = csv.unwrap();
        assert_eq!(toml.unwrap(), map);
        assert_eq!(map.translate("Spark Plugs"), Some("spark-plug"));
        assert_eq!(map.translate("Tyres"), None);
        assert_eq!(map.translate("brake-pad"), Some("brake-pad"));
        assert_eq!(map.unused(&["Tyres".to_owned()]), ["Spark Plugs", "a, b"]);
        map.check(&labels(), "m").unwrap();
    }

    #[test]
    fn a_label_the_model_does_not_know_is_refused_with_the_nearest() {
        let map = read("map.csv", "from,to\nDiscs,Brake Rotors\n").unwrap();
        let message = map.check(&labels(), "partsight-50").unwrap_err().to_string();
        assert!(message.contains("`Discs` into `Brake Rotors`, which `partsight-50`"), "{message}");
        assert!(message.contains("the nearest labels are `brake-rotor`, `brake-pad`"), "{message}");
    }

    #[test]
    fn broken_maps_say_where() {
        let cases = [
            ("map.csv", "from,to\na,b\na,c\n", "line 3: `a` is on line 2 already"),
            ("map.csv", "from,to\n,b\n", "line 2: the column `from` is empty"),
            ("map.csv", "a,b\n", "line 1: there is no column `from`"),
            ("map.csv", "from,to\na\n", "line 2"),
            ("map.toml", "a = 3\n", "does not have the expected form"),
            ("map.txt", "a = 3\n", "must end in `.csv` or `.toml`"),
        ];
        for (name, text, expected) in cases {
            let message = read(name, text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
        assert!(matches!(LabelMap::read(Path::new("/no/such.csv")), Err(Error::ReadLabelMap { .. })));
    }

    #[test]
    fn labels_that_are_spelt_differently_are_those_of_the_model() {
        let known = [PartLabel::new("brake-caliper").unwrap(), PartLabel::new("rim").unwrap()];
        let labels = ["Brake Caliper", "rim", "Not_a_part", "hub", "RIM "].map(str::to_owned);
        let map = LabelMap::spelling(&labels, &known);
        let translated = labels.each_ref().map(|label| map.translate(label).unwrap());
        assert_eq!(translated, ["brake-caliper", "rim", "not-a-part", "hub", "rim"]);
        assert!(map.unused(&labels).is_empty());
    }
}
