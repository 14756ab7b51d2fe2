//! Names of makers that stand on parts.

use crate::compact_number;

/// Makers of parts and of vehicles whose names stand on parts often, as they write themselves. A name that is missing here is
/// a word, which changes no answer.
const BRANDS: &[&str] = &[
    "AC Delco",
    "Acura",
    "Airtex",
    "Aisin",
    "Akebono",
    "Alfa Romeo",
    "Alpine",
    "Amsoil",
    "Arnott",
    "Aston Martin",
    "ATE",
    "Audi",
    "Autolite",
    "Banner",
    "BBS",
    "Behr",
    "Bendix",
    "Bentley",
    "Beru",
    "BF Goodrich",
    "Bilstein",
    "Blue Print",
    "BMW",
    "Borg Warner",
    "Borla",
    "Bosal",
    "Bosch",
    "Brembo",
    "Bridgestone",
    "Brose",
    "Bugatti",
    "Buick",
    "Cadillac",
    "Cardone",
    "Castrol",
    "Centric",
    "Champion",
    "Chevrolet",
    "Chrysler",
    "Citroen",
    "Clarion",
    "Continental",
    "Cooper",
    "Corteco",
    "Cummins",
    "Dacia",
    "Daewoo",
    "Daihatsu",
    "Dayco",
    "Delco",
    "Delphi",
    "Denso",
    "Dodge",
    "Dorman",
    "Ducati",
    "Dunlop",
    "Duracell",
    "Duralast",
    "Eaton",
    "Edelbrock",
    "Elring",
    "Energizer",
    "Everstart",
    "Exedy",
    "Exide",
    "Facet",
    "Fag",
    "Falken",
    "Febi",
    "Federal Mogul",
    "Ferodo",
    "Ferrari",
    "Fiat",
    "Firestone",
    "Ford",
    "Fram",
    "Fujitsu Ten",
    "Garrett",
    "Gates",
    "General Motors",
    "GKN",
    "GMB",
    "GMC",
    "Goodyear",
    "GSP",
    "Hankook",
    "Harley Davidson",
    "Hella",
    "Hengst",
    "Hitachi",
    "Holley",
    "Honda",
    "Honeywell",
    "Hyundai",
    "Iveco",
    "INA",
    "Infiniti",
    "Interstate",
    "Isuzu",
    "Jaguar",
    "Jeep",
    "Johnson Controls",
    "Jurid",
    "JVC",
    "Kawasaki",
    "Kayaba",
    "Kenwood",
    "KIA",
    "Knecht",
    "Koni",
    "Koyo",
    "KYB",
    "Lada",
    "Lamborghini",
    "Lancia",
    "Land Rover",
    "Lemforder",
    "Lexus",
    "Lincoln",
    "Liqui Moly",
    "LUK",
    "Lucas",
    "Magneti Marelli",
    "Magnaflow",
    "Mahle",
    "Mando",
    "Mann Filter",
    "Maserati",
    "Maxxis",
    "Mazda",
    "Mercedes Benz",
    "Mercruiser",
    "Metelli",
    "Meyle",
    "Michelin",
    "Mitsubishi",
    "Mobil",
    "Mobis",
    "Monroe",
    "Mopar",
    "Moog",
    "Motorcraft",
    "Motorola",
    "MSD",
    "Nachi",
    "NGK",
    "Nipparts",
    "Nissan",
    "Nokian",
    "NSK",
    "NTK",
    "NTN",
    "Opel",
    "Optima",
    "Osram",
    "OZ Racing",
    "Pagid",
    "Panasonic",
    "Parker",
    "Peugeot",
    "Philips",
    "Pierburg",
    "Pioneer",
    "Pirelli",
    "Polaris",
    "Porsche",
    "Purflux",
    "Quaker State",
    "Rays Engineering",
    "Raybestos",
    "Recaro",
    "Remy",
    "Renault",
    "Rolls Royce",
    "Sachs",
    "Shell",
    "Showa",
    "Siemens",
    "Skoda",
    "SKF",
    "SNR",
    "Sony",
    "Spicer",
    "Stanley",
    "Standard Motor Products",
    "Stoptech",
    "Subaru",
    "Sumitomo",
    "Suzuki",
    "SWF",
    "Tein",
    "Textar",
    "Timken",
    "Tokico",
    "Toyo",
    "Toyota",
    "Trico",
    "TRW",
    "Valeo",
    "Valvoline",
    "Varta",
    "Vauxhall",
    "VDO",
    "Victor Reinz",
    "Visteon",
    "Volk Racing",
    "Volkswagen",
    "Volvo",
    "Wabco",
    "Wagner",
    "Wahler",
    "Walbro",
    "Walker",
    "Weber",
    "WIX",
    "Yamaha",
    "Yokohama",
    "Yuasa",
    "ZF",
    "Zimmermann",
];
/// Words that lie near a name and stand on parts themselves, in lower case.
const NO_NAMES: &[&str] = &[
    "asbestos",
    "continent",
    "contents",
    "cooler",
    "copper",
    "corner",
    "dense",
    "face",
    "faced",
    "general",
    "gasket",
    "gate",
    "ignition",
    "lifetime",
    "made",
    "mobile",
    "motor",
    "number",
    "optimal",
    "parked",
    "phillips",
    "pioneers",
    "position",
    "racing",
    "rotate",
    "sealed",
    "series",
    "shelf",
    "show",
    "shown",
    "shows",
    "spacer",
    "spider",
    "standard",
    "state",
    "stereo",
    "torque",
    "walked",
    "warner",
    "warning",
    "weather",
];
/// Words of a line that are looked at.
const MOST_WORDS: usize = 16;
/// Letters that a misread name has at least, for one edit and for two: shorter ones have too many neighbours.
const LETTERS_FOR_EDITS: [usize; 2] = [5, 8];

/// The name of a maker in a line of text, as the maker writes it; the exact one first, else one of which a letter was read as
/// another, dropped or doubled (two letters from eight on).
pub fn brand_in(line: &str) -> Option<&'static str> {
    let words: Vec<&str> = line
        .split(|c: char| !(c.is_alphanumeric() || c == '&'))
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .collect();
    let texts: Vec<String> = (1..=3)
        // Up to three neighbours: names such as `General Motors` are two or three words, and readers part others.
        .flat_map(|n| words.windows(n).map(|words| compact_number(&words.concat())))
        .filter(|text| text.chars().any(char::is_alphabetic))
        .collect();
    let exact = BRANDS.iter().find(|brand| texts.contains(&compact_number(brand)));
    // Exact names of the whole line first: a misread one must not win over one that stands there.
    exact.or_else(|| BRANDS.iter().find(|brand| texts.iter().any(|text| is_misread(text, brand)))).copied()
}

/// Whether `text`, in lower case without signs, is `brand` with few letters misread.
fn is_misread(text: &str, brand: &str) -> bool {
    let brand = compact_number(brand);
    let n_letters = brand.chars().count();
    // How many of the two marks the name reaches is how many edits it may have.
    let most = LETTERS_FOR_EDITS.iter().filter(|least| n_letters >= **least).count();
    most > 0
        && text.len().abs_diff(brand.len()) <= most
        && !NO_NAMES.contains(&text)
        // A name begins as it is printed more often than not, and words that differ there are other words.
        && (text.as_bytes().first() == brand.as_bytes().first() || most == 2)
        && strsim::osa_distance(text, &brand) <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_among_other_words_and_with_a_misread_letter() {
        for (line, expected) in [
            ("BOSCH 0258006537000 LS6537", Some("Bosch")),
            ("Magneti-Marelli", Some("Magneti Marelli")),
            ("AC Delco", Some("AC Delco")),
            ("ACDELCO", Some("AC Delco")),
            ("MANN-FILTER", Some("Mann Filter")),
            ("brcmbo", Some("Brembo")),
            ("Mitsubishj", Some("Mitsubishi")),
            ("NGK", Some("NGK")),
            // Of short names, a letter makes another one.
            ("NCK", None),
            ("BOSC", Some("Bosch")),
            ("GENERAL PURPOSE", None),
            ("STANDARD", None),
            ("MADE IN JAPAN", None),
            ("BRAKE PADS", None),
            ("SPACER 12MM", None),
            ("AS SHOWN", None),
            ("NON-ASBESTOS", None),
            ("12345", None),
            ("", None),
        ] {
            assert_eq!(brand_in(line), expected, "{line}");
        }
    }

    #[test]
    fn every_name_is_found_as_it_is_written() {
        for brand in BRANDS {
            assert_eq!(brand_in(brand).map(compact_number), Some(compact_number(brand)), "{brand}");
        }
    }

    #[test]
    fn long_lines_stay_cheap() {
        assert_eq!(brand_in(&"x".repeat(200)), None);
        assert_eq!(brand_in(&"word ".repeat(5000)), None);
    }
}
