//! Containers of HEIC, box by box (ISO/IEC 14496-12 and 23008-12). Mutated bytes of a file hardly ever keep the lengths
//! of its boxes right, so the boxes are written here, and the input decides what stands in them. An empty input gives a
//! file that decodes.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "kinds of boxes are byte strings, which are references"
)]

use partsight_inference::Photo;

use super::photo::LIMITS;

/// A picture of 150 by 100 pixels, drawn for the tests of `inference`: its decoder configuration and its samples.
const PICTURE: &[u8] = include_bytes!("../../../../crates/inference/tests/fixtures/single.heic");
/// Most of anything that is repeated, so that inputs stay small.
const MOST: usize = 40;

/// A container whose boxes the input describes.
pub(crate) fn heic(data: &[u8]) {
    let file = container(&mut Recipe(data));
    if let Ok(photo) = Photo::decode(&file, &LIMITS) {
        let pixels = u64::from(photo.width()) * u64::from(photo.height());
        assert!(pixels <= LIMITS.max_pixels, "{photo:?} is outside the limits");
        assert_eq!(photo.rgb().len() as u64, 3 * pixels, "{photo:?} has another number of bytes");
    }
}

/// Decisions, a byte or more each; zeros once the input is used up.
struct Recipe<'a>(&'a [u8]);

impl Recipe<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        byte
    }

    /// One of the values; the first unless the input says otherwise.
    fn one<T: Copy>(&mut self, values: &[T]) -> T {
        values[usize::from(self.byte()) % values.len()]
    }

    /// `usual`, or another number where the input says so.
    fn number(&mut self, usual: u32) -> u32 {
        match self.byte() {
            0..=199 => usual,
            200..=219 => u32::from(self.byte()),
            220..=229 => usual.wrapping_add(u32::from(self.byte())),
            230..=239 => usual.wrapping_sub(u32::from(self.byte())),
            240..=249 => u32::from_be_bytes(std::array::from_fn(|_| self.byte())),
            _ => u32::MAX,
        }
    }

    /// How often something stands there: once unless the input says otherwise.
    fn times(&mut self) -> usize {
        match self.byte() {
            0..=199 => 1,
            more => usize::from(more - 200) % MOST,
        }
    }
}

/// A box; its length is right unless the input says otherwise.
fn boxed(recipe: &mut Recipe<'_>, kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let usual = u32::try_from(body.len() + 8).unwrap_or(u32::MAX);
    let mut bytes = recipe.number(usual).to_be_bytes().to_vec();
    bytes.extend_from_slice(kind);
    bytes.extend_from_slice(body);
    bytes
}

/// A box with version and flags before its body.
fn full(recipe: &mut Recipe<'_>, kind: &[u8; 4], version: u8, body: &[u8]) -> Vec<u8> {
    boxed(recipe, kind, &[&[version, 0, 0, 0], body].concat())
}

fn container(recipe: &mut Recipe<'_>) -> Vec<u8> {
    let configuration = found(PICTURE, b"hvcC");
    let samples = found(PICTURE, b"mdat");
    let n_items = recipe.times().max(1);
    let start = boxed(recipe, b"ftyp", b"heic\0\0\0\0mif1heicmsf1hevc");
    let mut meta = full(recipe, b"hdlr", 0, b"\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0");
    let primary = recipe.number(1);
    meta.extend(full(recipe, b"pitm", 0, &(primary as u16).to_be_bytes()));
    meta.extend(information(recipe, n_items));
    // Where the samples begin follows from how long this box becomes: an offset of one round is put into the next.
    let decisions = recipe.0;
    let rest = |at: u32| {
        let mut recipe = Recipe(decisions);
        let mut boxes = locations(&mut recipe, n_items, at, samples.len() as u32);
        boxes.extend(properties(&mut recipe, n_items, configuration));
        boxes.extend(references(&mut recipe));
        let inside = recipe.times().saturating_sub(1);
        if inside > 0 {
            boxes.extend(boxed(&mut recipe, b"idat", &samples[..samples.len().min(inside * 16)]));
        }
        boxes
    };
    let at = start.len() + 12 + meta.len() + rest(0).len() + 8;
    meta.extend(rest(at as u32));
    let mut nothing = Recipe(&[]);
    [start, full(&mut nothing, b"meta", 0, &meta), boxed(&mut nothing, b"mdat", samples)].concat()
}

/// Which items there are (`iinf`).
fn information(recipe: &mut Recipe<'_>, n_items: usize) -> Vec<u8> {
    const KINDS: [&[u8; 4]; 8] = [b"hvc1", b"grid", b"iden", b"iovl", b"Exif", b"mime", b"av01", b"tmap"];
    let mut body = (recipe.number(n_items as u32) as u16).to_be_bytes().to_vec();
    for item in 1..=n_items {
        let id = recipe.number(item as u32) as u16;
        let kind = recipe.one(&KINDS);
        let entry = [&id.to_be_bytes()[..], &[0, 0], kind, &[0]].concat();
        body.extend(full(recipe, b"infe", 2, &entry));
    }
    full(recipe, b"iinf", 0, &body)
}

/// Where the items' bytes are (`iloc`), version 1 with offsets and lengths of four bytes.
fn locations(recipe: &mut Recipe<'_>, n_items: usize, at: u32, length: u32) -> Vec<u8> {
    let sizes = recipe.one(&[0x44_u8, 0x40, 0x04, 0x48, 0x84, 0x88, 0x00]);
    let mut body = vec![sizes, 0];
    body.extend((recipe.number(n_items as u32) as u16).to_be_bytes());
    for item in 1..=n_items {
        body.extend((recipe.number(item as u32) as u16).to_be_bytes());
        body.extend([0, recipe.one(&[0, 1, 2]), 0, 0]);
        let n_extents = recipe.times();
        // The same extent over and over: bytes that are named many times cost as often.
        let named = if recipe.byte() < 200 { n_extents as u32 } else { recipe.number(u32::from(u16::MAX)) };
        body.extend((named as u16).to_be_bytes());
        for _ in 0..n_extents {
            body.extend(recipe.number(at).to_be_bytes());
            body.extend(recipe.number(length).to_be_bytes());
        }
    }
    full(recipe, b"iloc", 1, &body)
}

/// What the items are like (`iprp`).
fn properties(recipe: &mut Recipe<'_>, n_items: usize, configuration: &[u8]) -> Vec<u8> {
    let (width, height) = (recipe.number(150), recipe.number(100));
    let mut container = boxed(recipe, b"hvcC", configuration);
    container.extend(full(recipe, b"ispe", 0, &[width.to_be_bytes(), height.to_be_bytes()].concat()));
    container.extend(full(recipe, b"pixi", 0, &[3, 8, 8, 8]));
    let mut n_properties = 3_u8;
    for _ in 1..recipe.times() {
        let value = recipe.byte();
        let numbers: Vec<u8> = (0..8).flat_map(|_| recipe.number(1).to_be_bytes()).collect();
        container.extend(match recipe.byte() % 6 {
            0 => boxed(recipe, b"irot", &[value]),
            1 => boxed(recipe, b"imir", &[value]),
            2 => boxed(recipe, b"clap", &numbers),
            3 => boxed(recipe, b"colr", &[&b"nclx"[..], &numbers[..7]].concat()),
            4 => full(recipe, b"auxC", 0, b"urn:mpeg:hevc:2015:auxid:1\0"),
            _ => boxed(recipe, b"hvcC", &configuration[..configuration.len().min(usize::from(value))]),
        });
        n_properties += 1;
    }
    let mut used = (recipe.number(n_items as u32)).to_be_bytes().to_vec();
    for item in 1..=n_items {
        used.extend((recipe.number(item as u32) as u16).to_be_bytes());
        used.push(n_properties);
        used.extend((1..=n_properties).map(|property| 0x80 | recipe.number(u32::from(property)) as u8));
    }
    let container = boxed(recipe, b"ipco", &container);
    let used = full(recipe, b"ipma", 0, &used);
    boxed(recipe, b"iprp", &[container, used].concat())
}

/// What belongs to what (`iref`); nothing unless the input says otherwise.
fn references(recipe: &mut Recipe<'_>) -> Vec<u8> {
    const KINDS: [&[u8; 4]; 5] = [b"dimg", b"auxl", b"thmb", b"cdsc", b"prem"];
    let n_references = recipe.times().saturating_sub(1);
    let mut body = Vec::new();
    for _ in 0..n_references.min(MOST) {
        let kind = recipe.one(&KINDS);
        let mut entry = (recipe.number(1) as u16).to_be_bytes().to_vec();
        let n_targets = recipe.times();
        entry.extend((n_targets as u16).to_be_bytes());
        for target in 1..=n_targets {
            entry.extend((recipe.number(target as u32) as u16).to_be_bytes());
        }
        body.extend(boxed(recipe, kind, &entry));
    }
    if body.is_empty() { body } else { full(recipe, b"iref", 0, &body) }
}

/// The body of the first box of this kind.
fn found<'a>(file: &'a [u8], kind: &[u8; 4]) -> &'a [u8] {
    let at = file.windows(4).position(|window| window == kind).expect("the picture has such a box");
    let length = u32::from_be_bytes(*file[..at].last_chunk().expect("a length stands before it")) as usize;
    &file[at + 4..at - 4 + length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_decisions_it_is_a_picture() {
        let photo = Photo::decode(&container(&mut Recipe(&[])), &LIMITS).unwrap();
        assert_eq!((photo.width(), photo.height()), (150, 100));
    }
}
