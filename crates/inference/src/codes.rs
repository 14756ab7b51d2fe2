//! Finds and decodes barcodes and matrix codes in a photograph.
//!
//! Linear codes are found as regions of parallel stripes, in any direction. Along the stripes of a region many
//! pixels are averaged into one row, which removes noise, and the row is deblurred before its edges are found.
//! Matrix codes are searched in the whole picture at several scales. `rxing` decodes the rows and modules.

mod grey;
mod linear;
mod matrix;
mod row;
mod stripes;

use std::panic::{AssertUnwindSafe, catch_unwind};

use rxing::{BarcodeFormat, RXingResult, RXingResultMetadataType, RXingResultMetadataValue};

use crate::Photo;
use grey::Grey;

/// Maximum number of codes per photograph.
const MOST_CODES: usize = 20;
/// Longest text of a code, in characters: the largest QR code holds 4,296 letters and digits.
const LONGEST_TEXT: usize = 4_300;
/// The shortest side that can hold a code, in pixels.
const SHORTEST_SIDE: usize = 24;

/// Type of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Symbology {
    /// EAN-13 (ISO/IEC 15420).
    Ean13,
    /// EAN-8 (ISO/IEC 15420).
    Ean8,
    /// UPC-A (ISO/IEC 15420).
    UpcA,
    /// UPC-E (ISO/IEC 15420).
    UpcE,
    /// Code 39 (ISO/IEC 16388).
    Code39,
    /// Code 128 (ISO/IEC 15417).
    Code128,
    /// Interleaved 2 of 5 (ISO/IEC 16390).
    Itf,
    /// QR Code (ISO/IEC 18004).
    QrCode,
    /// Data Matrix, ECC 200 (ISO/IEC 16022).
    DataMatrix,
}

/// One code on a photograph.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundCode {
    /// Its type.
    pub symbology: Symbology,
    /// Its content; never empty. Fields of variable length in GS1 content are separated by the group separator,
    /// U+001D.
    pub text: String,
    /// Whether the code marks its content as GS1 (GS1 General Specifications): it starts with FNC1.
    pub is_gs1: bool,
    /// Corners in pixels of the upright photograph, in the reading direction of the code: top left, top right,
    /// bottom right, bottom left.
    pub corners: [[f32; 2]; 4],
}

/// The codes in a photograph, linear ones first; at most twenty, without duplicates.
///
/// The work is bounded in pixels, regions and rows for any picture. It takes tens of milliseconds: do not call it
/// on an async thread.
pub fn find_codes(photo: &Photo) -> Vec<FoundCode> {
    if (photo.width().min(photo.height()) as usize) < SHORTEST_SIDE {
        return Vec::new();
    }
    let grey = Grey::of(photo);
    let mut found = linear::find(&grey);
    // The same code is found at several scales and in several regions; the first result is kept.
    found.extend(matrix::find(&grey));
    let mut codes: Vec<FoundCode> = Vec::new();
    for code in found {
        let is_known = codes.iter().any(|known| known.symbology == code.symbology && known.text == code.text);
        if !is_known && !code.text.is_empty() && code.text.chars().count() <= LONGEST_TEXT {
            codes.push(code);
        }
    }
    codes.truncate(MOST_CODES);
    codes
}

/// Symbology, text and whether it is GS1, as `rxing` reports them; `None` for other symbologies.
fn decoded(result: &RXingResult) -> Option<(Symbology, String, bool)> {
    let symbology = match result.getBarcodeFormat() {
        BarcodeFormat::EAN_13 => Symbology::Ean13,
        BarcodeFormat::EAN_8 => Symbology::Ean8,
        BarcodeFormat::UPC_A => Symbology::UpcA,
        BarcodeFormat::UPC_E => Symbology::UpcE,
        BarcodeFormat::CODE_39 => Symbology::Code39,
        BarcodeFormat::CODE_128 => Symbology::Code128,
        BarcodeFormat::ITF => Symbology::Itf,
        BarcodeFormat::QR_CODE => Symbology::QrCode,
        BarcodeFormat::DATA_MATRIX => Symbology::DataMatrix,
        _ => return None,
    };
    let identifier = result.getRXingResultMetadata().get(&RXingResultMetadataType::SYMBOLOGY_IDENTIFIER);
    let identifier = match identifier {
        Some(RXingResultMetadataValue::SymbologyIdentifier(identifier)) => identifier.as_str(),
        _ => "",
    };
    let text = result.getText();
    // The Code 128 reader writes the identifier of an FNC1 at the start into the text, too, and only there if an FNC2
    // follows, for which it reports `]C4`.
    let after_fnc1 = text.strip_prefix("]C1").filter(|_| matches!(identifier, "]C1" | "]C4"));
    // AIM symbology identifiers of GS1-128, GS1 QR Code and GS1 DataMatrix (ISO/IEC 15424).
    let is_gs1 = after_fnc1.is_some() || matches!(identifier, "]C1" | "]Q3" | "]d2");
    let text = after_fnc1.unwrap_or(text);
    // At the end, the reader reports a check character of value 102 as if it were an FNC1.
    Some((symbology, text.trim_matches('\u{1d}').to_owned(), is_gs1))
}

/// Runs third-party code on untrusted pixels: a panic there loses the code, not the process.
fn guarded<T>(read: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_128_that_starts_with_fnc1_is_gs1() {
        for (text, identifier, expected) in [
            ("]C10109506000134352", "]C1", ("0109506000134352", true)),
            // With an FNC2 later in the code.
            ("]C10109506000134352", "]C4", ("0109506000134352", true)),
            ("0109506000134352", "]C4", ("0109506000134352", false)),
            // Printed so.
            ("]C1 bracket", "]C0", ("]C1 bracket", false)),
        ] {
            let mut result = RXingResult::new(text, Vec::new(), Vec::new(), BarcodeFormat::CODE_128);
            result.putMetadata(
                RXingResultMetadataType::SYMBOLOGY_IDENTIFIER,
                RXingResultMetadataValue::SymbologyIdentifier(identifier.to_owned()),
            );
            let (_, found, is_gs1) = decoded(&result).unwrap();
            assert_eq!((found.as_str(), is_gs1), expected, "{text} {identifier}");
        }
    }
}
