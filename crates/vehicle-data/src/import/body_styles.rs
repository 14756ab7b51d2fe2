//! Body styles, joined by year, make and the first words of the model's name.

use std::collections::{BTreeSet, HashMap};
use std::io::Read;

use super::columns::Table;
use crate::ImportError;
use crate::error::SourceFile;
use crate::names::key;

/// The styles that occur in the list, in the order in which they are shown.
const STYLES: [&str; 8] =
    ["Sedan", "Coupe", "Convertible", "Hatchback", "Wagon", "SUV", "Pickup", "Van/Minivan"];

/// Styles of a model: the words of its name, and indices into [`STYLES`].
type Styled = (Vec<String>, BTreeSet<usize>);

#[derive(Default)]
pub(super) struct BodyStyles {
    by_make_and_year: HashMap<(String, u16), Vec<Styled>>,
}

impl BodyStyles {
    /// Adds a file; returns the number of its lines without a readable style.
    pub(super) fn read(&mut self, file: impl Read) -> Result<usize, ImportError> {
        let mut unreadable = 0;
        Table::new(SourceFile::BodyStyles, ["year", "make", "model", "body_styles"], file)?.for_each(
            |line| {
                let (year, make, mut model) = (line.year(0)?, key(line.name(1)?), words(line.name(2)?));
                // `MAZDA3` is listed for the model `3`.
                if model[0].len() > make.len() && model[0].starts_with(&make) {
                    model[0].drain(..make.len());
                }
                match styles(line.text(3)) {
                    Some(styles) => {
                        self.by_make_and_year.entry((make, year)).or_default().push((model, styles));
                    }
                    None => unreadable += 1,
                }
                Ok(())
            },
        )?;
        Ok(unreadable)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_make_and_year.is_empty()
    }

    /// The styles of a model in a year: those of the same name, and of longer names that begin with its words, such
    /// as `Colorado Crew Cab`. For a double name such as `Golf/GTI`, the styles of either part.
    pub(super) fn of(&self, make_key: &str, model: &str, year: u16) -> Option<String> {
        let listed = self.by_make_and_year.get(&(make_key.to_owned(), year))?;
        let found: BTreeSet<usize> = std::iter::once(model)
            .chain(model.split('/'))
            .map(words)
            .filter(|wanted| !wanted.is_empty())
            // By whole words: `Golf` must not match `Golfer`.
            .flat_map(|wanted| listed.iter().filter(move |(name, _)| name.starts_with(&wanted)))
            .flat_map(|(_, styles)| styles)
            .copied()
            .collect();
        let names: Vec<&str> = found.into_iter().map(|index| STYLES[index]).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

fn words(name: &str) -> Vec<String> {
    name.split_whitespace().map(key).filter(|word| !word.is_empty()).collect()
}

/// Parses `["Sedan", "Coupe"]`; `None` for the lines that are cut off.
fn styles(text: &str) -> Option<BTreeSet<usize>> {
    let inner = text.strip_prefix("[\"")?.strip_suffix("\"]")?;
    // One unknown style makes the whole line unreadable: other styles may be missing as well.
    inner.split("\", \"").map(|name| STYLES.iter().position(|style| *style == name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_list_of_styles_says_nothing() {
        assert_eq!(styles(r#"["Sedan", "Coupe"]"#), Some(BTreeSet::from([0, 1])));
        for broken in ["", "[", r#"["Sedan""#, r#"["Boat"]"#, "[]"] {
            assert_eq!(styles(broken), None, "{broken}");
        }
    }
}
