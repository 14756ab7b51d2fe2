//! The nearest other photographs of a wrong answer: what the model takes the photograph to be like.

use std::collections::BTreeSet;

use partsight_app::Identifier;
use partsight_domain::Embedding;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::embeddings::{Embeddings, spread};
use crate::{Evaluation, Neighbour, Result};

/// Number of photographs named beside a wrong answer.
const NEAREST: usize = 3;
/// Maximum of photographs that are compared, spread evenly over the set; each takes one more run of the model, and
/// about 2 kB.
pub(crate) const MAX_COMPARED: usize = 10_000;

impl Evaluation<'_> {
    /// The samples that [`Evaluation::find_nearest`] embeds; empty without a wrong answer.
    fn compared(&self) -> BTreeSet<usize> {
        let wrong: BTreeSet<usize> = self.mistakes_to_explain().iter().map(|photo| photo.sample).collect();
        if wrong.is_empty() {
            return wrong;
        }
        // Only photographs that could be read when they were measured.
        let some = spread(self.photos.len(), MAX_COMPARED).into_iter().map(|index| self.photos[index].sample);
        some.chain(wrong).collect()
    }

    /// Number of photographs that [`Evaluation::find_nearest`] embeds.
    pub fn n_compared(&self) -> usize {
        self.compared().len()
    }

    /// Finds the three nearest other photographs of the most confident errors, by the cosine of the embeddings as
    /// references are compared, on `jobs` threads; `advance` is called after each embedding. A photograph that can no
    /// longer be read is left out.
    ///
    /// # Errors
    /// [`Error::App`](crate::Error::App) when the threads cannot be started.
    pub fn find_nearest(
        &mut self,
        identifier: &Identifier,
        jobs: usize,
        advance: impl FnMut(),
    ) -> Result<()> {
        let compared: Vec<usize> = self.compared().into_iter().collect();
        let mut embeddings = Embeddings::of_samples(identifier, self.dataset, &compared, jobs, advance)?;
        for row in &mut embeddings.rows {
            // As references are compared: without the centre, even different photographs are alike.
            if let Some(placed) = identifier.reference_embedding(row) {
                *row = placed;
            }
        }
        self.compare(embeddings);
        Ok(())
    }

    pub(crate) fn compare(&mut self, embeddings: Embeddings) {
        let all: Vec<(usize, Embedding)> = embeddings
            .samples
            .into_iter()
            .zip(embeddings.rows)
            .filter_map(|(sample, row)| Some((sample, Embedding::new(row)?)))
            .collect();
        let wrong: BTreeSet<usize> = self.mistakes_to_explain().iter().map(|photo| photo.sample).collect();
        let of_wrong: Vec<&(usize, Embedding)> =
            all.iter().filter(|(sample, _)| wrong.contains(sample)).collect();
        self.nearest =
            of_wrong.par_iter().map(|(sample, own)| (*sample, nearest(*sample, own, &all))).collect();
    }
}

/// The nearest of `all`, the photograph itself left out, the most similar first; of equally similar ones the first.
fn nearest(sample: usize, own: &Embedding, all: &[(usize, Embedding)]) -> Vec<Neighbour> {
    let mut found: Vec<Neighbour> = Vec::with_capacity(NEAREST + 1);
    for (other, embedding) in all.iter().filter(|(other, _)| *other != sample) {
        // Nothing farther than the last one counts, so that most comparisons stop early.
        let least = found.get(NEAREST - 1).map_or(-1.0, |last| last.similarity);
        let Some(similarity) = own.similarity(embedding, least) else { continue };
        let place = found.partition_point(|earlier| earlier.similarity >= similarity);
        found.insert(place, Neighbour { sample: *other, similarity });
        found.truncate(NEAREST);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedding(degrees: f32) -> Embedding {
        let (y, x) = degrees.to_radians().sin_cos();
        Embedding::new(vec![x, y]).unwrap()
    }

    #[test]
    fn the_three_nearest_others_come_in_their_order() {
        let all: Vec<(usize, Embedding)> = [(0, 0.0), (1, 90.0), (2, 60.0), (3, 180.0), (4, -60.0), (5, 1.0)]
            .into_iter()
            .map(|(sample, degrees)| (sample, embedding(degrees)))
            .collect();
        let found = nearest(0, &all[0].1, &all);
        let samples: Vec<usize> = found.iter().map(|neighbour| neighbour.sample).collect();
        assert_eq!(samples, [5, 2, 4], "itself is left out; of 2 and 4, equally near, the first comes first");
        assert!((found[1].similarity - 0.5).abs() < 1e-6, "{found:?}");
        assert_eq!(nearest(0, &all[0].1, &all[..2]).len(), 1, "fewer than three");
    }
}
