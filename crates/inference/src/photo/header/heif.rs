//! HEIC: the boxes of the container (ISO 14496-12, ISO 23008-12), checked before its decoder sees them.
//!
//! The decoder copies the data that the tables refer to, as often as they refer to it. So the size of every table
//! is bounded here, and the data that they refer to must in total be no longer than the file.

mod tables;

use std::collections::{BTreeMap, BTreeSet};

use super::{Claims, Problem, bytes::Cursor};
use tables::Tables;

/// Longest chain of derived images.
const MAX_CHAIN: usize = 32;

/// Total size of the decoder configurations of all tiles. One has about 120 bytes, and each tile has its own copy.
const MAX_CONFIGURATION_BYTES: u64 = 4 * 1024 * 1024;

/// Blocks that match their prediction take almost no bits: a white picture of 48 megapixels by libheif has 1,660
/// pixels per byte.
const MOST_PIXELS_PER_BYTE: u64 = 16_384;

pub(super) fn read(bytes: &[u8]) -> Result<Claims, Problem> {
    let mut tables = Tables::default();
    let (mut has_meta, mut is_sequence) = (false, false);
    let mut file = Boxes(Cursor::new(bytes));
    while let Some((kind, body)) = file.next()? {
        match &kind {
            // With two of them, the decoder could read the other one.
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

/// Follows the pictures that will be decoded, and adds up their memory.
fn claims(tables: &Tables<'_>, size_bytes: u64) -> Result<Claims, Problem> {
    let primary = tables.primary.ok_or(Problem::Wrong("it names no picture"))?;
    let mut cost = Cost::default();
    cost.add_picture(tables, primary)?;
    // The decoder decodes the transparency too, although it is discarded.
    for alpha in tables.alpha_pictures() {
        cost.add_picture(tables, alpha)?;
    }
    // The decoder copies the data for each use: a tile that is used a thousand times needs a thousand times its
    // bytes.
    if cost.data_bytes > size_bytes || cost.configuration_bytes > MAX_CONFIGURATION_BYTES {
        return Err(Problem::Wrong("its tiles use the same bytes again and again"));
    }
    let (width, height) = tables.size(primary).ok_or(Problem::Wrong("it does not state its size"))?;
    let pixels = width.saturating_mul(height).max(1);
    // A sample takes four bytes, and there are 1.5 samples per pixel: for all tiles, for the assembled picture, and
    // once more if it is rotated. The flags of the tiles in progress are added.
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
    /// Adds a picture with all its sources; a tile counts as often as it is used.
    fn add_picture(&mut self, tables: &Tables<'_>, picture: u32) -> Result<(), Problem> {
        // Breadth-first and without recursion, so that a long chain cannot overflow the stack.
        let mut level = vec![picture];
        let mut seen = BTreeSet::new();
        for _ in 0..MAX_CHAIN {
            let mut next = Vec::new();
            for id in level {
                self.add_item(tables, id);
                // The sources of an item were already added; following them again could double the work at each
                // level.
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

/// The kind and the body of a box.
type KindAndBody<'a> = ([u8; 4], &'a [u8]);

/// Consecutive boxes; a size of 0 means up to the end, a size of 1 is followed by a 64-bit size.
struct Boxes<'a>(Cursor<'a>);

impl<'a> Boxes<'a> {
    /// The next box and its body; `None` at the end, since a box has at least eight bytes.
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
