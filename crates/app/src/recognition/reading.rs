//! Reads text, barcodes and matrix codes on photographs.

use std::sync::Arc;

use partsight_domain::{CodeSymbology, PartCode, ReadLine, has_telling_brand, is_stacked_brand};
use partsight_inference::{
    FoundCode, KnownTexts, OnnxRuntime, Photo, Reader, Symbology, TextLine, find_codes,
};

use crate::with_causes;
use crate::{Error, Result, Settings};

/// Loads the networks that read text: those of the setting `reading_dir`, or the embedded ones.
///
/// Reading is optional: if this fails, callers continue without it and report that.
///
/// # Errors
/// [`Error::Reading`], naming the file that is missing or does not match its manifest.
pub fn open_reader(settings: &Settings) -> Result<Reader> {
    let open = || {
        let runtime = OnnxRuntime::load(settings.model.onnxruntime.as_deref())?;
        match &settings.model.reading_dir {
            Some(folder) => Reader::open(&runtime, folder),
            None => Reader::embedded(&runtime),
        }
    };
    open().map_err(Error::Reading)
}

/// What was read on one photograph.
#[derive(Debug, Clone, PartialEq)]
pub struct PhotoReading {
    /// Codes, in the order in which they were found.
    pub codes: Vec<FoundCode>,
    /// Lines of text, from the top.
    pub lines: Vec<TextLine>,
}

/// Reads photographs: codes always, text if there are networks for it. Cheap to clone.
#[derive(Clone)]
pub(crate) struct PhotoReader {
    text: Option<Arc<Reader>>,
}

impl PhotoReader {
    /// One for text and codes.
    pub(super) fn of_text(reader: Reader) -> Self {
        Self { text: Some(Arc::new(reader)) }
    }

    /// One for codes alone.
    pub(super) fn of_codes() -> Self {
        Self { text: None }
    }

    /// The text and codes on a photograph; `None` if reading fails, which does not affect the answer.
    pub(super) fn read(&self, photo: &Photo) -> Option<PhotoReading> {
        let lines = match &self.text {
            Some(reader) => text_on(photo, reader)?,
            None => Vec::new(),
        };
        Some(PhotoReading { codes: codes_on(photo), lines })
    }

    /// The same as lines of photograph `number` (from 0) of a scan: codes first, since they are more reliable.
    pub(super) fn read_lines(&self, photo: &Photo, number: usize) -> Option<Vec<ReadLine>> {
        let PhotoReading { codes, lines } = self.read(photo)?;
        let codes = codes.iter().filter_map(|code| code_line(code, photo, number));
        let lines = lines
            .into_iter()
            .map(|line| ReadLine::new(line.text, line.confidence, number, shares(line.corners, photo)));
        Some(codes.chain(lines).collect())
    }
}

fn text_on(photo: &Photo, reader: &Reader) -> Option<Vec<TextLine>> {
    let known = KnownTexts { is_known: &has_telling_brand, is_one: &is_stacked_brand };
    let read = tracing::debug_span!("read").in_scope(|| reader.read_known(photo, &known));
    read.inspect_err(
        |error| tracing::warn!(error = %with_causes(error), "the text on a photograph was not read"),
    )
    .ok()
}

fn codes_on(photo: &Photo) -> Vec<FoundCode> {
    tracing::debug_span!("codes").in_scope(|| find_codes(photo))
}

fn code_line(code: &FoundCode, photo: &Photo, number: usize) -> Option<ReadLine> {
    let corners = shares(code.corners, photo);
    let (code, text) = part_code(code)?;
    Some(ReadLine::of_code(code, text, number, corners))
}

/// A code in the domain's form, with its text for display; `None` for one without any text.
pub fn part_code(code: &FoundCode) -> Option<(PartCode, String)> {
    let symbology = match code.symbology {
        Symbology::Ean13 => CodeSymbology::Ean13,
        Symbology::Ean8 => CodeSymbology::Ean8,
        Symbology::UpcA => CodeSymbology::UpcA,
        Symbology::UpcE => CodeSymbology::UpcE,
        Symbology::Code39 => CodeSymbology::Code39,
        Symbology::Code128 => CodeSymbology::Code128,
        Symbology::Itf => CodeSymbology::Itf,
        Symbology::QrCode => CodeSymbology::QrCode,
        Symbology::DataMatrix => CodeSymbology::DataMatrix,
        _ => return None,
    };
    PartCode::new(symbology, code.is_gs1, &code.text)
}

fn shares(corners: [[f32; 2]; 4], photo: &Photo) -> [[f32; 2]; 4] {
    let (width, height) = (photo.width() as f32, photo.height() as f32);
    corners.map(|[x, y]| [x / width, y / height])
}
