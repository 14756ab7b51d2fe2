//! Manufacturer and brand by the first characters of the number.

use std::cmp::Reverse;
use std::sync::LazyLock;

/// Pattern, manufacturer, make and years; the longest matching pattern is used. The head of the file describes it.
const TABLE: &str = include_str!("../../data/wmi.tsv");

/// One line of the table.
#[derive(Debug)]
pub(super) struct Known {
    /// The first characters; `?` stands for any.
    pattern: &'static str,
    /// Who made it.
    pub(super) manufacturer: &'static str,
    /// The brand, in EPA's spelling; `None` if it sold no cars in the United States, or if several brands share the
    /// pattern.
    pub(super) make: Option<&'static str>,
    /// Model years for which the line applies.
    years: std::ops::RangeInclusive<u16>,
}

impl Known {
    fn is_of(&self, vin: &str) -> bool {
        // `zip` ends with the pattern, so later characters are ignored.
        self.pattern.bytes().zip(vin.bytes()).all(|(wanted, found)| wanted == b'?' || wanted == found)
    }

    fn is_always(&self) -> bool {
        *self.years.start() == 0 && *self.years.end() == u16::MAX
    }
}

static LINES: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let mut lines: Vec<Known> =
        TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(known).collect();
    // Longest first; then the fewest wildcards; then the lines for certain years.
    lines.sort_by_key(|line| {
        let n_fixed = line.pattern.chars().filter(|c| *c != '?').count();
        (Reverse(line.pattern.len()), Reverse(n_fixed), line.is_always())
    });
    lines
});

fn known(line: &'static str) -> Option<Known> {
    let mut fields = line.split('\t');
    let (pattern, manufacturer) = (fields.next()?, fields.next()?);
    let make = fields.next().filter(|make| !make.is_empty());
    let years = match fields.next() {
        None => 0..=u16::MAX,
        Some(years) => {
            let (first, last) = years.split_once('-')?;
            first.parse().ok()?..=if last.is_empty() { u16::MAX } else { last.parse().ok()? }
        }
    };
    let is_pattern = !pattern.is_empty() && pattern.len() <= 8 && pattern.is_ascii();
    (is_pattern && !manufacturer.is_empty() && fields.next().is_none()).then_some(Known {
        pattern,
        manufacturer,
        make,
        years,
    })
}

/// The best matching line. Without a model year, lines for certain years are ignored.
pub(super) fn find(vin: &str, model_year: Option<u16>) -> Option<&'static Known> {
    LINES.iter().find(|line| {
        line.is_of(vin) && (line.is_always() || model_year.is_some_and(|year| line.years.contains(&year)))
    })
}

/// Whether the table has a matching line, for any year.
pub(super) fn is_known(vin: &str) -> bool {
    LINES.iter().any(|line| line.is_of(vin))
}

/// All makes of the table, to test that they are in the list of makes.
#[cfg(test)]
pub(super) fn makes() -> impl Iterator<Item = &'static str> {
    LINES.iter().filter_map(|line| line.make)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reference;

    #[test]
    fn every_line_of_the_table_can_be_read() {
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            assert!(known(line).is_some(), "{line}");
        }
        let mut seen = std::collections::HashSet::new();
        for line in LINES.iter() {
            assert!(seen.insert((line.pattern, *line.years.start())), "{} stands twice", line.pattern);
        }
    }

    #[test]
    fn every_make_is_in_the_list_of_makes() {
        let reference = Reference::embedded().unwrap();
        for make in makes() {
            assert_eq!(reference.make(make).map(|found| found.name.as_str()), Some(make));
        }
    }

    #[test]
    fn the_longest_pattern_wins_and_years_count() {
        for (vin, year, make) in [
            ("1HGCM82633A004352", 2003, Some("Honda")),
            ("19UUA8F5XAA004352", 2010, Some("Acura")),
            ("1C4RJFAG5FC123456", 2015, Some("Jeep")),
            ("1C4RDJAG5FC123456", 2015, Some("Dodge")),
            ("2C4RC1BG5FR123456", 2015, Some("Chrysler")),
            ("1C6RR7FT5FS123456", 2015, Some("Ram")),
            ("1C6HJTAG5LL123456", 2020, Some("Jeep")),
            ("1D7RB1CT8BS123456", 2010, Some("Dodge")),
            ("1D7RB1CT8BS123456", 2011, Some("Ram")),
            ("JF1ZNAA15D1234567", 2013, Some("Scion")),
            ("JF1ZNAA15H1234567", 2017, Some("Toyota")),
            ("5UXKR0C58F0123456", 2015, Some("BMW")),
            ("WMWMF335X9T123456", 2009, Some("MINI")),
            ("KMHD35LH5EU123456", 2014, Some("Hyundai")),
            ("4T1BF1FK5FU123456", 2015, Some("Toyota")),
            ("58ABK1GG5FU123456", 2015, Some("Lexus")),
            ("5YJ3E1EA7JF123456", 2018, Some("Tesla")),
            ("1FUJA6CV5FU123456", 2015, None),
        ] {
            assert_eq!(find(vin, Some(year)).and_then(|known| known.make), make, "{vin}");
        }
        assert!(find("00000000000000000", None).is_none());
    }
}
