//! Finds barcodes and matrix codes on a photograph, and says what is in them.
//!
//! Linear codes are found as regions of parallel stripes, whatever their direction. Along each region's stripes many
//! pixels are averaged into one row, which takes out noise, and blur is undone on that row before its edges are found.
//! Matrix codes are searched in the whole picture at several scales. What rows and modules mean is for `rxing`.

mod grey;
mod linear;
mod matrix;
mod row;
mod stripes;

use std::panic::{AssertUnwindSafe, catch_unwind};

use rxing::{BarcodeFormat, RXingResult, RXingResultMetadataType, RXingResultMetadataValue};

use crate::Photo;
use grey::Grey;

/// Codes of one photograph that are kept.
const MOST_CODES: usize = 20;
/// Longest content that is kept, in characters: the largest QR code holds 4,296 letters and digits.
const LONGEST_TEXT: usize = 4_300;
/// The shortest side that can hold a code, in pixels.
const SHORTEST_SIDE: usize = 24;

/// How a code is drawn.
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
    /// How it is drawn.
    pub symbology: Symbology,
    /// What it holds; never empty. Between GS1 fields of variable length stands the group separator, U+001D.
    pub text: String,
    /// Whether it says of itself that its content is that of the GS1 General Specifications: an FNC1 in front.
    pub is_gs1: bool,
    /// In pixels of the upright photograph, from where the code begins: its top left as a reader sees it, then top
    /// right, bottom right and bottom left.
    pub corners: [[f32; 2]; 4],
}

/// The codes on a photograph, linear ones first; at most twenty, each once.
///
/// The work has a bound in pixels, regions and rows, whatever the picture. It takes tens of milliseconds: not for a thread
/// that serves requests.
pub fn find_codes(photo: &Photo) -> Vec<FoundCode> {
    if (photo.width().min(photo.height()) as usize) < SHORTEST_SIDE {
        return Vec::new();
    }
    let grey = Grey::of(photo);
    let mut found = linear::find(&grey);
    // The same code is found at several sizes and in several regions; the first finding stays.
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

/// Symbology, text and whether it is GS1, as the library says; `None` for a symbology that is not wanted.
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
    // AIM symbology identifiers of GS1-128, GS1 QR Code and GS1 DataMatrix (ISO/IEC 15424).
    let is_gs1 = matches!(identifier, "]C1" | "]Q3" | "]d2");
    let text = result.getText();
    // The reader of Code 128 writes the identifier into the text, too.
    let text = text.strip_prefix("]C1").unwrap_or(text);
    // At the end, a check character of value 102 is passed on as if it were an FNC1.
    Some((symbology, text.trim_matches('\u{1d}').to_owned(), is_gs1))
}

/// Runs other people's code on hostile pixels: a bug there that panics costs the code, not the process.
fn guarded<T>(read: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok().flatten()
}
