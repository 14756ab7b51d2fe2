//! JPEG (ITU-T T.81): the frame header, and all scans after it.

use super::{Claims, Problem, bytes::Cursor};

/// Maximum number of samples processed by all scans together. A photograph of 64 megapixels, progressive in the
/// usual ten scans and without chroma subsampling, has 14 times 64 million; at a measured 1.7 ns each, the limit
/// takes the two seconds that a photograph may take.
const MAX_SCANNED_SAMPLES: u64 = 1_000_000_000;

/// Maximum number of scans in a file. Encoders write about ten.
const MAX_SCANS: u64 = 64;

/// Every block of 64 pixels takes at least one bit, in the first scan.
const MOST_PIXELS_A_BYTE: u64 = 512;

const END: u8 = 0xD9;
const START_OF_SCAN: u8 = 0xDA;

pub(super) fn read(bytes: &[u8]) -> Result<Claims, Problem> {
    let mut walk = Segments { rest: bytes.get(2..).unwrap_or_default() };
    let mut frame: Option<Frame> = None;
    let (mut n_scans, mut scanned_shares) = (0, 0);
    loop {
        let (marker, body) = walk.next()?;
        match (marker, &frame) {
            (END, _) if n_scans > 0 => break,
            // Start of frame, of every kind. The three excluded markers are tables and a reserved one.
            (0xC0..=0xCF, None) if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                frame = Some(Frame::read(marker, body)?);
            }
            (START_OF_SCAN, Some(frame)) => {
                // The decoder reads these wrongly, without an error.
                if frame.is_split_by(body) {
                    return Err(Problem::Unsupported("non-interleaved JPEG"));
                }
                n_scans += 1;
                scanned_shares += frame.shares_of_scan(body);
            }
            (START_OF_SCAN, None) => return Err(Problem::Wrong("no frame header")),
            _ => {}
        }
    }
    let frame = frame.ok_or(Problem::Wrong("no frame header"))?;
    let pixels = frame.width * frame.height;
    // The output, a copy of it for the rotation, and with several scans the coefficients at two bytes each.
    let coefficients = (2 * frame.shares()).div_ceil(frame.full_share);
    let has_coefficients = frame.is_progressive || n_scans > 1;
    Ok(Claims {
        width: frame.width,
        height: frame.height,
        bytes_per_pixel: 6 + if has_coefficients { coefficients } else { 0 },
        most_pixels: bytes.len() as u64 * MOST_PIXELS_A_BYTE,
        has_too_many_scans: n_scans > MAX_SCANS
            || pixels * scanned_shares / frame.full_share > MAX_SCANNED_SAMPLES,
        ..Claims::default()
    })
}

/// Iterates over the segments, skipping the data of scans.
///
/// A truncated file that was closed with an end marker is accepted: decoded at full size, its missing blocks are flat
/// grey. The decoder for reduced sizes refuses it.
struct Segments<'a> {
    rest: &'a [u8],
}

impl<'a> Segments<'a> {
    /// The next marker and its segment; [`Problem::EndsEarly`] if no end marker follows the last scan (B.1.1).
    fn next(&mut self) -> Result<(u8, &'a [u8]), Problem> {
        loop {
            // Skipping the scan data takes most of the time of the check, hence the vectorised search.
            let at = memchr::memchr(0xFF, self.rest).ok_or(Problem::EndsEarly)?;
            let marker = *self.rest.get(at + 1).ok_or(Problem::EndsEarly)?;
            match marker {
                0xFF => self.rest = &self.rest[at + 1..],
                // Inside a scan 0xFF 0x00 is data, and 0xD0 to 0xD7 only separate restart intervals.
                0x00 | 0x01 | 0xD0..=0xD7 => self.rest = &self.rest[at + 2..],
                END => {
                    self.rest = &self.rest[at + 2..];
                    return Ok((END, &[]));
                }
                _ => {
                    let mut body = Cursor::seek(self.rest, at as u64 + 2);
                    let length = u64::from(body.u16_be()?);
                    let segment = Cursor::seek(self.rest, at as u64 + 2).take(length)?;
                    self.rest = &self.rest[at + 2 + segment.len()..];
                    return Ok((marker, segment.get(2..).unwrap_or_default()));
                }
            }
        }
    }
}

/// Start of frame (B.2.2).
struct Frame {
    width: u64,
    height: u64,
    is_progressive: bool,
    /// Id, and number of blocks in one group (MCU), of each component.
    components: Vec<(u8, u64)>,
    /// Number of blocks of a component that has a sample for every pixel.
    full_share: u64,
}

impl Frame {
    fn read(marker: u8, body: &[u8]) -> Result<Self, Problem> {
        let mut body = Cursor::new(body);
        body.u8()?;
        let (height, width) = (u64::from(body.u16_be()?), u64::from(body.u16_be()?));
        if height == 0 {
            // The height may follow the first scan (a DNL marker), but then no limit could be checked before
            // decoding.
            return Err(Problem::Wrong("the header leaves the height open"));
        }
        let n_components = body.u8()?;
        if n_components == 0 || n_components > 4 {
            return Err(Problem::Wrong("the header states no usual number of colours"));
        }
        let (mut components, mut widest, mut tallest) = (Vec::new(), 1, 1);
        for _ in 0..n_components {
            let (id, sampling, _table) = (body.u8()?, body.u8()?, body.u8()?);
            let (horizontal, vertical) = (u64::from(sampling >> 4), u64::from(sampling & 15));
            if !(1..=4).contains(&horizontal) || !(1..=4).contains(&vertical) {
                return Err(Problem::Wrong("the header states an impossible sampling"));
            }
            (widest, tallest) = (horizontal.max(widest), vertical.max(tallest));
            components.push((id, horizontal * vertical));
        }
        // The decoder expects that the first component has a sample for every pixel, as all encoders write it.
        if components[0].1 < widest * tallest {
            return Err(Problem::Unsupported("JPEG with reduced brightness"));
        }
        let is_progressive = matches!(marker, 0xC2 | 0xC6 | 0xCA | 0xCE);
        Ok(Self { width, height, is_progressive, components, full_share: widest * tallest })
    }

    fn shares(&self) -> u64 {
        self.components.iter().map(|(_, share)| share).sum()
    }

    /// Whether a sequential scan has only some of the components, and they are not all of one size.
    fn is_split_by(&self, scan: &[u8]) -> bool {
        !self.is_progressive && self.full_share > 1 && n_selected(scan) < self.components.len()
    }

    /// Number of blocks per group in a scan (B.2.3).
    fn shares_of_scan(&self, body: &[u8]) -> u64 {
        let n_selected = n_selected(body);
        let selected = body.get(1..).unwrap_or_default().chunks(2).take(n_selected);
        let share = |id: u8| self.components.iter().find(|component| component.0 == id).map_or(0, |c| c.1);
        selected.map(|selector| share(selector[0])).sum()
    }
}

/// Number of components in a scan, by its header.
fn n_selected(scan: &[u8]) -> usize {
    scan.first().map_or(0, |&count| usize::from(count.min(4)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file without pixels: a frame with these samplings, and scans of so many components.
    fn file(frame: u8, samplings: &[u8], scans: &[u8]) -> Vec<u8> {
        let mut file = vec![0xFF, 0xD8];
        let mut segment = |marker: u8, body: &[u8]| {
            file.extend([0xFF, marker]);
            file.extend((body.len() as u16 + 2).to_be_bytes());
            file.extend(body);
        };
        let mut body = vec![8, 0, 16, 0, 16, samplings.len() as u8];
        body.extend((1..).zip(samplings).flat_map(|(id, &sampling)| [id, sampling, 0]));
        segment(frame, &body);
        for &n_components in scans {
            let mut body = vec![n_components];
            body.extend((1..=n_components).flat_map(|id| [id, 0]));
            body.extend([0, 63, 0]);
            segment(START_OF_SCAN, &body);
        }
        file.extend([0xFF, END]);
        file
    }

    #[test]
    fn what_the_decoder_would_read_wrongly_is_refused() {
        const SEQUENTIAL: u8 = 0xC0;
        const PROGRESSIVE: u8 = 0xC2;
        let accepted: [(u8, &[u8], &[u8]); 5] = [
            (SEQUENTIAL, &[0x22, 0x11, 0x11], &[3]),
            (SEQUENTIAL, &[0x11, 0x11, 0x11], &[1, 1, 1]),
            (SEQUENTIAL, &[0x22], &[1]),
            (SEQUENTIAL, &[0x22, 0x11, 0x11, 0x22], &[4]),
            (PROGRESSIVE, &[0x22, 0x11, 0x11], &[3, 1, 1, 1]),
        ];
        for (frame, samplings, scans) in accepted {
            assert!(read(&file(frame, samplings, scans)).is_ok(), "{samplings:?} {scans:?}");
        }
        let refused: [(&[u8], &[u8], _); 3] = [
            (&[0x22, 0x11, 0x11], &[1, 1, 1], "non-interleaved JPEG"),
            (&[0x21, 0x11, 0x11], &[2, 1], "non-interleaved JPEG"),
            (&[0x11, 0x22, 0x11], &[3], "JPEG with reduced brightness"),
        ];
        for (samplings, scans, kind) in refused {
            let found = read(&file(SEQUENTIAL, samplings, scans)).err();
            assert_eq!(found, Some(Problem::Unsupported(kind)), "{samplings:?} {scans:?}");
        }
    }
}
