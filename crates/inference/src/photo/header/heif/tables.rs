//! The tables of a HEIC file: its items, the locations of their bytes, and their properties.

use super::{Boxes, ById, Cursor, Problem};

/// Maximum number of items: pictures, tiles and metadata. A photograph of 48 megapixels has about 200.
const MAX_ITEMS: usize = 4096;
/// Maximum number of extents, the pieces that items are stored in. Encoders write one for each item.
const MAX_EXTENTS: usize = 16_384;
/// Maximum number of properties: sizes, configurations, rotations. Encoders write about ten.
const MAX_PROPERTIES: usize = 4096;
/// Maximum number of associations between items and properties.
const MAX_ASSOCIATIONS: usize = 65_536;
/// Maximum number of references between items.
const MAX_REFERENCES: usize = 16_384;
/// Maximum number of EXIF and XMP blocks. The decoder reads all references for each.
const MAX_METADATA_ITEMS: usize = 16;
/// Size of the largest table. In a photograph of 48 megapixels it has about 10 KB.
const MAX_TABLE_BYTES: usize = 1024 * 1024;

#[derive(Default)]
pub(super) struct Tables<'a> {
    pub(super) primary: Option<u32>,
    kinds: ById<[u8; 4]>,
    /// Sum of the extent lengths of each item.
    lengths: ById<u64>,
    n_extents: usize,
    properties: Vec<([u8; 4], &'a [u8])>,
    /// Property indices of each item, counted from 1.
    associations: ById<Vec<usize>>,
    n_associations: usize,
    /// The items that an item is derived from.
    sources: ById<Vec<u32>>,
    /// Items that describe another one, such as its transparency.
    auxiliaries: Vec<u32>,
    n_references: usize,
}

impl<'a> Tables<'a> {
    /// Reads the body of a `meta` box.
    pub(super) fn read(&mut self, body: &'a [u8]) -> Result<(), Problem> {
        let mut body = Cursor::new(body);
        body.take(4)?;
        let mut boxes = Boxes(body);
        while let Some((kind, body)) = boxes.next()? {
            let is_table = matches!(&kind, b"iinf" | b"iloc" | b"iref");
            // Checked before reading: each few bytes of it would become an entry of a map.
            if is_table && body.len() > MAX_TABLE_BYTES {
                return Err(Problem::Wrong("one of its tables is larger than 1 MiB"));
            }
            match &kind {
                b"pitm" => self.read_primary(body)?,
                b"iinf" => self.read_items(body)?,
                b"iloc" => self.read_locations(body)?,
                b"iprp" => self.read_properties(body)?,
                b"iref" => self.read_references(body)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn read_primary(&mut self, body: &[u8]) -> Result<(), Problem> {
        let mut body = Cursor::new(body);
        let version = version(&mut body)?;
        self.primary = Some(id(&mut body, version > 0)?);
        Ok(())
    }

    fn read_items(&mut self, body: &[u8]) -> Result<(), Problem> {
        let mut body = Cursor::new(body);
        let version_of_list = version(&mut body)?;
        id(&mut body, version_of_list > 0)?;
        let mut entries = Boxes(body);
        while let Some((kind, entry)) = entries.next()? {
            let mut entry = Cursor::new(entry);
            if kind != *b"infe" {
                continue;
            }
            let version = version(&mut entry)?;
            // Older entries have no kind, so they cannot be decoded.
            if version < 2 {
                continue;
            }
            let id = id(&mut entry, version > 2)?;
            entry.take(2)?;
            self.kinds.insert(id, entry.kind()?);
            count(self.kinds.len(), MAX_ITEMS)?;
        }
        Ok(())
    }

    fn read_locations(&mut self, body: &[u8]) -> Result<(), Problem> {
        let mut body = Cursor::new(body);
        let version = version(&mut body)?;
        let (sizes, more_sizes) = (body.u8()?, body.u8()?);
        let (offset_size, length_size, base_size) = (sizes >> 4, sizes & 15, more_sizes >> 4);
        let index_size = if version == 1 || version == 2 { more_sizes & 15 } else { 0 };
        if [offset_size, length_size, base_size, index_size].iter().any(|&size| size > 8) {
            return Err(Problem::Wrong("its table of places states numbers of more than 64 bits"));
        }
        let n_items = if version < 2 { u32::from(body.u16_be()?) } else { body.u32_be()? };
        count(n_items as usize, MAX_ITEMS)?;
        for _ in 0..n_items {
            let id = id(&mut body, version >= 2)?;
            body.take(if version == 1 || version == 2 { 4 } else { 2 })?;
            body.sized_be(base_size)?;
            // Counted over all items, before the loop: each of 4,096 items may claim 65,535 extents.
            let n_extents = body.u16_be()?;
            self.n_extents += usize::from(n_extents);
            count(self.n_extents, MAX_EXTENTS)?;
            let mut length = 0_u64;
            for _ in 0..n_extents {
                body.sized_be(index_size)?;
                body.sized_be(offset_size)?;
                length = length.saturating_add(body.sized_be(length_size)?);
            }
            let all = self.lengths.entry(id).or_default();
            *all = all.saturating_add(length);
        }
        Ok(())
    }

    fn read_properties(&mut self, body: &'a [u8]) -> Result<(), Problem> {
        let mut boxes = Boxes(Cursor::new(body));
        while let Some((kind, body)) = boxes.next()? {
            if kind == *b"ipco" {
                let mut properties = Boxes(Cursor::new(body));
                while let Some(property) = properties.next()? {
                    self.properties.push(property);
                    count(self.properties.len(), MAX_PROPERTIES)?;
                }
            } else if kind == *b"ipma" {
                self.read_associations(body)?;
            }
        }
        Ok(())
    }

    fn read_associations(&mut self, body: &[u8]) -> Result<(), Problem> {
        let mut body = Cursor::new(body);
        let version = body.u8()?;
        let flags = body.take(3)?;
        let is_wide = flags[2] & 1 == 1;
        let n_entries = body.u32_be()?;
        count(n_entries as usize, MAX_ITEMS)?;
        for _ in 0..n_entries {
            let id = id(&mut body, version >= 1)?;
            let n_properties = body.u8()?;
            self.n_associations += usize::from(n_properties);
            count(self.n_associations, MAX_ASSOCIATIONS)?;
            // At most 255, so allocating by the value in the file is safe.
            let mut indices = Vec::with_capacity(usize::from(n_properties));
            for _ in 0..n_properties {
                // The highest bit states whether a reader must understand the property.
                indices.push(usize::from(if is_wide {
                    body.u16_be()? & 0x7FFF
                } else {
                    u16::from(body.u8()? & 0x7F)
                }));
            }
            self.associations.insert(id, indices);
        }
        Ok(())
    }

    fn read_references(&mut self, body: &[u8]) -> Result<(), Problem> {
        let mut body = Cursor::new(body);
        let is_wide = version(&mut body)? > 0;
        let mut boxes = Boxes(body);
        while let Some((kind, body)) = boxes.next()? {
            let mut body = Cursor::new(body);
            while !body.rest().is_empty() {
                let from = id(&mut body, is_wide)?;
                let n_targets = body.u16_be()?;
                self.n_references += 1 + usize::from(n_targets);
                count(self.n_references, MAX_REFERENCES)?;
                let targets =
                    (0..n_targets).map(|_| id(&mut body, is_wide)).collect::<Result<Vec<u32>, _>>()?;
                match &kind {
                    // Derived or predicted from: decoding one item decodes these as well.
                    b"dimg" | b"pred" => self.sources.entry(from).or_default().extend(targets),
                    b"auxl" => self.auxiliaries.push(from),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Checks that concern all tables together.
    pub(super) fn check(&self, size_bytes: u64) -> Result<(), Problem> {
        let named = self.lengths.values().fold(0_u64, |sum, &length| sum.saturating_add(length));
        // Overlapping items are read once for each reference.
        if named > size_bytes {
            return Err(Problem::Wrong("its items are together longer than the file"));
        }
        let n_metadata = self.kinds.values().filter(|kind| matches!(*kind, b"Exif" | b"mime")).count();
        count(n_metadata, MAX_METADATA_ITEMS)
    }

    /// Total length of an item's extents, in bytes.
    pub(super) fn data_bytes(&self, id: u32) -> u64 {
        self.lengths.get(&id).copied().unwrap_or_default()
    }

    /// Whether an item is HEVC data, not derived from other items.
    pub(super) fn is_coded(&self, id: u32) -> bool {
        self.kinds.get(&id).is_some_and(|kind| matches!(kind, b"hvc1" | b"hev1"))
    }

    pub(super) fn configuration_bytes(&self, id: u32) -> u64 {
        self.properties_of(id).filter(|(kind, _)| kind == b"hvcC").map(|(_, body)| body.len() as u64).sum()
    }

    /// Width and height of an item, before rotation.
    pub(super) fn size(&self, id: u32) -> Option<(u64, u64)> {
        let (_, body) = self.properties_of(id).find(|(kind, _)| kind == b"ispe")?;
        let mut body = Cursor::seek(body, 4);
        Some((u64::from(body.u32_be().ok()?), u64::from(body.u32_be().ok()?)))
    }

    /// Whether the decoder makes a second copy of the item: cropped, rotated or mirrored.
    pub(super) fn is_turned(&self, id: u32) -> bool {
        self.properties_of(id).any(|(kind, _)| matches!(kind, b"irot" | b"imir" | b"clap"))
    }

    /// The items that an item is derived from.
    pub(super) fn sources(&self, id: u32) -> &[u32] {
        self.sources.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Items that are the transparency of another.
    pub(super) fn alpha_pictures(&self) -> impl Iterator<Item = u32> {
        let is_alpha = |id: u32| {
            let mut descriptions = self.properties_of(id).filter(|(kind, _)| kind == b"auxC");
            descriptions.any(|(_, body)| {
                let name = body.get(4..).unwrap_or_default().split(|&byte| byte == 0).next();
                name.is_some_and(|name| name.ends_with(b":alpha") || name.ends_with(b":auxid:1"))
            })
        };
        self.auxiliaries.iter().copied().filter(move |&id| is_alpha(id))
    }

    fn properties_of(&self, id: u32) -> impl Iterator<Item = &([u8; 4], &'a [u8])> {
        let indices = self.associations.get(&id).into_iter().flatten();
        indices.filter_map(|index| self.properties.get(index.checked_sub(1)?))
    }
}

fn version(body: &mut Cursor<'_>) -> Result<u8, Problem> {
    Ok(body.take(4)?[0])
}

fn id(body: &mut Cursor<'_>, is_wide: bool) -> Result<u32, Problem> {
    if is_wide { body.u32_be() } else { Ok(u32::from(body.u16_be()?)) }
}

fn count(found: usize, limit: usize) -> Result<(), Problem> {
    if found > limit {
        Err(Problem::Wrong("its tables have more entries than any photograph needs"))
    } else {
        Ok(())
    }
}
