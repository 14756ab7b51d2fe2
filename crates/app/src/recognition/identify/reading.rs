//! A photograph that is only read, and not identified.

use std::time::Instant;

use partsight_domain::ReadLine;
use partsight_inference::{PhotoDecoder, PhotoHeader};

use super::Identifier;
use super::preparer::blame_for_loss;
use crate::Result;
use crate::recognition::photo_budget::Asker;
use crate::recognition::quarantine::PhotoHash;
use crate::recognition::reading::PhotoReader;

impl Identifier {
    /// The text and codes on a photograph that `asker` waits for. Codes are read even on a server that reads no text.
    ///
    /// # Errors
    /// Those of [`Identifier::identify`]; [`Error::PhotoWorkUsedUp`](crate::Error::PhotoWorkUsedUp).
    pub(crate) async fn read_photo(&self, asker: &Asker, bytes: Vec<u8>) -> Result<Vec<ReadLine>> {
        let start = Instant::now();
        let person = asker.person;
        let _place = self.places.take(person)?;
        let is_somebody_else_here = self.places.has_others_than(&person);
        let reader = self.reading.clone().unwrap_or_else(PhotoReader::of_codes);
        let (asker, quarantine) = (asker.clone(), self.quarantine.clone());
        let read = move |decoder: &PhotoDecoder| {
            let hash = PhotoHash::of(&bytes);
            quarantine.admit(&hash, start)?;
            let header = PhotoHeader::read(&bytes, decoder.limits())?;
            asker.charge(header.pixels(), is_somebody_else_here)?;
            let photo = decoder.decode(&bytes).map_err(Into::into);
            let photo = blame_for_loss(photo, hash, &quarantine)?;
            let lines = reader.read_lines(&photo, 0);
            // Networks that fail leave the codes.
            Ok(lines.or_else(|| PhotoReader::of_codes().read_lines(&photo, 0)).unwrap_or_default())
        };
        self.on_decoding_threads(person, read).await?
    }
}
