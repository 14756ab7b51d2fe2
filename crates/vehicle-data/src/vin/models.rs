//! Models by the description, from decoded numbers.

use std::sync::LazyLock;

/// Make, model year, model, and characters 4 to 6 of its numbers. The head of the file describes it.
const TABLE: &str = include_str!("../../data/vin-models.tsv");

struct Line {
    make: &'static str,
    year: u16,
    model: &'static str,
    descriptions: Vec<&'static str>,
}

static LINES: LazyLock<Vec<Line>> =
    LazyLock::new(|| TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(line).collect());

fn line(line: &'static str) -> Option<Line> {
    let mut fields = line.split('\t');
    let (make, year, model) = (fields.next()?, fields.next()?.parse().ok()?, fields.next()?);
    let descriptions: Vec<&str> = fields.next()?.split(' ').collect();
    descriptions.iter().all(|one| one.len() == 3).then_some(Line { make, year, model, descriptions })
}

/// The models with this `description` (characters 4 to 6); empty if the table has none.
pub(super) fn find(make: &str, year: u16, description: &str) -> Vec<&'static str> {
    LINES
        .iter()
        // A linear search: the table is short and searched once a number.
        .filter(|line| line.make == make && line.year == year && line.descriptions.contains(&description))
        .map(|line| line.model)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_can_be_read() {
        assert!(!LINES.is_empty());
        for text in TABLE.lines().filter(|line| !line.starts_with('#')) {
            assert!(line(text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_description_may_stand_for_several_models_or_none() {
        assert_eq!(find("Honda", 2024, "CY1"), ["Accord"]);
        assert_eq!(find("Kia", 2024, "J23"), ["Soul", "Soul EV"]);
        assert!(find("Honda", 2023, "CY1").is_empty(), "another year has no basis");
        assert!(find("Toyota", 2024, "CY1").is_empty());
    }
}
