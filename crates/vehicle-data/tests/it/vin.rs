//! Decoding real numbers, where they are at hand, and made-up ones.

use std::fs;
use std::path::Path;

use partsight_vehicle_data::{DecodedVin, VinError, VinPatterns, VinWarning};

use crate::sources::folder;

/// Next year, as the caller would say.
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

/// The entries of a file of vectors: `- key: value` begins one, `key: value` goes on.
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

#[test]
fn real_numbers_decode_as_the_authority_decodes_them() {
    let Some(folder) = folder() else { return };
    let mut known = Vec::new();
    for file in ["test_ford.yaml", "test_honda.yaml", "test_kia.yaml"] {
        known.extend(read(&folder.join("vin-vectors").join(file)));
    }
    assert!(known.len() > 8000, "{}", known.len());
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
