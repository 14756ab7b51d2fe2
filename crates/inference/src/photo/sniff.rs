//! Detects a picture's format by its first bytes.

use super::{PhotoError, PhotoFormat};
use crate::Result;

/// The format of a file's content.
///
/// # Errors
/// [`PhotoError::UnsupportedFormat`] for a picture that is recognised but not supported, [`PhotoError::NotAnImage`]
/// for anything else.
pub(super) fn format(bytes: &[u8]) -> Result<PhotoFormat, PhotoError> {
    let begins = |magic: &[u8]| bytes.starts_with(magic);
    let tag = |at: usize| bytes.get(at..at + 4);
    let format = if begins(b"\xFF\xD8\xFF") {
        PhotoFormat::Jpeg
    } else if begins(b"\x89PNG\r\n\x1A\n") {
        PhotoFormat::Png
    } else if begins(b"RIFF") && tag(8) == Some(b"WEBP") {
        PhotoFormat::WebP
    } else if begins(b"GIF87a") || begins(b"GIF89a") {
        PhotoFormat::Gif
    } else if begins(b"II\x2A\0") || begins(b"MM\0\x2A") {
        PhotoFormat::Tiff
    } else if begins(b"BM") && bytes.get(6..10) == Some(&[0; 4]) {
        // The two letters alone would match any text that starts with "BM"; the reserved field is always zero.
        PhotoFormat::Bmp
    } else if tag(4) == Some(b"ftyp") {
        return iso_media(bytes);
    } else {
        return Err(unread(bytes));
    };
    Ok(format)
}

/// HEIC and related formats share one container and differ in their brands (ISO 14496-12, 4.3).
fn iso_media(bytes: &[u8]) -> Result<PhotoFormat, PhotoError> {
    let declared =
        bytes.get(..4).map_or(0, |size| size.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte)));
    // The length in the box is not trusted: 256 bytes hold about sixty brands.
    let end = declared.clamp(16, 256).min(bytes.len());
    let brands = || bytes[8..end.max(8)].chunks_exact(4);
    let any = |wanted: &[&[u8]]| brands().any(|brand| wanted.contains(&brand));
    // Checked first, because AVIF lists the general brand `mif1` too.
    if any(&[b"avif", b"avis"]) {
        Err(PhotoError::UnsupportedFormat { format: "AVIF" })
    } else if any(&[b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"]) {
        Ok(PhotoFormat::Heic)
    } else if any(&[b"crx "]) {
        Err(PhotoError::UnsupportedFormat { format: "camera raw" })
    } else {
        Err(PhotoError::UnsupportedFormat { format: "video" })
    }
}

fn unread(bytes: &[u8]) -> PhotoError {
    const KNOWN: [(&[u8], &str); 9] = [
        (b"\0\0\0\x0CJXL ", "JPEG XL"),
        (b"\xFF\x0A", "JPEG XL"),
        (b"\0\0\0\x0CjP  ", "JPEG 2000"),
        (b"%PDF-", "PDF"),
        (b"8BPS", "Photoshop"),
        (b"<svg", "SVG"),
        (b"\0\0\x01\0", "icon"),
        (b"qoif", "QOI"),
        (b"FUJIFILMCCD-RAW", "camera raw"),
    ];
    KNOWN
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic))
        .map_or(PhotoError::NotAnImage, |(_, format)| PhotoError::UnsupportedFormat { format })
}
