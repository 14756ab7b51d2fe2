//! Linear codes: rows through regions of stripes.

use std::collections::{BTreeMap, HashSet};

use rxing::common::BitArray;
use rxing::oned::{MultiFormatOneDReader, OneDReader};
use rxing::{BarcodeFormat, DecodeHints};

use super::grey::Grey;
use super::stripes::{self, Region};
use super::{FoundCode, Symbology, decoded, guarded, row};

/// Rows through a region.
const ROWS: usize = 9;
/// Samples a pixel of a row.
const SAMPLES: f32 = 4.0;
/// Samples of a row, at most.
const MOST_SAMPLES: f32 = 8_000.0;
/// Blur that is undone, in pixels; tried in this order.
const BLURS: [f32; 4] = [0.0, 0.9, 1.6, 2.4];
/// Edges of the shortest code that is read: an ITF of six digits has 38.
const FEWEST_EDGES: usize = 24;
/// Codes beside each other on one row.
const MOST_ON_ROW: usize = 3;
/// Rows on which a text must stand: several rows are averaged, unsharp and tried, and one may read what is not there.
const FEWEST_ROWS: usize = 2;
/// The same for symbologies that check little of what they say.
const FEWEST_ROWS_UNCHECKED: usize = 3;

/// A text on the rows of one region: how many rows, and the box around them across and along the stripes.
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
    // Ordered, so that the codes of a picture come in the same order each time.
    let mut sightings: BTreeMap<(Symbology, String), Sighting> = BTreeMap::new();
    // The blocks lie half of their sides further out than their centres, and quiet zones begin there.
    let margin = 24.0 * region.scale + 0.12 * (region.range[1] - region.range[0]);
    let from = region.range[0] - margin;
    let length = region.range[1] + margin - from;
    // Long regions are sampled more coarsely, which bounds the work on a picture that is one large grating.
    let step = (1.0 / SAMPLES).max(length / MOST_SAMPLES);
    let height = region.along[region.along.len() - 1] - region.along[0] + 8.0 * region.scale;
    // Back from the region's turned axes to pixels; `across` is a unit vector.
    let place = |along: f32, across: f32| {
        let [x, y] = region.across;
        [across * x - along * y, across * y + along * x]
    };
    for number in 0..ROWS {
        // Rows lie at quantiles of where the blocks are, so that they cross the region where most of it is.
        let along = region.along[(2 * number + 1) * (region.along.len() - 1) / (2 * ROWS)];
        // Rows take turns in how much they average: more takes out noise, and less forgives a direction that is not quite
        // right.
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
                // The reader saw it upside down, so that its corners begin at the other end.
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

/// A code on a row: what, whether GS1, whether the row runs against it, and the samples where it begins and ends.
type OnRow = (Symbology, String, bool, bool, [f32; 2]);

/// Reads rows.
struct Rows {
    reader: MultiFormatOneDReader,
    hints: DecodeHints,
}

impl Rows {
    fn new() -> Self {
        // Only what the product knows: each further symbology is one more way to read noise as a code.
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

    /// The codes on a row, with as little sharpening as is enough.
    fn read(&mut self, row: &[f32], step: f32) -> Vec<OnRow> {
        // Sharpening can invent bars, so that the row as it is comes first.
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
        // A call reads in one direction: a code that lies upside down is read on the reversed row.
        for is_reversed in [false, true] {
            let mut bars = bars.clone();
            if is_reversed {
                bars.reverse();
            }
            for _ in 0..MOST_ON_ROW {
                let Some((symbology, text, is_gs1, [start, end])) = self.code(&bars) else { break };
                // What lies before it was passed over by the reader, or is a part of another code: it reads on behind.
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
        // The reader of Code 39 says where the first character ends, not the last.
        let end = if symbology == Symbology::Code39 { end_of(bars, start as usize) as f32 } else { end };
        (start < end).then_some((symbology, text, is_gs1, [start, end]))
    }
}

/// Where the bars end of a code that begins at `start`: before a space as wide as a quiet zone.
fn end_of(bars: &BitArray, start: usize) -> usize {
    let n = bars.get_size();
    let mut at = bars.getNextSet(start);
    let mut narrowest = n;
    loop {
        let space = bars.getNextUnset(at);
        let bar = bars.getNextSet(space);
        narrowest = narrowest.min(space - at);
        // The widest space in a Code 39 is three times the narrowest bar; the zone is ten times it.
        if bar >= n || bar - space > 8 * narrowest {
            return space;
        }
        at = bar;
    }
}

/// Makes all of a row before `end` white.
fn clear_to(bars: &mut BitArray, end: usize) {
    (0..end.min(bars.get_size())).for_each(|at| bars.unset(at));
}
