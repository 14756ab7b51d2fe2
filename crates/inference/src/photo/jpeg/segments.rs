//! The segments before a scan: size, subsampling, tables (ITU-T T.81, annex B).

use super::huffman::{Codes, CoefficientCodes};

/// A whole picture in one scan of Huffman codes, 8 bits per sample: the usual file of cameras.
pub(super) struct Scan<'a> {
    pub(super) width: u32,
    pub(super) height: u32,
    /// One or three components, in the order of the scan, which is that of the colours.
    pub(super) components: Vec<Component>,
    pub(super) difference_codes: [Option<Box<Codes>>; 4],
    pub(super) coefficient_codes: [Option<Box<CoefficientCodes>>; 4],
    /// Groups of blocks (MCUs) between two restart markers; 0 for none.
    pub(super) restart_interval: usize,
    /// The coded bits, and the rest of the file.
    pub(super) data: &'a [u8],
}

/// One colour of the picture.
pub(super) struct Component {
    /// Blocks per group, across and down.
    pub(super) across: usize,
    pub(super) down: usize,
    /// Factors of the coefficients, in zigzag order.
    pub(super) quantisation: [f32; 64],
    /// Indices of its code tables.
    pub(super) difference_codes: usize,
    pub(super) coefficient_codes: usize,
}

/// The number of codes of each length, and their values.
type StatedCodes<'a> = (&'a [u8; 16], &'a [u8]);

/// The tables that were defined before the scan.
#[derive(Default)]
struct Tables<'a> {
    quantisation: [Option<[u16; 64]>; 4],
    /// For differences first: codes are built once it is known which are used.
    codes: [[Option<StatedCodes<'a>>; 4]; 2],
    restart_interval: usize,
    frame: Option<Frame>,
}

struct Frame {
    width: u32,
    height: u32,
    components: Vec<FrameComponent>,
}

struct FrameComponent {
    id: u8,
    across: u8,
    down: u8,
    quantisation: u8,
}

impl<'a> Scan<'a> {
    /// Reads up to the first scan; `None` for other kinds of pictures, and for segments that are not clearly valid.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(&[0xFF, 0xD8])?;
        let mut tables = Tables::default();
        loop {
            let (&[ff, marker], length_on) = rest.split_first_chunk()?;
            if ff != 0xFF {
                return None;
            }
            if marker == 0xFF {
                // A fill byte.
                rest = &rest[1..];
                continue;
            }
            let (length, _) = length_on.split_first_chunk::<2>()?;
            let (segment, behind) = length_on.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
            let body = segment.get(2..)?;
            match marker {
                0xDB => tables.read_quantisation(body)?,
                0xC4 => tables.read_codes(body)?,
                // Baseline and extended sequential; progressive and arithmetic coding are left to the full decoder.
                0xC0 | 0xC1 if tables.frame.is_none() => tables.frame = Some(Frame::read(body)?),
                0xDD => {
                    tables.restart_interval = usize::from(u16::from_be_bytes(body.try_into().ok()?));
                }
                // Only the first scan is read; the rest of the file is ignored here.
                0xDA => return tables.scan(body, behind),
                // Application data and comments.
                0xE0..=0xEF | 0xFE => {}
                _ => return None,
            }
            rest = behind;
        }
    }
}

impl<'a> Tables<'a> {
    /// B.2.4.1.
    fn read_quantisation(&mut self, mut body: &[u8]) -> Option<()> {
        while let Some((&head, values)) = body.split_first() {
            let mut table = [0; 64];
            let table_bytes = match head >> 4 {
                0 => {
                    let values = values.first_chunk::<64>()?;
                    table.iter_mut().zip(values).for_each(|(to, &value)| *to = u16::from(value));
                    64
                }
                1 => {
                    let values = values.get(..128)?.as_chunks::<2>().0;
                    table.iter_mut().zip(values).for_each(|(to, &value)| *to = u16::from_be_bytes(value));
                    128
                }
                _ => return None,
            };
            *self.quantisation.get_mut(usize::from(head & 15))? = Some(table);
            body = &values[table_bytes..];
        }
        Some(())
    }

    /// B.2.4.2.
    fn read_codes(&mut self, mut body: &'a [u8]) -> Option<()> {
        while let Some((&head, rest)) = body.split_first() {
            let (lengths, rest) = rest.split_first_chunk::<16>()?;
            // At most 16 times 255, so that the sum cannot overflow.
            let n_values = lengths.iter().map(|&n_codes| usize::from(n_codes)).sum();
            let (values, rest) = rest.split_at_checked(n_values)?;
            let class = self.codes.get_mut(usize::from(head >> 4))?;
            *class.get_mut(usize::from(head & 15))? = Some((lengths, values));
            body = rest;
        }
        Some(())
    }

    /// B.2.3: the scan header; all components of the frame must be in the scan.
    fn scan(self, body: &[u8], data: &'a [u8]) -> Option<Scan<'a>> {
        let Frame { width, height, components: framed } = self.frame?;
        let (&n_components, rest) = body.split_first()?;
        let (selectors, rest) = rest.split_at_checked(2 * usize::from(n_components))?;
        // All 64 coefficients, at full precision.
        if usize::from(n_components) != framed.len() || rest != [0, 63, 0] {
            return None;
        }
        let (mut difference_codes, mut coefficient_codes) = ([const { None }; 4], [const { None }; 4]);
        let [differences, coefficients] = self.codes;
        let mut components = Vec::with_capacity(framed.len());
        let is_alone = framed.len() == 1;
        for (framed, &[id, codes]) in framed.iter().zip(selectors.as_chunks::<2>().0) {
            // Another order is allowed, but then colours would have to be found by id and not by position.
            if id != framed.id {
                return None;
            }
            let (of_differences, of_coefficients) = (usize::from(codes >> 4), usize::from(codes & 15));
            let slot = difference_codes.get_mut(of_differences)?;
            // Chroma components share their codes; building the tables twice would cost more than decoding a small
            // picture.
            if slot.is_none() {
                let (lengths, values) = differences[of_differences]?;
                *slot = Some(Box::new(Codes::of_differences(lengths, values)?));
            }
            let slot = coefficient_codes.get_mut(of_coefficients)?;
            if slot.is_none() {
                let (lengths, values) = coefficients[of_coefficients]?;
                *slot = Some(Box::new(CoefficientCodes::new(lengths, values)?));
            }
            components.push(Component {
                // The blocks of a single component are not interleaved, whatever its subsampling (A.2.2).
                across: if is_alone { 1 } else { usize::from(framed.across) },
                down: if is_alone { 1 } else { usize::from(framed.down) },
                quantisation: (*self.quantisation.get(usize::from(framed.quantisation))?)?.map(f32::from),
                difference_codes: of_differences,
                coefficient_codes: of_coefficients,
            });
        }
        let restart_interval = self.restart_interval;
        Some(Scan { width, height, components, difference_codes, coefficient_codes, restart_interval, data })
    }
}

impl Frame {
    /// B.2.2.
    fn read(body: &[u8]) -> Option<Self> {
        let (&[bits, height_high, height_low, width_high, width_low, n_components], rest) =
            body.split_first_chunk()?;
        let (components, behind) = rest.as_chunks::<3>();
        let is_usual = bits == 8
            && matches!(n_components, 1 | 3)
            && components.len() == usize::from(n_components)
            && behind.is_empty();
        let components: Vec<_> = components
            .iter()
            .map(|&[id, sampling, quantisation]| FrameComponent {
                id,
                across: sampling >> 4,
                down: sampling & 15,
                quantisation,
            })
            .collect();
        let has_samplings = components
            .iter()
            .all(|component| (1..=4).contains(&component.across) && (1..=4).contains(&component.down));
        let (width, height) =
            (u16::from_be_bytes([width_high, width_low]), u16::from_be_bytes([height_high, height_low]));
        (is_usual && has_samplings).then_some(Self {
            width: u32::from(width),
            height: u32::from(height),
            components,
        })
    }
}
