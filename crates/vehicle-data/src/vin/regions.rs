//! Regions and countries by the first characters (ISO 3780).

use std::sync::LazyLock;

/// Ranges of the first two characters, and their country. See the head of the file for its source.
const TABLE: &str = include_str!("../../data/vin-countries.tsv");

/// The order of ISO 3780.
// Digits come after letters, and 0 is the last: ranges such as `X-0` depend on this order.
const ORDER: &str = "ABCDEFGHJKLMNPRSTUVWXYZ1234567890";

struct Range {
    first: char,
    second: (usize, usize),
    country: &'static str,
}

static RANGES: LazyLock<Vec<Range>> = LazyLock::new(|| {
    TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (range, country) = line.split_once('\t')?;
            let mut characters = range.chars();
            let first = characters.next()?;
            let second = (ORDER.find(characters.next()?)?, ORDER.find(characters.next()?)?);
            Some(Range { first, second, country })
        })
        .collect()
});

const NORTH_AMERICA: &str = "North America";

pub(super) fn region(vin: &[u8]) -> &'static str {
    match vin {
        [b'A'..=b'G', ..] => "Africa",
        [b'H'..=b'R', ..] => "Asia",
        [b'S'..=b'Z', ..] => "Europe",
        [b'6', ..] | [b'7', b'A'..=b'E', ..] => "Oceania",
        [b'1'..=b'5' | b'7', ..] => NORTH_AMERICA,
        [b'8' | b'9', ..] => "South America",
        _ => "unassigned",
    }
}

pub(super) fn is_of_north_america(vin: &[u8]) -> bool {
    region(vin) == NORTH_AMERICA
}

pub(super) fn country(vin: &str) -> Option<&'static str> {
    let mut characters = vin.chars();
    let (first, second) = (characters.next()?, ORDER.find(characters.next()?)?);
    RANGES
        .iter()
        .find(|range| range.first == first && (range.second.0..=range.second.1).contains(&second))
        .map(|range| range.country)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_table_is_a_range_of_its_own() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(RANGES.len(), lines, "a line cannot be read");
        for (index, range) in RANGES.iter().enumerate() {
            assert!(range.second.0 <= range.second.1, "{} {:?}", range.first, range.second);
            let overlaps = |other: &Range| {
                other.first == range.first
                    && other.second.0 <= range.second.1
                    && range.second.0 <= other.second.1
            };
            assert!(!RANGES[index + 1..].iter().any(overlaps), "{} {:?}", range.first, range.second);
        }
    }

    #[test]
    fn countries_follow_the_standard() {
        for (vin, region_name, name) in [
            ("1H", "North America", Some("United States")),
            ("2H", "North America", Some("Canada")),
            ("3H", "North America", Some("Mexico")),
            ("JH", "Asia", Some("Japan")),
            ("KN", "Asia", Some("South Korea")),
            ("WB", "Europe", Some("Germany")),
            ("YV", "Europe", Some("Sweden")),
            ("ZF", "Europe", Some("Italy")),
            ("7A", "Oceania", Some("New Zealand")),
            ("7S", "North America", Some("United States")),
            ("9B", "South America", Some("Brazil")),
            ("DZ", "Africa", None),
            ("00", "unassigned", None),
        ] {
            assert_eq!((region(vin.as_bytes()), country(vin)), (region_name, name), "{vin}");
        }
    }
}
