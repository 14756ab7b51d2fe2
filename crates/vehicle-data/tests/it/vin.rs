//! Decodes real numbers, if they are available, and made-up ones.

use std::fs;
use std::path::Path;

use partsight_vehicle_data::{DecodedVin, VinError, VinPatterns, VinWarning, likely_vins};

use crate::sources::folder;

/// Next year, as a caller would pass it.
const LATEST_YEAR: u16 = 2027;

fn decode_vin(text: &str) -> Result<DecodedVin, VinError> {
    partsight_vehicle_data::decode_vin(text, LATEST_YEAR, &VinPatterns::embedded().unwrap())
}

/// What NHTSA's decoder says of a number.
#[derive(Default)]
struct Known {
    vin: String,
    make: String,
    model: String,
    year: u16,
}

/// The entries of a file of vectors: `- key: value` begins an entry, `key: value` continues it.
fn read(file: &Path) -> Vec<Known> {
    let mut entries: Vec<Known> = Vec::new();
    for line in fs::read_to_string(file).unwrap().lines() {
        let line = line.trim();
        let (begins, field) = line.strip_prefix("- ").map_or((false, line), |rest| (true, rest.trim()));
        if begins {
            entries.push(Known::default());
        }
        let (Some(entry), Some((key, value))) = (entries.last_mut(), field.split_once(": ")) else {
            continue;
        };
        let value = value.trim().trim_matches(['\'', '"']).to_owned();
        match key {
            "vin" => entry.vin = value,
            "make" => entry.make = value,
            "model" => entry.model = value,
            "model_year" => entry.year = value.parse().unwrap(),
            _ => {}
        }
    }
    entries
}

/// Real numbers with a valid check digit.
fn known() -> Option<Vec<Known>> {
    let folder = folder()?.join("vin-vectors");
    let files = ["test_ford.yaml", "test_honda.yaml", "test_kia.yaml"];
    let known: Vec<Known> = files.iter().flat_map(|file| read(&folder.join(file))).collect();
    assert!(known.len() > 8000, "{}", known.len());
    Some(known)
}

#[test]
fn real_numbers_decode_as_the_authority_decodes_them() {
    let Some(known) = known() else { return };
    let (mut checks, mut years, mut makes, mut with_models, mut models) = (0, 0, 0, 0, 0);
    for one in &known {
        let vin = decode_vin(&one.vin).unwrap();
        checks += usize::from(vin.check_digit_fits);
        years += usize::from(vin.model_year == Some(one.year));
        makes += usize::from(vin.make.as_deref().is_some_and(|make| make.eq_ignore_ascii_case(&one.make)));
        with_models += usize::from(!vin.models.is_empty());
        models += usize::from(vin.models.iter().any(|model| model.eq_ignore_ascii_case(&one.model)));
    }
    let n = known.len();
    eprintln!(
        "of {n} numbers: check digit {checks}, year {years}, make {makes}, model among the candidates {models} of {with_models}"
    );
    assert_eq!((checks, years), (n, n));
    assert!(makes * 1000 >= n * 999, "make right for {makes} of {n}");
    assert!(models * 1000 >= with_models * 998, "model right for {models} of {with_models}");
}

#[test]
fn real_numbers_are_read_in_two_pieces_with_a_misread_zero() {
    let Some(known) = known() else { return };
    let mut n_read = 0;
    for (index, one) in known.iter().enumerate() {
        let mut text = one.vin.replacen('0', "O", index % 2);
        // Between two characters, at each position in turn.
        text.insert(1 + index % 16, ' ');
        let found = likely_vins(&format!("VIN: {text} TYPE: PASS CAR"));
        n_read += usize::from(found.first().is_some_and(|first| first.vin == one.vin));
    }
    let n = known.len();
    assert!(n_read * 100 >= n * 99, "{n_read} of {n}");
}

#[test]
fn real_numbers_with_a_wrong_check_digit_are_decoded_with_a_warning() {
    let Some(folder) = folder() else { return };
    let known = read(&folder.join("vin-vectors/test_vin_exceptions.yaml"));
    assert_eq!(known.len(), 299);
    for one in &known {
        let vin = decode_vin(&one.vin).unwrap();
        assert!(matches!(vin.warnings[..], [VinWarning::CheckDigit { .. }]), "{vin:?}");
        assert!(!vin.check_digit_fits);
        assert_eq!((vin.make.as_deref(), vin.model_year), (Some(one.make.as_str()), Some(one.year)));
        assert_eq!(vin.models, [one.model.as_str()]);
    }
}

#[test]
fn all_parts_of_a_number_are_told() {
    let vin = decode_vin(" 1hgcm82633a004352 ").unwrap();
    assert_eq!(vin.vin, "1HGCM82633A004352");
    assert_eq!((vin.wmi.as_str(), vin.region, vin.country), ("1HG", "North America", Some("United States")));
    assert_eq!((vin.manufacturer.as_deref(), vin.make.as_deref()), (Some("Honda"), Some("Honda")));
    assert_eq!((vin.model_year, vin.other_model_year), (Some(2003), None));
    assert_eq!((vin.description.as_str(), vin.plant, vin.serial.as_str()), ("CM826", 'A', "004352"));
    assert!(vin.check_digit_fits && vin.warnings.is_empty());
    assert_eq!(vin.models, ["Accord"]);
    assert_eq!((vin.details.trim.as_deref(), vin.details.doors), (Some("EX-V6"), Some(2)));
}

#[test]
fn an_unknown_manufacturer_and_year_are_warnings() {
    let vin = decode_vin("DZZCM8A60UA004352").unwrap();
    assert!(vin.warnings.contains(&VinWarning::UnknownManufacturer));
    assert!(vin.warnings.contains(&VinWarning::YearCode { found: 'U' }));
    assert_eq!((vin.make.as_deref(), vin.model_year, vin.country), (None, None, None));
    for warning in &vin.warnings {
        assert!(warning.to_string().ends_with('.'), "{warning}");
    }
}

#[test]
fn a_vehicle_of_another_market_is_of_the_later_year_and_needs_no_check_digit() {
    for (name, vin, year, other) in [
        ("Volkswagen", "WVWZZZ1KZAW000001", 2010, 1980),
        ("Audi", "WAUZZZ8K9BA012345", 2011, 1981),
        ("Volkswagen, another model", "WVWZZZ5NZCW000001", 2012, 1982),
        ("Kia of Slovakia", "U5YHB51AACL012345", 2012, 1982),
        ("Volkswagen of Brazil", "9BWAB05U6CP012345", 2012, 1982),
        // China requires a check digit, but has no rule for the seventh character.
        ("Volkswagen of Shanghai", "LSVAM4187C2184847", 2012, 1982),
        // Its check digit fits by chance.
        ("Audi, check digit", "WAUZZZ8K2BA012345", 2011, 1981),
    ] {
        let vin = decode_vin(vin).unwrap();
        assert_eq!((vin.model_year, vin.other_model_year), (Some(year), Some(other)), "{name}");
        assert_eq!(vin.warnings, [], "{name}");
    }
    let typed_wrong = decode_vin("7SAYGDEE4NF300001").unwrap();
    assert!(matches!(typed_wrong.warnings[..], [VinWarning::CheckDigit { .. }]), "{typed_wrong:?}");
}

#[test]
fn a_vehicle_made_elsewhere_for_north_america_is_one_of_it() {
    for (vin, name, year, other) in [
        ("JT2AE09W4P0012345", "Corolla", 1993, Some(2023)),
        ("YV1LS5711S1012345", "850 Series", 1995, Some(2025)),
        ("JHMFC1E53RC000001", "Civic", 2024, Some(1994)),
    ] {
        let right = decode_vin(vin).unwrap();
        assert_eq!(
            (right.model_year, right.other_model_year, right.models),
            (Some(year), other, vec![name.to_owned()])
        );
        assert_eq!(right.warnings, [], "{vin}");
        // With one wrong digit.
        let wrong = decode_vin(&format!("{}9", &vin[..16])).unwrap();
        assert!(matches!(wrong.warnings[..], [VinWarning::CheckDigit { .. }]), "{wrong:?}");
    }
}

#[test]
fn a_small_manufacturer_has_a_shorter_serial_number() {
    assert_eq!(decode_vin("1M9GDM9AXKP042788").unwrap().serial, "788");
}

#[test]
fn what_is_no_number_is_refused_with_a_sentence() {
    for text in ["", "1HGCM82633A00435", "1HGCM82633AO04352", "1HGCM82633A00435é", "1HGCM\n2633A004352"] {
        let error = decode_vin(text).unwrap_err();
        let sentence = error.sentence();
        assert!(sentence.starts_with("A VIN has") && sentence.ends_with('.'), "{sentence}");
    }
    let endless = "1".repeat(1_000_000);
    assert_eq!(decode_vin(&endless).unwrap_err(), VinError::Length { found: 1_000_000 });
}
