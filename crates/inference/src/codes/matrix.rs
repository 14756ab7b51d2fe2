//! Matrix codes, anywhere in the picture.

use std::collections::HashSet;

use rxing::common::HybridBinarizer;
use rxing::datamatrix::DataMatrixReader;
use rxing::multi::MultipleBarcodeReader;
use rxing::qrcode::cpp_port::QrReader;
use rxing::{BarcodeFormat, BinaryBitmap, DecodeHints, Luma8LuminanceSource, RXingResult, Reader};

use super::grey::Grey;
use super::{FoundCode, decoded, guarded};

/// Pixels of the longer side at each look, at most. Each size is looked at as it is and sharpened: of codes that were turned
/// and blurred, the sharpened one finds half as many again.
const LOOKS: [usize; 3] = [1600, 800, 400];

/// Pixels of the shorter side below which no look is taken: the smallest code has eight rows of modules.
const LEAST: usize = 8;

/// The matrix codes of a picture.
pub(super) fn find(grey: &Grey) -> Vec<FoundCode> {
    let mut found = Vec::new();
    let mut last = 0;
    for longest in LOOKS {
        let factor = grey.factor_to(longest);
        // A small picture is shrunk by 1 at several of the sizes; looking again would find the same.
        if factor == last {
            continue;
        }
        last = factor;
        // Of a picture that is very long and thin nothing would be left.
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
    // Several QR codes are found in one look; the reader of Data Matrix knows one only.
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

/// The corners one after the other around the code, from the first of them on: the readers order them differently.
fn around(mut corners: [[f32; 2]; 4]) -> [[f32; 2]; 4] {
    // As bits: it is looked for again, and no other may pass for it.
    let bits = |corner: [f32; 2]| corner.map(f32::to_bits);
    let first = bits(corners[0]);
    let middle = [0, 1].map(|axis| corners.iter().map(|corner| corner[axis]).sum::<f32>() / 4.0);
    let angle = |[x, y]: [f32; 2]| (y - middle[1]).atan2(x - middle[0]);
    corners.sort_by(|&one, &other| angle(one).total_cmp(&angle(other)));
    let start = corners.iter().position(|&corner| bits(corner) == first).unwrap_or_default();
    corners.rotate_left(start);
    corners
}
