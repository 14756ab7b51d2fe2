//! The compact encoding.

use partsight_vehicle_data::{FormatError, Reference};

use crate::sources::{import_vehicles, vehicles};

pub(crate) const HEADER_BYTES: usize = 13;

fn small() -> Vec<u8> {
    let csv = vehicles(&[
        "1,Honda,Civic,Civic,2017,2.0,4,Manual 6-spd,Front-Wheel Drive,Regular,Compact Cars,,,,,1",
        "2,Honda,Civic,Civic,2018,2.0,4,Manual 6-spd,Front-Wheel Drive,Regular,Compact Cars,,,,,1",
        "3,Honda,Civic Si,Civic,2020,1.5,4,Manual 6-spd,Front-Wheel Drive,Premium,Compact Cars,,T,,,1",
        "4,Ford,F150,F150,2018,3.5,6,Automatic (S10),4-Wheel Drive,Regular,Standard Pickup Trucks 4WD,,T,,,1",
    ]);
    import_vehicles(&csv).unwrap().0.to_bytes()
}

/// A file as documented: magic and version, then the checksum of the payload, then the payload.
pub(crate) fn with_checksum(beginning: &[u8], payload: &[u8]) -> Vec<u8> {
    let sum = payload.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    [beginning, sum.to_le_bytes().as_slice(), payload].concat()
}

/// Changes each byte of a file after its header, with a correct checksum, and counts how often `read` returns an
/// error. `read` must also do a lookup in what it accepts, and must not panic.
pub(crate) fn count_refused_nonsense(file: &[u8], read: fn(&[u8]) -> Result<(), FormatError>) -> usize {
    let (beginning, payload) = (&file[..5], &file[HEADER_BYTES..]);
    let mut n_refused = 0;
    for index in 0..payload.len() {
        for value in [0x00, 0x01, 0x7f, 0x80, 0xff, payload[index] ^ 1] {
            let mut changed = payload.to_vec();
            changed[index] = value;
            if let Err(error) = read(&with_checksum(beginning, &changed)) {
                assert!(matches!(error, FormatError::Damaged { .. }), "{error}");
                n_refused += 1;
            }
        }
        assert!(read(&with_checksum(beginning, &payload[..index])).is_err(), "cut off at {index}");
    }
    let longer = [payload, b"\x00"].concat();
    assert!(read(&with_checksum(beginning, &longer)).is_err(), "bytes after the end");
    n_refused
}

#[test]
fn what_is_written_is_read_again() {
    let bytes = small();
    let table = Reference::from_bytes(&bytes).unwrap();
    assert_eq!(table.to_bytes(), bytes);
    assert_eq!(table.model_years("honda", "civic"), [2020, 2018, 2017]);
    assert_eq!(table.engines("honda", "civic", 2018)[0].name, "2.0L 4-cyl", "the same as the year before");
    assert_eq!(bytes, with_checksum(b"PSVD\x01", &bytes[HEADER_BYTES..]));
}

#[test]
fn the_embedded_table_is_whole_and_small() {
    let table = Reference::embedded().unwrap();
    let bytes = table.to_bytes();
    assert!(bytes.len() < 1_000_000, "{} bytes", bytes.len());
    assert_eq!(table.years().next_back(), Some(1984));
    assert!(table.years().next() >= Some(2026));
    let counts = table.counts();
    assert!(counts.makes > 140 && counts.models > 1500 && counts.model_years > 12_000, "{counts:?}");
    assert!(
        table.source().contains("fueleconomy.gov") && table.source().contains("CC BY 4.0"),
        "{}",
        table.source()
    );
}

#[test]
fn another_file_another_version_and_changed_bytes_are_told_apart() {
    let bytes = small();
    assert_eq!(Reference::from_bytes(b"").unwrap_err(), FormatError::NotOurs);
    assert_eq!(Reference::from_bytes(b"PK\x03\x04").unwrap_err(), FormatError::NotOurs);
    assert_eq!(Reference::from_bytes(b"PSVD").unwrap_err(), FormatError::Checksum);
    let mut newer = bytes.clone();
    newer[4] = 2;
    assert_eq!(Reference::from_bytes(&newer).unwrap_err(), FormatError::Version { found: 2, expected: 1 });
    for index in 5..bytes.len() {
        let mut changed = bytes.clone();
        changed[index] ^= 0x10;
        assert_eq!(Reference::from_bytes(&changed).unwrap_err(), FormatError::Checksum, "byte {index}");
        assert!(Reference::from_bytes(&bytes[..index]).is_err(), "cut off at {index}");
    }
}

#[test]
fn nonsense_under_a_right_checksum_is_an_error_and_never_a_panic() {
    let bytes = small();
    let n_refused = count_refused_nonsense(&bytes, |file| {
        let table = Reference::from_bytes(file)?;
        let _ = table.engines("honda", "civic", 2018);
        let _ = table.models("ford", None);
        Ok(())
    });
    assert!(n_refused > bytes.len() - HEADER_BYTES, "only {n_refused} refused");
}
