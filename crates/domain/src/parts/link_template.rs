use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::InvalidInput;
use crate::garage::VehicleName;

/// All but the unreserved characters of RFC 3986, section 2.3, so that no value can add a parameter or a path segment.
pub const QUERY_VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Longest template, in characters.
const MAX_CHARS: usize = 1000;

/// A placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Part,
    Label,
    Number,
    Year,
    Make,
    Model,
    Engine,
}

impl Slot {
    const ALL: [(&'static str, Self); 7] = [
        ("part", Self::Part),
        ("label", Self::Label),
        ("number", Self::Number),
        ("year", Self::Year),
        ("make", Self::Make),
        ("model", Self::Model),
        ("engine", Self::Engine),
    ];
}

/// Values for the placeholders of a link.
#[derive(Debug, Clone, Copy, Default)]
pub struct LinkSubject<'s> {
    /// The part's name.
    pub part: &'s str,
    /// The label of the part type.
    pub label: &'s str,
    /// The part number; empty if unknown.
    pub number: &'s str,
    /// The vehicle, if there is one.
    pub vehicle: Option<&'s VehicleName>,
    /// Its engine, such as `2.0L 4-cyl`; empty if unknown.
    pub engine: &'s str,
}

/// A URL with placeholders for a part and a vehicle, such as `https://shop.example/search?q={number}`.
///
/// The values of `{part}`, `{label}`, `{number}`, `{year}`, `{make}`, `{model}` and `{engine}` are percent-encoded;
/// unknown ones are empty. The host has no placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTemplate {
    text: String,
}

impl LinkTemplate {
    /// Validates a template; errors name `field`.
    ///
    /// # Errors
    /// For a URL that is neither `https` nor `http` with a fixed host, an unknown placeholder, an unmatched brace, or
    /// more than 1,000 characters.
    pub fn new(field: &'static str, text: &str) -> Result<Self, InvalidInput> {
        let invalid = |message: String| Err(InvalidInput::new(field, message));
        let text = text.trim();
        let length = text.chars().count();
        if length > MAX_CHARS {
            return invalid(format!("The address has {length} characters; please use at most {MAX_CHARS}."));
        }
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
        // A placeholder in the host would let the name of a part determine the site.
        if host.is_empty() || host.contains(['{', '}']) || text.chars().any(|c| c.is_control() || c == ' ') {
            return invalid(
                "Please enter an address such as `https://shop.example/search?q={number}`, with a host of its own."
                    .to_owned(),
            );
        }
        let template = Self { text: text.to_owned() };
        for piece in template.pieces() {
            if let Piece::Unknown(name) = piece {
                let known: Vec<String> = Slot::ALL.iter().map(|(name, _)| format!("{{{name}}}")).collect();
                let name: String = name.chars().take(40).collect();
                return invalid(format!("The address has `{{{name}`; known are {}.", known.join(", ")));
            }
        }
        Ok(template)
    }

    /// The template as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The URL for `subject`; `None` if a path segment would become `.` or `..`, which URL parsers resolve to another
    /// path, even if written as `%2E`.
    pub fn fill(&self, subject: &LinkSubject<'_>) -> Option<String> {
        let mut link = String::with_capacity(self.text.len() + 64);
        for piece in self.pieces() {
            match piece {
                Piece::Text(text) | Piece::Unknown(text) => link.push_str(text),
                Piece::Slot(slot) => {
                    let vehicle = subject.vehicle;
                    let value = match slot {
                        Slot::Part => subject.part.to_owned(),
                        Slot::Label => subject.label.to_owned(),
                        Slot::Number => subject.number.to_owned(),
                        Slot::Year => vehicle.map(|name| name.year.get().to_string()).unwrap_or_default(),
                        Slot::Make => vehicle.map(|name| name.make.clone()).unwrap_or_default(),
                        Slot::Model => vehicle.map(|name| name.model.clone()).unwrap_or_default(),
                        Slot::Engine => subject.engine.to_owned(),
                    };
                    link.extend(utf8_percent_encode(&value, QUERY_VALUE));
                }
            }
        }
        let path = link.split(['?', '#']).next().unwrap_or_default();
        let climbs = path.split('/').any(|step| matches!(step, "." | ".."));
        (!climbs).then_some(link)
    }

    fn pieces(&self) -> Pieces<'_> {
        Pieces { rest: &self.text }
    }
}

impl fmt::Display for LinkTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

enum Piece<'t> {
    Text(&'t str),
    Slot(Slot),
    /// Text after a brace that is no known placeholder.
    Unknown(&'t str),
}

struct Pieces<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        if self.rest.is_empty() {
            return None;
        }
        let at = self.rest.find(['{', '}']).unwrap_or(self.rest.len());
        if at > 0 {
            let (text, rest) = self.rest.split_at(at);
            self.rest = rest;
            return Some(Piece::Text(text));
        }
        let behind = &self.rest[1..];
        // An unmatched closing brace ends up here as well, as unknown.
        let slot = Slot::ALL.iter().find_map(|(name, slot)| {
            let rest = behind.strip_prefix(name)?.strip_prefix('}')?;
            self.rest.starts_with('{').then_some((*slot, rest))
        });
        if let Some((slot, rest)) = slot {
            self.rest = rest;
            Some(Piece::Slot(slot))
        } else {
            self.rest = "";
            Some(Piece::Unknown(behind))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_percent_encoded() {
        let vehicle: VehicleName = "2015 Honda Civic & Co".parse().unwrap();
        let subject = LinkSubject {
            part: "Brake Rotor",
            label: "brake-rotor",
            number: "45251/TBA A00",
            vehicle: Some(&vehicle),
            engine: "1.8L 4-cyl",
        };
        let filled = |text: &str| LinkTemplate::new("url", text).unwrap().fill(&subject).unwrap();
        assert_eq!(
            filled("https://s.example/{label}?q={number}&p={part}&v={year}-{make}-{model}&e={engine}#x"),
            "https://s.example/brake-rotor?q=45251%2FTBA%20A00&p=Brake%20Rotor&v=2015-Honda-Civic%20%26%20Co&e=1.8L%204-cyl#x"
        );
        let empty = LinkTemplate::new("url", "http://s.example:81?y={year}&n={number}").unwrap();
        assert_eq!(empty.fill(&LinkSubject::default()).unwrap(), "http://s.example:81?y=&n=");
    }

    #[test]
    fn no_value_leads_to_another_path() {
        let template = |text: &str| LinkTemplate::new("url", text).unwrap();
        let (parts, query) =
            ("https://s.example/parts/{engine}/{number}", "https://s.example/parts?q={engine}");
        for (engine, is_filled) in [
            ("..", false),
            (".", false),
            ("...", true),
            ("..a", true),
            // The slash is encoded, so that this is no step up.
            ("../..", true),
            ("%2e%2e", true),
            ("1.8", true),
            ("", true),
        ] {
            let subject = LinkSubject { engine, number: "admin", ..LinkSubject::default() };
            assert_eq!(template(parts).fill(&subject).is_some(), is_filled, "{engine}");
            assert!(template(query).fill(&subject).is_some(), "{engine}");
        }
        // Only together they form `..`.
        let halves = LinkSubject { engine: ".", number: ".", ..LinkSubject::default() };
        assert_eq!(template("https://s.example/{engine}{number}/x").fill(&halves), None);
    }

    #[test]
    fn other_addresses_are_refused() {
        let long = format!("https://s.example/{}", "x".repeat(1000));
        for bad in [
            "",
            "shop.example",
            "javascript:alert(1)",
            "https://",
            "https://{make}.example",
            "https://s.example/{vin}",
            "https://s.example/{number",
            "https://s.example/number}",
            "https://s.example/a b",
            &long,
        ] {
            assert_eq!(LinkTemplate::new("urlTemplate", bad).unwrap_err().field, "urlTemplate", "{bad}");
        }
    }
}
