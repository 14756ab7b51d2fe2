//! Matrix codes, anywhere in a picture.

use std::collections::HashSet;

use rxing::common::HybridBinarizer;
use rxing::datamatrix::DataMatrixReader;
use rxing::multi::MultipleBarcodeReader;
use rxing::qrcode::cpp_port::QrReader;
use rxing::{BarcodeFormat, BinaryBitmap, DecodeHints, Luma8LuminanceSource, RXingResult, Reader};

use super::grey::Grey;
use super::{FoundCode, decoded, guarded};

/// Maximum length of the longer side at each scale, in pixels. Each scale is searched as it is and sharpened: the
/// sharpened picture finds half as many rotated and blurred codes again.
const LOOKS: [usize; 3] = [1600, 800, 400];

/// Shorter side below which a scale is skipped, in pixels: the smallest code has eight rows of modules.
const LEAST: usize = 8;

/// The matrix codes of a picture.
pub(super) fn find(grey: &Grey) -> Vec<FoundCode> {
    let mut found = Vec::new();
    let mut last = 0;
    for longest in LOOKS {
        let factor = grey.factor_to(longest);
        // A small picture is shrunk by 1 at several of the scales; searching it again would find the same codes.
        if factor == last {
            continue;
        }
        last = factor;
        // A very long and thin picture would shrink to nothing.
        if grey.width.min(grey.height) / factor < LEAST {
            continue;
        }
        let small = grey.shrunk(factor);
        found.extend(look(&small, factor as f32));
        found.extend(look(&small.sharpened(), factor as f32));
    }
    found
}

fn look(grey: &Grey, scale: f32) -> Vec<FoundCode> {
    let hints = |format| DecodeHints {
        PossibleFormats: Some(HashSet::from([format])),
        TryHarder: Some(true),
        ..DecodeHints::default()
    };
    let Ok(source) = Luma8LuminanceSource::new(grey.levels.clone(), grey.width as u32, grey.height as u32)
    else {
        return Vec::new();
    };
    let mut bitmap = BinaryBitmap::new(HybridBinarizer::new(source));
    let mut results: Vec<RXingResult> = Vec::new();
    // The QR reader finds several codes in one call, the Data Matrix reader only one.
    let qr =
        guarded(|| QrReader.decode_multiple_with_hints(&mut bitmap, &hints(BarcodeFormat::QR_CODE)).ok());
    results.extend(qr.into_iter().flatten());
    results.extend(guarded(|| {
        DataMatrixReader.decode_with_hints(&mut bitmap, &hints(BarcodeFormat::DATA_MATRIX)).ok()
    }));
    results.iter().filter_map(|result| code(result, scale)).collect()
}

fn code(result: &RXingResult, scale: f32) -> Option<FoundCode> {
    let (symbology, text, is_gs1) = decoded(result)?;
    let points: Vec<[f32; 2]> =
        result.getPoints().iter().map(|point| [point.x * scale, point.y * scale]).collect();
    let corners = around(<[[f32; 2]; 4]>::try_from(points).ok()?);
    Some(FoundCode { symbology, text, is_gs1, corners })
}

/// The corners in order around the code, starting with the first one: the readers order them differently.
fn around(mut corners: [[f32; 2]; 4]) -> [[f32; 2]; 4] {
    // Compared as bits, so that exactly the same corner is found again.
    let bits = |corner: [f32; 2]| corner.map(f32::to_bits);
    let first = bits(corners[0]);
    let middle = [0, 1].map(|axis| corners.iter().map(|corner| corner[axis]).sum::<f32>() / 4.0);
    let angle = |[x, y]: [f32; 2]| (y - middle[1]).atan2(x - middle[0]);
    corners.sort_by(|&one, &other| angle(one).total_cmp(&angle(other)));
    let start = corners.iter().position(|&corner| bits(corner) == first).unwrap_or_default();
    corners.rotate_left(start);
    corners
}
