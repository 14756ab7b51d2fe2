//! HEIC: the boxes of the container (ISO 14496-12, ISO 23008-12), counted before its decoder sees them.
//!
//! The decoder copies what the tables of the file name, however often they name it. So every table is bounded
//! here, and all that they name together is no longer than the file.

mod tables;

use std::collections::{BTreeMap, BTreeSet};

use super::{Claims, Problem, bytes::Cursor};
use tables::Tables;

/// Longest chain of images derived from one another.
const MAX_CHAIN: usize = 32;

/// Decoder configurations of all tiles together. One has about 120 bytes, and each tile gets its own copy.
const MAX_CONFIGURATION_BYTES: u64 = 4 * 1024 * 1024;

/// Blocks that are as predicted take next to no bits: libheif's white picture of 48 megapixels has 1,660 pixels
/// a byte.
const MOST_PIXELS_PER_BYTE: u64 = 16_384;

pub(super) fn read(bytes: &[u8]) -> Result<Claims, Problem> {
    let mut tables = Tables::default();
    let (mut has_meta, mut is_sequence) = (false, false);
    let mut file = Boxes(Cursor::new(bytes));
    while let Some((kind, body)) = file.next()? {
        match &kind {
            // Two of them could state two truths, of which the decoder would read the other.
            b"meta" if has_meta => return Err(Problem::Wrong("it has several lists of pictures")),
            b"meta" => {
                has_meta = true;
                tables.read(body)?;
            }
            b"moov" => is_sequence = true,
            _ => {}
        }
    }
    if !has_meta {
        let sequence = Problem::Unsupported("HEIF sequence");
        return Err(if is_sequence { sequence } else { Problem::EndsEarly });
    }
    tables.check(bytes.len() as u64)?;
    claims(&tables, bytes.len() as u64)
}

/// Follows the pictures that will be decoded, and adds up what they take.
fn claims(tables: &Tables<'_>, size_bytes: u64) -> Result<Claims, Problem> {
    let primary = tables.primary.ok_or(Problem::Wrong("it names no picture"))?;
    let mut cost = Cost::default();
    cost.add_picture(tables, primary)?;
    // The decoder decodes the transparency, too, although it is thrown away.
    for alpha in tables.alpha_pictures() {
        cost.add_picture(tables, alpha)?;
    }
    // The decoder copies the data of each use: a tile named a thousand times would take a thousand times its bytes.
    if cost.data_bytes > size_bytes || cost.configuration_bytes > MAX_CONFIGURATION_BYTES {
        return Err(Problem::Wrong("its tiles use the same bytes again and again"));
    }
    let (width, height) = tables.size(primary).ok_or(Problem::Wrong("it does not state its size"))?;
    let pixels = width.saturating_mul(height).max(1);
    // A sample takes four bytes, and there are one and a half samples a pixel: of all tiles, of the picture
    // they are put into, and once more where that is turned. Then come the flags of the tiles in work.
    let picture = if tables.is_turned(primary) { 12 } else { 6 };
    let tiles = cost.coded_pixels.saturating_mul(13).div_ceil(pixels.saturating_mul(2));
    Ok(Claims {
        width,
        height,
        bytes_per_pixel: tiles.min(100) + picture + 1,
        most_pixels: size_bytes * MOST_PIXELS_PER_BYTE,
        ..Claims::default()
    })
}

#[derive(Default)]
struct Cost {
    coded_pixels: u64,
    data_bytes: u64,
    configuration_bytes: u64,
}

impl Cost {
    /// One picture with all that it is made of, tiles as often as they are used.
    fn add_picture(&mut self, tables: &Tables<'_>, picture: u32) -> Result<(), Problem> {
        // Breadth first and without recursion, so that a long chain cannot exhaust the stack.
        let mut level = vec![picture];
        let mut seen = BTreeSet::new();
        for _ in 0..MAX_CHAIN {
            let mut next = Vec::new();
            for id in level {
                self.add_item(tables, id);
                // An item seen before leads to nothing new; going there again could double with each level.
                if seen.insert(id) {
                    next.extend_from_slice(tables.sources(id));
                }
            }
            if next.is_empty() {
                return Ok(());
            }
            level = next;
        }
        Err(Problem::Wrong("its pictures are made of one another without end"))
    }

    fn add_item(&mut self, tables: &Tables<'_>, id: u32) {
        self.data_bytes = self.data_bytes.saturating_add(tables.data_bytes(id));
        self.configuration_bytes = self.configuration_bytes.saturating_add(tables.configuration_bytes(id));
        if tables.is_coded(id) {
            let (width, height) = tables.size(id).unwrap_or_default();
            self.coded_pixels = self.coded_pixels.saturating_add(width.saturating_mul(height));
        }
    }
}

/// Of a box.
type KindAndBody<'a> = ([u8; 4], &'a [u8]);

/// Boxes one after the other; a size of zero goes to the end, one of 1 is followed by 64 bits.
struct Boxes<'a>(Cursor<'a>);

impl<'a> Boxes<'a> {
    /// The next box and its body; `None` at the end, as eight bytes are the least that a box takes.
    fn next(&mut self) -> Result<Option<KindAndBody<'a>>, Problem> {
        if self.0.rest().len() < 8 {
            return Ok(None);
        }
        let start = self.0.position();
        let size = u64::from(self.0.u32_be()?);
        let kind = self.0.kind()?;
        let size = match size {
            0 => return Ok(Some((kind, self.0.take(self.0.rest().len() as u64)?))),
            1 => self.0.sized_be(8)?,
            size => size,
        };
        let header = (self.0.position() - start) as u64;
        let body = size.checked_sub(header).ok_or(Problem::Wrong("a box is smaller than its header"))?;
        Ok(Some((kind, self.0.take(body)?)))
    }
}

type ById<T> = BTreeMap<u32, T>;
