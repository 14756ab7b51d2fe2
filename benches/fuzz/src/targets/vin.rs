use partsight_vehicle_data::{VinPatterns, VinWarning, decode_vin};

const LATEST_YEAR: u16 = 2028;

/// What somebody typed as a vehicle identification number.
pub(crate) fn vin(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let patterns = VinPatterns::embedded().expect("the embedded patterns are whole");
    let decode = |text: &str| decode_vin(text, LATEST_YEAR, &patterns);
    let Ok(decoded) = decode(&text) else { return };
    assert_eq!(decoded.vin.len(), 17, "{text:?}");
    assert!(decoded.vin.starts_with(&decoded.wmi) && decoded.vin.ends_with(&decoded.serial), "{text:?}");
    for year in decoded.model_year.into_iter().chain(decoded.other_model_year) {
        assert!((1980..=LATEST_YEAR).contains(&year), "{text:?} is of {year}");
    }
    // What it says of itself is what it says of the number in its usual spelling.
    assert_eq!(decode(&decoded.vin).as_ref(), Ok(&decoded), "{text:?}");
    assert_eq!(decode(&decoded.vin.to_lowercase()).as_ref(), Ok(&decoded), "{text:?}");
    let expected = decoded.warnings.iter().find_map(|warning| match warning {
        VinWarning::CheckDigit { expected, .. } => Some(*expected),
        _ => None,
    });
    let may_be_silent = decoded.check_digit_fits || decoded.region != "North America";
    assert!(expected.is_some() || may_be_silent, "{text:?}");
    if let Some(expected) = expected {
        assert!(!decoded.check_digit_fits, "{text:?}");
        let mended = format!("{}{expected}{}", &decoded.vin[..8], &decoded.vin[9..]);
        let fits = decode(&mended).is_ok_and(|mended| mended.check_digit_fits);
        assert!(fits, "{text:?} would fit with {expected}");
    }
}
