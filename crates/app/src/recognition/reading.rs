//! Where the networks that read text come from.

use partsight_domain::ReadLine;
use partsight_inference::{OnnxRuntime, Photo, Reader, TextLine};

use crate::error::with_causes;
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

/// The text on a photograph; `None` where reading fails, which costs no answer.
pub(super) fn text_on(photo: &Photo, reader: &Reader) -> Option<Vec<TextLine>> {
    let read = tracing::debug_span!("read").in_scope(|| reader.read(photo));
    read.inspect_err(
        |error| tracing::warn!(error = %with_causes(error), "the text on a photograph was not read"),
    )
    .ok()
}

/// A line of a scan's photograph, the `number`th from 0.
pub(super) fn read_line(line: TextLine, photo: &Photo, number: usize) -> ReadLine {
    let (width, height) = (photo.width() as f32, photo.height() as f32);
    ReadLine::new(line.text, line.confidence, number, line.corners.map(|[x, y]| [x / width, y / height]))
}
