//! Reads the VIN on a photograph of a door jamb, a plate or a windshield.

use std::time::Duration;

use partsight_domain::{ReadLine, User};
use partsight_vehicle_data::LikelyVin;

use crate::Result;
use crate::limits::rate_limit::RateLimit;
use crate::scanning::Scanning;
use crate::scanning::line_vins::{LineVin, joined, line_vins};

/// Burst of photographs of one person, and the interval until one more: a workshop registers a car every few minutes
/// at most, and repeats some photographs.
const PHOTOS: u32 = 30;
const PHOTO_INTERVAL: Duration = Duration::from_secs(10);
/// Most VINs of one photograph.
const MOST: usize = 5;

/// How often a person may have a photograph read for its VIN.
pub(crate) struct VinPhotoLimit(RateLimit);

impl Default for VinPhotoLimit {
    fn default() -> Self {
        Self(RateLimit::new(PHOTOS, PHOTO_INTERVAL))
    }
}

/// A number on a photograph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundVin {
    /// The number.
    pub vin: String,
    /// The text that was read; differs from `vin` if letters and digits were confused.
    pub read_as: String,
    /// Whether it is from a barcode or matrix code, which has its own error detection.
    pub is_from_code: bool,
    /// Whether its check digit is right.
    pub check_digit_fits: bool,
}

impl Scanning {
    /// The VINs on a photograph, the most reliable first; empty if there are none. Nothing is saved, and no scan is
    /// counted.
    ///
    /// # Errors
    /// [`Error::TooManyAttempts`](crate::Error::TooManyAttempts) for more than 30 photographs at once,
    /// [`Error::Photo`](crate::Error::Photo), [`Error::Busy`](crate::Error::Busy),
    /// [`Error::Overloaded`](crate::Error::Overloaded), [`Error::PhotoWorkUsedUp`](crate::Error::PhotoWorkUsedUp).
    pub async fn vins_on_photo(&self, user: &User, photo: Vec<u8>) -> Result<Vec<FoundVin>> {
        self.vin_photos.0.take(&user.id.to_string(), self.clock.steady())?;
        let asker = self.asker(user);
        let lines = self.identifier.read_photo(&asker, photo).await?;
        let vins = vins_in(&lines);
        // A photograph without a VIN stays charged: it has cost decoding and given no result.
        if !vins.is_empty() {
            asker.give_back();
        }
        Ok(vins)
    }
}

/// The VINs in the lines, the most reliable first, and among equals those from codes.
fn vins_in(lines: &[ReadLine]) -> Vec<FoundVin> {
    let mut found = line_vins(lines);
    let is_from_code = |found: &LineVin| found.lines.iter().any(|at| lines[*at].code.is_some());
    found.sort_by_key(|found| (found.vin.doubt(), !is_from_code(found), found.vin.n_changes));
    let mut vins: Vec<FoundVin> = Vec::new();
    for found in found {
        let (is_from_code, read_as) = (is_from_code(&found), joined(lines, &found.lines));
        let LikelyVin { vin, check_digit_fits, .. } = found.vin;
        if !vins.iter().any(|known| known.vin == vin) {
            vins.push(FoundVin { vin, read_as, is_from_code, check_digit_fits });
        }
    }
    vins.truncate(MOST);
    vins
}

#[cfg(test)]
mod tests {
    use partsight_domain::{CodeSymbology, PartCode};

    use super::*;

    const CORNERS: [[f32; 2]; 4] = [[0.1, 0.1], [0.4, 0.1], [0.4, 0.2], [0.1, 0.2]];

    fn text(text: &str) -> ReadLine {
        ReadLine::new(text.to_owned(), 0.9, 0, CORNERS)
    }

    /// Text that is 0.4 wide, from `left` on.
    fn at(left: f32, text: &str) -> ReadLine {
        let right = left + 0.4;
        ReadLine::new(text.to_owned(), 0.9, 0, [[left, 0.1], [right, 0.1], [right, 0.2], [left, 0.2]])
    }

    fn code(content: &str) -> ReadLine {
        let (code, text) = PartCode::new(CodeSymbology::Code39, false, content).unwrap();
        ReadLine::of_code(code, text, 0, CORNERS)
    }

    #[test]
    fn the_surest_number_comes_first() {
        for (name, lines, expected) in [
            (
                "a code",
                vec![text("MADE IN USA"), code("I1HGCM82633A004352")],
                vec![("1HGCM82633A004352", true, true)],
            ),
            (
                "a code before the text that says the same",
                vec![text("IHGCM82633AOO4352"), code("1HGCM82633A004352")],
                vec![("1HGCM82633A004352", true, true)],
            ),
            (
                "text that fits before a code that does not",
                vec![code("WVWZZZ1JZ3W386752"), text("1HGCMB2633A004352")],
                vec![("1HGCM82633A004352", false, true), ("WVWZZZ1JZ3W386752", true, false)],
            ),
            (
                "in two boxes of one row",
                vec![at(0.5, "A004352"), at(0.1, "1HGCM82633")],
                vec![("1HGCM82633A004352", false, true)],
            ),
            ("none", vec![text("TIRE AND LOADING INFORMATION"), code("4006381333931")], vec![]),
        ] {
            let found = vins_in(&lines);
            let found: Vec<_> =
                found.iter().map(|vin| (vin.vin.as_str(), vin.is_from_code, vin.check_digit_fits)).collect();
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_number_of_europe_comes_before_those_that_fit_by_chance_and_in_a_code_alone() {
        let number = "WVWZZZ1JZ3W386752";
        let found = vins_in(&[text(number)]);
        assert_eq!((found[0].vin.as_str(), found[0].check_digit_fits), (number, false));
        assert!(found.len() > 1, "{found:?}");
        let found = vins_in(&[code(number), text(number)]);
        assert_eq!((found[0].vin.as_str(), found[0].is_from_code), (number, true));
        assert_eq!(vins_in(&[code(number)]).len(), 1);
    }
}
