//! Linear codes: sampled along rows across regions of stripes.

use std::collections::{BTreeMap, HashSet};

use rxing::common::BitArray;
use rxing::oned::{MultiFormatOneDReader, OneDReader};
use rxing::{BarcodeFormat, DecodeHints};

use super::grey::Grey;
use super::stripes::{self, Region};
use super::{FoundCode, Symbology, decoded, guarded, row};

/// Rows sampled per region.
const ROWS: usize = 9;
/// Samples per pixel of a row.
const SAMPLES: f32 = 4.0;
/// Maximum number of samples of a row.
const MOST_SAMPLES: f32 = 8_000.0;
/// Assumed blur that is removed, sigma in pixels; tried in this order.
const BLURS: [f32; 4] = [0.0, 0.9, 1.6, 2.4];
/// Fewest edges of a row that is decoded: a Code 128 of one character has 26.
const FEWEST_EDGES: usize = 24;
/// Maximum number of codes on one row, in each direction.
const MOST_ON_ROW: usize = 3;
/// Fewest rows on which a text must be read: rows are averaged and sharpened, and a single row may be misread.
const FEWEST_ROWS: usize = 2;
/// The same for symbologies with weak or no check digits.
const FEWEST_ROWS_UNCHECKED: usize = 3;

/// A text read in one region: on how many rows, and its extent across and along the stripes.
#[derive(Debug)]
struct Sighting {
    n_rows: usize,
    is_gs1: bool,
    is_reversed: bool,
    across: [f32; 2],
    along: [f32; 2],
}

/// The linear codes of a picture.
pub(super) fn find(grey: &Grey) -> Vec<FoundCode> {
    let mut reader = Rows::new();
    stripes::find(grey).iter().flat_map(|region| codes_in(grey, region, &mut reader)).collect()
}

fn codes_in(grey: &Grey, region: &Region, reader: &mut Rows) -> Vec<FoundCode> {
    // Ordered, so that the codes of a picture are in the same order each time.
    let mut sightings: BTreeMap<(Symbology, String), Sighting> = BTreeMap::new();
    // The range covers the centres of the blocks: half a block and the quiet zone lie outside it.
    let margin = 24.0 * region.scale + 0.12 * (region.range[1] - region.range[0]);
    let from = region.range[0] - margin;
    let length = region.range[1] + margin - from;
    // Long regions are sampled more coarsely, which bounds the work on a picture of one large grating.
    let step = (1.0 / SAMPLES).max(length / MOST_SAMPLES);
    let height = region.along[region.along.len() - 1] - region.along[0] + 8.0 * region.scale;
    // Rotates the region's axes back to pixel coordinates; `across` is a unit vector.
    let place = |along: f32, across: f32| {
        let [x, y] = region.across;
        [across * x - along * y, across * y + along * x]
    };
    for number in 0..ROWS {
        // Rows lie at quantiles of the blocks' positions, so that they cross the region where most of its blocks
        // are.
        let along = region.along[(2 * number + 1) * (region.along.len() - 1) / (2 * ROWS)];
        // Rows alternate in the height that they average: more removes noise, less tolerates an error in the
        // direction.
        let band = [0.01, 0.04, 0.09][number % 3] * height;
        let n_lines = ((band / region.scale) as usize).clamp(1, 12);
        let samples: Vec<f32> = (0..(length / step) as usize)
            .map(|at| {
                let across = from + at as f32 * step;
                let sum: f32 = (0..n_lines)
                    .map(|line| {
                        let off = if n_lines == 1 {
                            0.0
                        } else {
                            (line as f32 / (n_lines - 1) as f32 - 0.5) * band
                        };
                        let [x, y] = place(along + off, across);
                        grey.at(x, y)
                    })
                    .sum();
                sum / n_lines as f32
            })
            .collect();
        for (symbology, text, is_gs1, is_reversed, span) in reader.read(&samples, step) {
            let across = span.map(|sample| from + sample * step);
            let sighting = sightings.entry((symbology, text)).or_insert(Sighting {
                n_rows: 0,
                is_gs1,
                is_reversed,
                across,
                along: [along, along],
            });
            sighting.n_rows += 1;
            sighting.across = [sighting.across[0].min(across[0]), sighting.across[1].max(across[1])];
            sighting.along = [sighting.along[0].min(along), sighting.along[1].max(along)];
        }
    }
    let codes =
        sightings.into_iter().filter(|((symbology, _), sighting)| sighting.n_rows >= fewest_rows(*symbology));
    codes
        .map(|((symbology, text), sighting)| {
            let ([left, right], [top, bottom]) = (sighting.across, sighting.along);
            let corners = [place(top, left), place(top, right), place(bottom, right), place(bottom, left)];
            let corners =
                // The code is upside down, so its corners start at the opposite end.
                if sighting.is_reversed { [corners[2], corners[3], corners[0], corners[1]] } else { corners };
            let corners =
                corners.map(|[x, y]| [x.clamp(0.0, grey.width as f32), y.clamp(0.0, grey.height as f32)]);
            FoundCode { symbology, text, is_gs1: sighting.is_gs1, corners }
        })
        .collect()
}

fn fewest_rows(symbology: Symbology) -> usize {
    match symbology {
        Symbology::Code39 | Symbology::Itf | Symbology::Ean8 | Symbology::UpcE => FEWEST_ROWS_UNCHECKED,
        _ => FEWEST_ROWS,
    }
}

/// A code on a row: symbology, text, whether GS1, whether the row runs against it, and its first and last sample.
type OnRow = (Symbology, String, bool, bool, [f32; 2]);

/// Decodes rows.
struct Rows {
    reader: MultiFormatOneDReader,
    hints: DecodeHints,
}

impl Rows {
    fn new() -> Self {
        // Only the supported symbologies: each further one is one more way to read noise as a code.
        let formats = [
            BarcodeFormat::EAN_13,
            BarcodeFormat::EAN_8,
            BarcodeFormat::UPC_A,
            BarcodeFormat::UPC_E,
            BarcodeFormat::CODE_39,
            BarcodeFormat::CODE_128,
            BarcodeFormat::ITF,
        ];
        let hints = DecodeHints {
            PossibleFormats: Some(HashSet::from(formats)),
            AssumeGs1: Some(true),
            TryHarder: Some(true),
            ..DecodeHints::default()
        };
        Self { reader: MultiFormatOneDReader::new(&hints), hints }
    }

    /// The codes on a row, with as little sharpening as needed.
    fn read(&mut self, row: &[f32], step: f32) -> Vec<OnRow> {
        // Sharpening can invent bars, so the original row is tried first.
        for blur in BLURS {
            let sharp;
            let levels = if blur > 0.0 {
                sharp = row::sharpened(row, blur / step.max(1.0 / SAMPLES));
                &sharp[..]
            } else {
                row
            };
            let Some((bars, n_edges)) = row::bars(levels) else { return Vec::new() };
            if n_edges < FEWEST_EDGES {
                return Vec::new();
            }
            let found = self.codes(&bars);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The codes on a row of bars, in either direction, from left to right.
    fn codes(&mut self, bars: &BitArray) -> Vec<OnRow> {
        let mut found: Vec<OnRow> = Vec::new();
        let n = bars.get_size();
        // `decode_row` reads in one direction: an upside-down code is read on the reversed row.
        for is_reversed in [false, true] {
            let mut bars = bars.clone();
            if is_reversed {
                bars.reverse();
            }
            for _ in 0..MOST_ON_ROW {
                let Some((symbology, text, is_gs1, [start, end])) = self.code(&bars) else { break };
                // Everything up to this code's end has been read or skipped: the search continues after it.
                clear_to(&mut bars, end as usize);
                let span = if is_reversed { [n as f32 - end, n as f32 - start] } else { [start, end] };
                found.push((symbology, text, is_gs1, is_reversed, span));
            }
        }
        found
    }

    fn code(&mut self, bars: &BitArray) -> Option<(Symbology, String, bool, [f32; 2])> {
        let result = guarded(|| self.reader.decode_row(0, bars, &self.hints).ok())?;
        let (symbology, text, is_gs1) = decoded(&result)?;
        let places: Vec<f32> = result.getPoints().iter().map(|point| point.x).collect();
        let start = places.iter().copied().fold(f32::MAX, f32::min);
        let end = places.iter().copied().fold(f32::MIN, f32::max);
        // The Code 39 reader reports the end of the first character, not of the last.
        let end = if symbology == Symbology::Code39 { end_of(bars, start as usize) as f32 } else { end };
        (start < end).then_some((symbology, text, is_gs1, [start, end]))
    }
}

/// Where the bars of a code that begins at `start` end: before a space as wide as a quiet zone.
fn end_of(bars: &BitArray, start: usize) -> usize {
    let n = bars.get_size();
    let mut at = bars.getNextSet(start);
    let mut narrowest = n;
    loop {
        let space = bars.getNextUnset(at);
        let bar = bars.getNextSet(space);
        narrowest = narrowest.min(space - at);
        // The widest space in a Code 39 is three times its narrowest bar; its quiet zone is ten times as wide.
        if bar >= n || bar - space > 8 * narrowest {
            return space;
        }
        at = bar;
    }
}

/// Clears all bars of a row before `end`.
fn clear_to(bars: &mut BitArray, end: usize) {
    (0..end.min(bars.get_size())).for_each(|at| bars.unset(at));
}
