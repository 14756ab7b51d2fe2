use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::Path;

use partsight_app::without_guard;

use super::{Dataset, Names, csv_rows, shown_from};
use crate::{Error, Result, counted};

impl Dataset {
    /// Replaces labels by those of a CSV file with the columns `path` and `label`. Paths are written as by
    /// [`Dataset::shown`]; a photograph with an empty label is left out. Call it after [`Dataset::rename`]: the file
    /// has the renamed labels.
    ///
    /// # Errors
    /// [`Error::ReadDataset`], [`Error::CsvLine`], [`Error::AllLeftOut`].
    pub fn relabel(&mut self, corrections: &Path) -> Result<()> {
        let file = File::open(corrections)
            .map_err(|source| Error::ReadDataset { path: corrections.to_owned(), source })?;
        let known: HashSet<String> =
            self.samples.iter().map(|sample| shown_from(&self.root, &sample.path)).collect();
        let mut by_path: HashMap<String, (u64, String)> = HashMap::new();
        for row in csv_rows(corrections, file, ["path", "label"]) {
            let (line, [written, label]) = row?;
            // Undoes the escaping of `wrong-labels.csv`, which users correct and pass back.
            let unguarded = |field: &str| without_guard(field).into_owned();
            let label = unguarded(label.trim());
            // A file name may begin or end with a blank; mostly one stands there for readability.
            let path = Some(unguarded(&written)).filter(|path| known.contains(path));
            let path = path.unwrap_or_else(|| unguarded(written.trim()));
            // Otherwise the later label would silently override the first.
            if let Some((first, _)) = by_path.insert(path, (line, label)) {
                let reason = format!("this photograph is on line {first} already");
                return Err(Error::CsvLine { path: corrections.to_owned(), line, reason });
            }
        }
        // Existing labels keep their indices; new ones are appended.
        let mut names = Names::with(std::mem::take(&mut self.labels));
        let (mut n_changed, before) = (0, self.samples.len());
        let root = self.root.clone();
        self.samples.retain_mut(|sample| {
            let Some((_, label)) = by_path.remove(&shown_from(&root, &sample.path)) else { return true };
            // An empty label leaves the photograph out.
            if label.is_empty() {
                return false;
            }
            let label = names.index(&label);
            n_changed += usize::from(label != sample.label);
            sample.label = label;
            true
        });
        self.labels = names.labels;
        if self.samples.is_empty() {
            return Err(Error::AllLeftOut { path: self.source.clone() });
        }
        let n_left_out = before - self.samples.len();
        self.notices.push(format!(
            "`{}` changes the labels of {} and leaves out {n_left_out}",
            corrections.display(),
            counted(n_changed, "photograph")
        ));
        if !by_path.is_empty() {
            self.notices.push(format!(
                "`{}` names {} outside the set, such as `{}`",
                corrections.display(),
                counted(by_path.len(), "photograph"),
                by_path.keys().min().map_or("", String::as_str)
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::dataset;
    use super::super::without_formula;
    use super::*;

    #[test]
    fn corrections_change_labels_and_leave_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("corrections.csv");
        std::fs::write(
            &path,
            "path,label,likely_label\nrim/a.jpg,spark-plug,x\nrim/b.jpg,rim,piston\npiston/c.jpg,,\n'=d.jpg,rim,\ngone.jpg,rim,\n",
        )
        .unwrap();
        let mut set =
            dataset(&[("rim/a.jpg", 0), ("rim/b.jpg", 0), ("piston/c.jpg", 1), ("=d.jpg", 1), ("e.jpg", 1)]);
        set.relabel(&path).unwrap();
        let labels: Vec<&str> = set.samples.iter().map(|sample| set.labels[sample.label].as_str()).collect();
        assert_eq!(labels, ["spark-plug", "rim", "rim", "piston"]);
        assert!(set.notices[0].ends_with("changes the labels of 2 photographs and leaves out 1"));
        assert!(set.notices[1].ends_with("names 1 photograph outside the set, such as `gone.jpg`"));
    }

    #[test]
    fn names_that_begin_like_formulas_stay_apart_in_a_file_that_comes_back() {
        let names = [
            "=a.jpg",
            "'=a.jpg",
            "''=a.jpg",
            "'a.jpg",
            "-a.jpg",
            "\u{feff}＝a.jpg",
            "-0.5",
            "'-0.5",
            "",
            "'",
        ];
        let written = names.map(|name| without_formula(name.to_owned()));
        let expected = [
            "'=a.jpg",
            "''=a.jpg",
            "'''=a.jpg",
            "'a.jpg",
            "'-a.jpg",
            "'\u{feff}＝a.jpg",
            "-0.5",
            "''-0.5",
            "",
            "'",
        ];
        assert_eq!(written, expected);
        assert_eq!(written.map(|field| without_guard(&field).into_owned()), names);

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("corrections.csv");
        // Only the first is thought to be wrong.
        std::fs::write(&path, "path,label\n'=a.jpg,rim\n").unwrap();
        let mut set = dataset(&[("'=a.jpg", 1), ("=a.jpg", 1)]);
        set.relabel(&path).unwrap();
        let labels: Vec<&str> = set.samples.iter().map(|sample| set.labels[sample.label].as_str()).collect();
        assert_eq!(labels, ["piston", "rim"]);
    }

    #[test]
    fn corrections_of_one_photograph_on_two_lines_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("corrections.csv");
        std::fs::write(&path, "path,label\na.jpg,rim\nb.jpg,rim\na.jpg,piston\n").unwrap();
        let message = dataset(&[("a.jpg", 0), ("b.jpg", 1)]).relabel(&path).unwrap_err().to_string();
        assert!(message.ends_with("line 4: this photograph is on line 2 already"), "{message}");
    }

    #[test]
    fn corrections_that_leave_nothing_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("corrections.csv");
        std::fs::write(&path, "path,label\na.jpg,\n").unwrap();
        assert!(matches!(dataset(&[("a.jpg", 0)]).relabel(&path), Err(Error::AllLeftOut { .. })));
    }
}
