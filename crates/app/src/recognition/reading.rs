//! What is read on photographs: text, and barcodes and matrix codes.

use std::sync::Arc;

use partsight_domain::{CodeSymbology, PartCode, ReadLine, has_telling_brand, is_stacked_brand};
use partsight_inference::{
    FoundCode, KnownTexts, OnnxRuntime, Photo, Reader, Symbology, TextLine, find_codes,
};

use crate::with_causes;
use crate::{Error, Result, Settings};

/// Opens the networks that read the text on photographs: those of the setting `reading_dir`, or the embedded ones.
///
/// Reading is an extra: whoever asks for it goes on without it where this fails, and says so.
///
/// # Errors
/// [`Error::Reading`], which names the file that is missing or is not the one that its manifest describes.
pub fn open_reader(settings: &Settings) -> Result<Reader> {
    let open = || {
        let runtime = OnnxRuntime::load(settings.model.onnxruntime.as_deref())?;
        match &settings.model.reading_dir {
            Some(folder) => Reader::open(&runtime, folder),
            None => Reader::embedded(&runtime),
        }
    };
    open().map_err(|source| Error::Reading { source })
}

/// What was read on one photograph.
#[derive(Debug, Clone, PartialEq)]
pub struct PhotoReading {
    /// Codes, in the order in which they were found.
    pub codes: Vec<FoundCode>,
    /// Lines of text, from the top.
    pub lines: Vec<TextLine>,
}

/// Reads photographs: codes always, text where there are networks for it. Cheap to clone.
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

    /// What is on a photograph; `None` where reading fails, which costs no answer.
    pub(super) fn read(&self, photo: &Photo) -> Option<PhotoReading> {
        let lines = match &self.text {
            Some(reader) => text_on(photo, reader)?,
            None => Vec::new(),
        };
        Some(PhotoReading { codes: codes_on(photo), lines })
    }

    /// The same as lines of a scan's photograph, the `number`th from 0: codes first, for they are surer.
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

/// A code as the domain knows it, with its text for people; `None` for one without anything to show.
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
