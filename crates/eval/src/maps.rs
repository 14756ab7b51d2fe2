//! Occlusion maps: where in a photograph the evidence for a wrong answer lies.

use std::collections::BTreeMap;
use std::path::PathBuf;

use partsight_app::{Identifier, OCCLUSION_GRID, OcclusionMap};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{Error, Evaluation, Measured, Result};

/// Maximum of errors of each kind that get a map, the most confident first. A map takes fifty runs of the model, so the
/// maps of a small set may take as long as all its answers.
pub(crate) const MAX_MAPS: usize = 24;

/// Drops of the log probability below this (5% of the probability) are ignored.
const LEAST_DROP: f32 = 0.05;

impl Evaluation<'_> {
    /// The photographs that [`Evaluation::map_mistakes`] and [`Evaluation::find_nearest`] explain: wrong best guesses
    /// and false identifications.
    pub fn mistakes_to_explain(&self) -> Vec<&Measured> {
        let mistakes = self.mistakes().into_iter().take(MAX_MAPS);
        mistakes.chain(self.false_identifications().into_iter().take(MAX_MAPS)).collect()
    }

    /// Computes the maps of the most confident errors on `jobs` threads; `advance` is called after each. A photograph
    /// that can no longer be read gets no map.
    ///
    /// # Errors
    /// [`Error::Threads`].
    pub fn map_mistakes(
        &mut self,
        identifier: &Identifier,
        jobs: usize,
        advance: impl Fn() + Sync,
    ) -> Result<()> {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(jobs.max(1)).build().map_err(Error::Threads)?;
        let mapped: Vec<(usize, PathBuf, usize)> = self
            .mistakes_to_explain()
            .iter()
            .map(|photo| {
                let path = self.dataset.samples[photo.sample].path.clone();
                (photo.sample, path, photo.answer.best().class)
            })
            .collect();
        let map = |(sample, path, class): &(usize, PathBuf, usize)| {
            // The map of the class that was answered, not of the right one, because it shows what misled the model.
            let map = identifier.occlusion_map_of_file(path, *class).ok();
            advance();
            Some((*sample, map?))
        };
        self.maps = pool.install(|| mapped.par_iter().filter_map(map).collect::<BTreeMap<_, _>>());
        Ok(())
    }
}

/// The strongest place of a map in words, such as `upper left`; `None` if no single place has a relevant effect.
pub(crate) fn place(map: &OcclusionMap) -> Option<&'static str> {
    const PLACES: [[&str; 3]; 3] = [
        ["upper left", "upper middle", "upper right"],
        ["left", "centre", "right"],
        ["lower left", "lower middle", "lower right"],
    ];
    let (row, column, drop) = map.peak()?;
    let third = |index: usize| (3 * index + 1) / OCCLUSION_GRID;
    (drop >= LEAST_DROP).then(|| PLACES[third(row)][third(column)])
}

/// What a map shows, in a sentence.
pub(crate) fn evidence(map: &OcclusionMap) -> String {
    let (Some(place), Some((_, _, drop))) = (place(map), map.peak()) else {
        return "Evidence: no single place carries it".to_owned();
    };
    // `drop` is a difference of log probabilities, so this is the remaining share of the probability.
    let left = f64::from(-drop).exp();
    format!("Evidence: {place}; without it {:.0}% less probable", (1.0 - left) * 100.0)
}

/// Begin and end of a row or column of patches, as shares of the side: each lies around the middle of its patch.
pub(crate) fn cell(index: usize) -> [f64; 2] {
    // The middles lie at (0.1 + index * 0.8 / 6) of the side, for patches of a fifth.
    let edge = |index: usize| 0.1 + 0.8 * (index as f64 - 0.5) / (OCCLUSION_GRID - 1) as f64;
    [
        if index == 0 { 0.0 } else { edge(index) },
        if index + 1 == OCCLUSION_GRID { 1.0 } else { edge(index + 1) },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    fn map(peak: (usize, usize), drop: f32) -> OcclusionMap {
        let mut drops = vec![0.0; OCCLUSION_GRID * OCCLUSION_GRID];
        drops[peak.0 * OCCLUSION_GRID + peak.1] = drop;
        OcclusionMap { drops, seen: [0.0, 0.0, 1.0, 1.0], width: 40, height: 30 }
    }

    #[test]
    fn the_strongest_place_is_named() {
        for (row, column, expected) in [
            (0, 0, "upper left"),
            (1, 2, "upper middle"),
            (3, 6, "right"),
            (3, 3, "centre"),
            (4, 1, "left"),
            (5, 1, "lower left"),
            (6, 3, "lower middle"),
            (6, 6, "lower right"),
        ] {
            assert_eq!(place(&map((row, column), 1.0)), Some(expected), "{row}, {column}");
        }
        assert_eq!(place(&map((0, 0), 0.04)), None);
    }

    #[test]
    fn the_sentence_says_how_much_of_the_probability_goes() {
        let half = evidence(&map((0, 6), std::f32::consts::LN_2));
        assert_eq!(half, "Evidence: upper right; without it 50% less probable");
        assert_eq!(evidence(&map((0, 6), 0.0)), "Evidence: no single place carries it");
    }

    #[test]
    fn cells_share_their_edges_and_span_the_side() {
        for index in 1..OCCLUSION_GRID {
            assert_near(cell(index - 1)[1], cell(index)[0]);
        }
        assert_near(cell(0)[0], 0.0);
        assert_near(cell(OCCLUSION_GRID - 1)[1], 1.0);
        assert_near(f64::midpoint(cell(3)[0], cell(3)[1]), 0.5);
    }
}
