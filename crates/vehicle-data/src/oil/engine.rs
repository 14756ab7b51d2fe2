use std::fmt;

use serde::Deserialize;

/// What an engine runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Energy {
    /// Petrol, flexible fuel included.
    Petrol,
    /// Diesel.
    Diesel,
    /// Petrol with an electric motor that is charged on the road.
    Hybrid,
    /// Petrol with an electric motor that is charged at a socket.
    PlugInHybrid,
    /// A battery alone: there is no engine and no engine oil.
    Electric,
    /// A fuel cell: an electric motor, and no engine oil.
    Hydrogen,
    /// Compressed natural gas or propane.
    Gas,
}

impl Energy {
    /// Whether the engine burns fuel and so needs oil.
    pub const fn has_engine_oil(self) -> bool {
        !matches!(self, Self::Electric | Self::Hydrogen)
    }
}

/// How an engine gets its air.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Induction {
    /// By itself.
    Natural,
    /// With a turbocharger, or two.
    Turbo,
    /// With a belt-driven compressor.
    Supercharged,
}

/// The traits of an engine, parsed from a text such as `2.5L 4-cyl` or `3.5L V6 EcoBoost`.
///
/// Every field may be unknown; a text without traits fits every engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineTraits {
    /// Displacement in tenths of a litre, rounded as manufacturers do: 25 for 2.5 litres, 1 to 99.
    pub displacement_dl: Option<u16>,
    /// Number of cylinders, 2 to 16.
    pub cylinders: Option<u8>,
    /// The energy that it runs on.
    pub energy: Option<Energy>,
    /// How it gets its air.
    pub induction: Option<Induction>,
    /// The words of the text in lower case, letters and digits only: `ecoboost`, `2arfe`.
    pub words: Vec<String>,
}

/// Words for a turbocharged engine, of any manufacturer.
const TURBO_WORDS: [&str; 13] = [
    "turbo",
    "turbocharged",
    "biturbo",
    "ecoboost",
    "tsi",
    "tfsi",
    "tgdi",
    "multiair",
    "tdi",
    "duramax",
    "powerstroke",
    "cummins",
    "ecodiesel",
];
const DIESEL_WORDS: [&str; 8] =
    ["diesel", "tdi", "duramax", "powerstroke", "cummins", "ecodiesel", "bluetec", "crd"];
const ELECTRIC_WORDS: [&str; 5] = ["electric", "bev", "ev", "electricity", "emotor"];

impl EngineTraits {
    /// Parses free text, as leniently as possible without guessing.
    ///
    /// Displacement is parsed from `2.5L`, `2.5 L`, `2.5`, `2,5`, `2.0T`, `2494cc`; cylinders from `4-cyl`, `V6`, `I4`,
    /// `inline-6`, `flat-4`, `H4`, `6 cylinder`. A hybrid counts as a plug-in only if the text says so.
    pub fn read(text: &str) -> Self {
        let tokens = tokens(text);
        let mut traits = Self {
            displacement_dl: displacement_dl(&tokens),
            cylinders: cylinders(&tokens),
            energy: energy(&tokens),
            induction: induction(&tokens),
            words: Vec::new(),
        };
        // Without points, so that codes compare by letters and digits.
        traits.words = tokens.into_iter().map(|token| token.replace('.', "")).collect();
        traits
    }

    /// Parses a name of EPA's list, such as `3.5L 6-cyl Turbo`. These names mention what is unusual, so that a name
    /// without energy means petrol, and one without induction no turbocharger.
    pub(crate) fn read_listed(name: &str) -> Self {
        let mut traits = Self::read(name);
        traits.energy = traits.energy.or(Some(Energy::Petrol));
        traits.induction = traits.induction.or(Some(Induction::Natural));
        traits
    }

    /// Whether the text has no trait that distinguishes engines.
    pub fn is_blank(&self) -> bool {
        self.displacement_dl.is_none()
            && self.cylinders.is_none()
            && self.energy.is_none()
            && self.induction.is_none()
    }

    /// Whether `engine` has all traits that are known of `self`.
    pub fn allows(&self, engine: &Self) -> bool {
        fn agree<T: PartialEq>(asked: Option<&T>, found: Option<&T>) -> bool {
            // A requested trait must be known of the engine: an unknown value does not match.
            asked.is_none_or(|asked| Some(asked) == found)
        }
        agree(self.displacement_dl.as_ref(), engine.displacement_dl.as_ref())
            && agree(self.cylinders.as_ref(), engine.cylinders.as_ref())
            && agree(self.energy.as_ref(), engine.energy.as_ref())
            && agree(self.induction.as_ref(), engine.induction.as_ref())
    }

    /// The displacement in litres, such as 2.5.
    pub fn litres(&self) -> Option<f64> {
        self.displacement_dl.map(|tenths| f64::from(tenths) / 10.0)
    }
}

impl fmt::Display for EngineTraits {
    /// As in `2.5L 4-cyl Turbo Hybrid`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.litres().map(|litres| format!("{litres:.1}L")));
        parts.extend(self.cylinders.map(|cylinders| format!("{cylinders}-cyl")));
        parts.extend(match self.induction {
            Some(Induction::Turbo) => Some("Turbo".to_owned()),
            Some(Induction::Supercharged) => Some("Supercharged".to_owned()),
            Some(Induction::Natural) | None => None,
        });
        parts.extend(match self.energy {
            Some(Energy::Diesel) => Some("Diesel".to_owned()),
            Some(Energy::Hybrid) => Some("Hybrid".to_owned()),
            Some(Energy::PlugInHybrid) => Some("Plug-in Hybrid".to_owned()),
            Some(Energy::Electric) => Some("Electric".to_owned()),
            Some(Energy::Hydrogen) => Some("Hydrogen".to_owned()),
            Some(Energy::Gas) => Some("Natural gas".to_owned()),
            Some(Energy::Petrol) | None => None,
        });
        f.write_str(&parts.join(" "))
    }
}

/// Runs of letters, digits and inner points, in lower case. A hyphen separates: `4-cyl` is two tokens.
fn tokens(text: &str) -> Vec<String> {
    with_decimal_points(&text.to_lowercase())
        // Names of two words become one before the text is split.
        .replace("power stroke", "powerstroke")
        .replace("t-gdi", "tgdi")
        .split(|c: char| !(c.is_alphanumeric() || c == '.'))
        .map(|token| token.trim_matches('.').to_owned())
        .filter(|token| !token.is_empty())
        .collect()
}

/// `text` with a point for each decimal comma, as in `1,6L`: one between a number of one digit and exactly one more.
fn with_decimal_points(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let is_decimal_comma = |at: usize| {
        // The comma in `V6,4 doors` or `12,5` is in no displacement in litres.
        let is_one_digit = at > 0
            && is_digit(at - 1)
            && (at < 2 || !(chars[at - 2].is_alphanumeric() || matches!(chars[at - 2], '.' | ',')));
        let is_longer =
            is_digit(at + 2) || (matches!(chars.get(at + 2), Some('.' | ',')) && is_digit(at + 3));
        is_one_digit && is_digit(at + 1) && !is_longer
    };
    let read = |(at, c): (usize, &char)| if *c == ',' && is_decimal_comma(at) { '.' } else { *c };
    chars.iter().enumerate().map(read).collect()
}

fn displacement_dl(tokens: &[String]) -> Option<u16> {
    let mut plain = None;
    for (i, token) in tokens.iter().enumerate() {
        let end = token.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(token.len());
        let (number, unit) = token.split_at(end);
        let unit = if unit.is_empty() { tokens.get(i + 1).map_or("", String::as_str) } else { unit };
        if unit == "cc" || unit == "ccm" || unit == "cm3" {
            // An impossible displacement is skipped, and the next token may state it, as in `99999 cc 2.0 L`.
            let cubic = number.parse::<u16>().ok().filter(|cubic| (100..=9_949).contains(cubic));
            let Some(cubic) = cubic else { continue };
            // Rounded to tenths of a litre: 2,494 cc is called 2.5 litres.
            return Some((cubic + 50) / 100);
        }
        let Some(tenths) = litres_dl(number) else { continue };
        if matches!(unit, "l" | "liter" | "liters" | "litre" | "litres" | "t" | "i" | "d" | "tdi") {
            return Some(tenths);
        }
        // `5.7 Hemi` is a displacement; `2 door` is not.
        if number.contains('.') && plain.is_none() {
            plain = Some(tenths);
        }
    }
    plain
}

/// `number` litres in tenths, rounded as makers do: 2.49 is 2.5.
fn litres_dl(number: &str) -> Option<u16> {
    let litres = number.parse::<f64>().ok().filter(|litres| (0.1..9.95).contains(litres))?;
    // In 1..=99 because of the range above.
    Some((litres * 10.0).round() as u16)
}

fn cylinders(tokens: &[String]) -> Option<u8> {
    let in_range = |number: &str| number.parse::<u8>().ok().filter(|count| (2..=16).contains(count));
    for (i, token) in tokens.iter().enumerate() {
        // `V6`, `I4`, `L4`, `H6`, `W12`, `F4`.
        if let Some(count) = token.strip_prefix(['v', 'i', 'l', 'h', 'w', 'f']).and_then(in_range) {
            return Some(count);
        }
        let next = tokens.get(i + 1).map_or("", String::as_str);
        if matches!(token.as_str(), "inline" | "flat" | "straight" | "boxer")
            && let Some(count) = in_range(next)
        {
            return Some(count);
        }
        let end = token.find(|c: char| !c.is_ascii_digit()).unwrap_or(token.len());
        let (number, unit) = token.split_at(end);
        let unit = if unit.is_empty() { next } else { unit };
        if (unit.starts_with("cyl") || unit == "zyl")
            && let Some(count) = in_range(number)
        {
            return Some(count);
        }
    }
    None
}

fn energy(tokens: &[String]) -> Option<Energy> {
    let has = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.as_str()));
    // A starter-generator does not change the type of the engine.
    if has(&["mild", "mhev", "etorque"]) {
        return Some(Energy::Petrol);
    }
    let is_hybrid = has(&["hybrid", "hev"]);
    // Before the plain hybrid, since the text of a plug-in hybrid also contains `hybrid`.
    if has(&["phev", "plug", "plugin", "prime", "energi", "4xe"]) {
        return Some(Energy::PlugInHybrid);
    }
    if is_hybrid {
        return Some(Energy::Hybrid);
    }
    if has(&DIESEL_WORDS) {
        return Some(Energy::Diesel);
    }
    if has(&["hydrogen", "fcv", "fuelcell"]) || (has(&["fuel"]) && has(&["cell"])) {
        return Some(Energy::Hydrogen);
    }
    if has(&["cng", "lpg", "propane"]) || (has(&["natural"]) && has(&["gas"])) {
        return Some(Energy::Gas);
    }
    let has_fuel = has(&["gas", "gasoline", "petrol", "flex", "ffv", "e85"]);
    if has_fuel {
        return Some(Energy::Petrol);
    }
    // A text with a displacement means a combustion engine, whatever other words it has.
    (has(&ELECTRIC_WORDS) && displacement_dl(tokens).is_none()).then_some(Energy::Electric)
}

fn induction(tokens: &[String]) -> Option<Induction> {
    let has = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.as_str()));
    if has(&["supercharged", "supercharger", "kompressor"]) {
        return Some(Induction::Supercharged);
    }
    let ends_in_t = |token: &String| {
        token.strip_suffix('t').is_some_and(|number| number.contains('.') && litres_dl(number).is_some())
    };
    if has(&TURBO_WORDS) || tokens.iter().any(ends_in_t) {
        return Some(Induction::Turbo);
    }
    has(&["naturally", "aspirated", "na"]).then_some(Induction::Natural)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Expected = (Option<u16>, Option<u8>, Option<Energy>, Option<Induction>);

    #[test]
    fn an_engine_is_read_as_people_write_it() {
        let cases: [(&str, Expected); 41] = [
            ("2.5L 4-cyl", (Some(25), Some(4), None, None)),
            ("3.5L V6 Turbo", (Some(35), Some(6), None, Some(Induction::Turbo))),
            ("2.0L I4 EcoBoost", (Some(20), Some(4), None, Some(Induction::Turbo))),
            ("5.7 HEMI V8", (Some(57), Some(8), None, None)),
            ("2.0T", (Some(20), None, None, Some(Induction::Turbo))),
            ("2 L", (Some(20), None, None, None)),
            ("1998cc inline-4", (Some(20), Some(4), None, None)),
            ("1798 cc", (Some(18), None, None, None)),
            ("1,6L", (Some(16), None, None, None)),
            ("2,0 TDI", (Some(20), None, Some(Energy::Diesel), Some(Induction::Turbo))),
            ("R4 1,8T, 150 PS", (Some(18), None, None, Some(Induction::Turbo))),
            ("V6, 3,5", (Some(35), Some(6), None, None)),
            ("V8,5.7L", (Some(57), Some(8), None, None)),
            ("V6,4 doors", (None, Some(6), None, None)),
            ("12,5", (None, None, None, None)),
            ("1,2,3", (None, None, None, None)),
            ("99999 cc 2.0 L", (Some(20), None, None, None)),
            ("flat-4 2.5 liter", (Some(25), Some(4), None, None)),
            ("6 cylinder 3.6", (Some(36), Some(6), None, None)),
            ("6.7L Power Stroke V8", (Some(67), Some(8), Some(Energy::Diesel), Some(Induction::Turbo))),
            ("1.8L 4-cyl Hybrid", (Some(18), Some(4), Some(Energy::Hybrid), None)),
            ("2.5L 4-cyl Plug-in Hybrid", (Some(25), Some(4), Some(Energy::PlugInHybrid), None)),
            ("3.6L 6-cyl Mild Hybrid", (Some(36), Some(6), Some(Energy::Petrol), None)),
            ("3.8L V6 Supercharged", (Some(38), Some(6), None, Some(Induction::Supercharged))),
            ("2.0 TDI", (Some(20), None, Some(Energy::Diesel), Some(Induction::Turbo))),
            ("Electric", (None, None, Some(Energy::Electric), None)),
            ("electric motor 150 kW", (None, None, Some(Energy::Electric), None)),
            ("Hydrogen fuel cell", (None, None, Some(Energy::Hydrogen), None)),
            ("5.3L V8 Flex Fuel", (Some(53), Some(8), Some(Energy::Petrol), None)),
            ("1.8L CNG", (Some(18), None, Some(Energy::Gas), None)),
            ("W12 6.0L Twin Turbo", (Some(60), Some(12), None, Some(Induction::Turbo))),
            ("", (None, None, None, None)),
            ("🚗🚗", (None, None, None, None)),
            ("محرك", (None, None, None, None)),
            ("2 door", (None, None, None, None)),
            ("V99", (None, None, None, None)),
            ("99999999999999999999.9L", (None, None, None, None)),
            ("-3.5L", (Some(35), None, None, None)),
            ("NaN L", (None, None, None, None)),
            ("0.0L", (None, None, None, None)),
            ("...", (None, None, None, None)),
        ];
        let mut faults = Vec::new();
        for (text, expected) in cases {
            let traits = EngineTraits::read(text);
            let got = (traits.displacement_dl, traits.cylinders, traits.energy, traits.induction);
            if got != expected {
                faults.push(format!("{text}: {got:?}, not {expected:?}"));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in
            ["2.5L 4-cyl", "3.5L 6-cyl Turbo", "1.8L 4-cyl Hybrid", "3.0L 6-cyl Turbo Diesel", "Electric"]
        {
            assert_eq!(EngineTraits::read(text).to_string(), text);
        }
    }
}
