//! Episodes: types are left out of the model in turn, and some of them are taught.

use ndarray::{Array2, ArrayView1, Axis};
use partsight_domain::{NearReference, NearReferences, PartLabel, SeededRng};
use partsight_inference::{PrototypeHead, ReferenceSpace};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::sample::{Sample, SamplePhoto};
use super::{NEAREST, SHOTS};

/// Most types that are taught together: those of one shop.
const MOST_TAUGHT: usize = 15;

/// One episode: types that are left out of the model, some of which are taught.
#[derive(Debug, Clone)]
pub(super) struct Episode {
    pub(super) taught: Vec<Taught>,
    /// Types that are left out and not taught.
    pub(super) strangers: Vec<usize>,
}

/// A taught type.
#[derive(Debug, Clone)]
pub(super) struct Taught {
    /// Its index in the sample.
    pub(super) at: usize,
    /// The photographs that teach it (indices).
    pub(super) references: Vec<usize>,
}

impl Episode {
    /// Whether a type is left out of the model.
    pub(super) fn leaves_out(&self, at: usize) -> bool {
        self.strangers.contains(&at) || self.taught.iter().any(|taught| taught.at == at)
    }
}

/// Two halves of the types, for cross-fitting: each is measured with what was fitted on the other.
#[derive(Debug)]
pub(super) struct Plan<'s> {
    sample: &'s Sample,
    halves: [Vec<usize>; 2],
}

impl<'s> Plan<'s> {
    /// Splits `types`, at least four, into halves.
    pub(super) fn new(sample: &'s Sample, types: &[usize]) -> Self {
        let mut order = types.to_vec();
        SeededRng::new(2).shuffle(&mut order);
        let (even, odd): (Vec<_>, Vec<_>) =
            order.into_iter().enumerate().partition(|(place, _)| place % 2 == 0);
        let types = |half: Vec<(usize, usize)>| half.into_iter().map(|(_, at)| at).collect();
        Self { sample, halves: [types(even), types(odd)] }
    }

    /// Most types that are taught together.
    pub(super) fn most_taught(&self) -> usize {
        self.halves.iter().map(|half| half.len().div_ceil(2)).max().unwrap_or(0).min(MOST_TAUGHT)
    }

    /// Episodes of a half in which each type is taught once with each number of shots, in each of `draws` draws.
    pub(super) fn episodes(&self, half: usize, draws: u64) -> Vec<Episode> {
        let mut rng = SeededRng::new(3 + half as u64);
        let mut episodes = Vec::new();
        for _ in 0..draws {
            for shots in SHOTS {
                episodes.extend(self.draw(half, |_| shots, &mut rng));
            }
        }
        episodes
    }

    /// Episodes of a half in which each type is taught once, with one, three or five shots in turn.
    pub(super) fn once(&self, half: usize) -> Vec<Episode> {
        let mut rng = SeededRng::new(5 + half as u64);
        let shots = |at: usize| {
            let n_photos = self.sample.types[at].photos.len();
            let possible: Vec<usize> = SHOTS.into_iter().filter(|shots| *shots < n_photos).collect();
            possible.get(at % possible.len().max(1)).copied().unwrap_or(1)
        };
        self.draw(half, shots, &mut rng)
    }

    /// Each type of a half with enough photographs is taught once, and is a stranger once.
    fn draw(&self, half: usize, shots: impl Fn(usize) -> usize, rng: &mut SeededRng) -> Vec<Episode> {
        let mut types: Vec<usize> = self.halves[half]
            .iter()
            .copied()
            .filter(|&at| self.sample.types[at].photos.len() > shots(at))
            .collect();
        rng.shuffle(&mut types);
        let n_groups = types.len().div_ceil(2 * MOST_TAUGHT).max(1);
        let size = types.len().div_ceil(n_groups).max(1);
        let mut episodes = Vec::new();
        for group in types.chunks(size) {
            let (one, other) = group.split_at(group.len().div_ceil(2));
            for (taught, strangers) in [(one, other), (other, one)] {
                let taught: Vec<Taught> = taught
                    .iter()
                    .map(|&at| {
                        let mut photos: Vec<usize> = (0..self.sample.types[at].photos.len()).collect();
                        rng.shuffle(&mut photos);
                        photos.truncate(shots(at));
                        Taught { at, references: photos }
                    })
                    .collect();
                if !taught.is_empty() {
                    episodes.push(Episode { taught, strangers: strangers.to_vec() });
                }
            }
        }
        episodes
    }
}

/// What a query shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truth {
    /// The taught type with this index in the episode.
    Taught(usize),
    /// A learnt type, by its class index.
    Class(usize),
    /// A type that is neither learnt nor taught.
    Stranger,
    /// No part.
    Everyday,
}

/// A query photograph with its nearest neighbours.
#[derive(Debug)]
pub(super) struct Query<'s> {
    pub(super) photo: &'s SamplePhoto,
    pub(super) near: NearReferences,
    pub(super) truth: Truth,
}

/// An episode with its references and its reduced model.
#[derive(Debug)]
pub(super) struct OpenEpisode<'s> {
    sample: &'s Sample,
    episode: &'s Episode,
    /// The classes that the model keeps.
    pub(super) kept: Vec<usize>,
    /// The space centred on the remaining prototypes.
    pub(super) space: ReferenceSpace,
    /// The remaining prototypes in that space; `None` without a direction.
    prototypes: Vec<Option<Vec<f32>>>,
    /// Each with the index of its type in the episode.
    references: Vec<(usize, Vec<f32>)>,
}

impl<'s> OpenEpisode<'s> {
    /// `None` if no class is left.
    pub(super) fn new(sample: &'s Sample, head: &PrototypeHead, episode: &'s Episode) -> Option<Self> {
        let left_out: Vec<usize> = (0..sample.types.len())
            .filter(|&at| episode.leaves_out(at))
            .filter_map(|at| sample.types[at].class)
            .collect();
        let kept: Vec<usize> = (0..head.n_classes()).filter(|class| !left_out.contains(class)).collect();
        if kept.is_empty() {
            return None;
        }
        let rows: Array2<f32> = head.classes().select(Axis(0), &kept);
        // Centred on the remaining prototypes: the reduced model never had the others.
        let space = ReferenceSpace::around(&rows, None);
        let prototypes = rows.outer_iter().map(|row| space.place(&row.to_vec())).collect();
        let references = episode.taught.iter().enumerate().flat_map(|(place, taught)| {
            let photos = &sample.types[taught.at].photos;
            let placed =
                taught.references.iter().filter_map(|&at| space.place(&photos[at].embedding.to_vec()));
            placed.map(move |embedding| (place, embedding)).collect::<Vec<_>>()
        });
        let references = references.collect();
        Some(Self { sample, episode, kept, space, prototypes, references })
    }

    /// Applies `seen` to each photograph for which `is_asked` holds, given its truth, its type (0 for everyday
    /// photographs) and its index; reference photographs are never queries. In the order of the sample.
    pub(super) fn each<R: Send>(
        &self,
        is_asked: impl Fn(Truth, usize, usize) -> bool,
        seen: impl Fn(&Query<'s>) -> R + Sync,
    ) -> Vec<R> {
        let mut asked = Vec::new();
        for (at, of_type) in self.sample.types.iter().enumerate() {
            let taught = self.episode.taught.iter().position(|taught| taught.at == at);
            let truth = match (taught, of_type.class) {
                (Some(place), _) => Truth::Taught(place),
                (None, _) if self.episode.strangers.contains(&at) => Truth::Stranger,
                (None, Some(class)) => Truth::Class(class),
                // Not left out by this episode, and no class of the model either: a stranger.
                (None, None) => Truth::Stranger,
            };
            for (place, photo) in of_type.photos.iter().enumerate() {
                let teaches =
                    taught.is_some_and(|taught| self.episode.taught[taught].references.contains(&place));
                let has_class = !matches!(truth, Truth::Class(_)) || photo.own_prototype.is_some();
                if !teaches && has_class && is_asked(truth, at, place) {
                    asked.push((photo, truth));
                }
            }
        }
        for (place, photo) in self.sample.everyday.iter().enumerate() {
            if is_asked(Truth::Everyday, 0, place) {
                asked.push((photo, Truth::Everyday));
            }
        }
        let found = asked.into_par_iter().map(|(photo, truth)| Some(seen(&self.query(photo, truth)?)));
        found.flatten_iter().collect()
    }

    /// `None` for a photograph without a direction.
    fn query(&self, photo: &'s SamplePhoto, truth: Truth) -> Option<Query<'s>> {
        let placed = self.space.place(&photo.embedding.to_vec())?;
        let class_similarity = self
            .kept
            .iter()
            .zip(&self.prototypes)
            .filter_map(|(&class, prototype)| {
                let own = photo.own_prototype.as_ref().filter(|_| truth == Truth::Class(class));
                match own {
                    Some(own) => self.space.place(&own.to_vec()).map(|own| dot(&own, &placed)),
                    None => prototype.as_ref().map(|prototype| dot(prototype, &placed)),
                }
            })
            .fold(-1.0, f32::max);
        let mut references: Vec<NearReference> = self
            .references
            .iter()
            .filter_map(|(place, embedding)| {
                Some(NearReference {
                    label: taught_label(*place)?,
                    category: None,
                    score: dot(embedding, &placed),
                    embedding: embedding.clone(),
                })
            })
            .collect();
        // Sorted nearest first, as an index returns them.
        references.sort_by(|a, b| b.score.total_cmp(&a.score));
        let near = NearReferences { references, class_similarity, ..NearReferences::default() };
        Some(Query { photo, near, truth })
    }
}

impl Query<'_> {
    /// The similarity to each of `n` taught types, in the order of the episode.
    pub(super) fn similarities(&self, n: usize) -> Vec<f64> {
        let found = self.near.similarities(NEAREST);
        let of = |place: usize| {
            let label = taught_label(place);
            let own = found.iter().find(|(other, _)| Some(*other) == label.as_ref());
            own.map_or(-1.0, |(_, similarity)| *similarity)
        };
        (0..n).map(of).collect()
    }

    /// Raw outputs of the model reduced to these classes: logits `[c]`, and the known score.
    pub(super) fn raw(&self, kept: &[usize]) -> (Vec<f32>, f32) {
        let logits: Vec<f32> = kept.iter().map(|&class| self.photo.logits[class]).collect();
        let known = PrototypeHead::known(logits.iter().copied(), self.photo.background);
        (logits, known)
    }
}

/// A label for the taught type with this index.
pub(super) fn taught_label(place: usize) -> Option<PartLabel> {
    PartLabel::new(&format!("taught-{place}")).ok()
}

pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    ArrayView1::from(one).dot(&ArrayView1::from(other))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::drawn::drawn;
    use super::*;

    #[test]
    fn each_type_is_taught_once_and_strange_once() {
        let drawn = drawn(9, 6, 0.2);
        let sample = Sample::new(&drawn.head, &drawn.labels, &[drawn.folders]);
        let plan = Plan::new(&sample, &sample.types_with_at_least(5));
        let (mut taught, mut strange) = (BTreeMap::new(), BTreeMap::new());
        for episode in (0..2).flat_map(|half| plan.once(half)) {
            for one in &episode.taught {
                *taught.entry(one.at).or_insert(0) += 1;
                assert!([1, 3, 5].contains(&one.references.len()), "{one:?}");
            }
            for at in &episode.strangers {
                *strange.entry(*at).or_insert(0) += 1;
                assert!(episode.leaves_out(*at));
            }
        }
        let once: BTreeMap<usize, i32> = (0..9).map(|at| (at, 1)).collect();
        assert_eq!((taught, strange), (once.clone(), once));
        // 5 and 4 types.
        assert_eq!(plan.most_taught(), 3);
        // Two episodes in each of three draws of 1, 3 and 5 photographs.
        assert_eq!(plan.episodes(0, 3).len(), 18);
    }

    #[test]
    fn many_types_are_taught_in_groups() {
        let drawn = drawn(80, 5, 0.2);
        let sample = Sample::new(&drawn.head, &drawn.labels, &[drawn.folders]);
        let plan = Plan::new(&sample, &sample.types_with_at_least(5));
        let episodes = plan.once(0);
        assert_eq!(episodes.iter().map(|episode| episode.taught.len()).sum::<usize>(), 40);
        assert!(episodes.iter().all(|episode| (1..=MOST_TAUGHT).contains(&episode.taught.len())));
    }

    #[test]
    fn photographs_that_teach_are_not_asked_for_and_their_class_is_gone() {
        let drawn = drawn(8, 6, 0.2);
        let sample = Sample::new(&drawn.head, &drawn.labels, &[drawn.folders]);
        let episode = Episode { taught: vec![Taught { at: 2, references: vec![0, 4] }], strangers: vec![5] };
        let open = OpenEpisode::new(&sample, &drawn.head, &episode).unwrap();
        assert_eq!(open.kept, [0, 1, 3, 4, 6, 7]);
        let found = open.each(
            |_, _, _| true,
            |query| {
                (
                    query.truth,
                    query.similarities(1),
                    query.near.class_similarity,
                    query.raw(&open.kept).0.len(),
                )
            },
        );
        let count = |is: fn(Truth) -> bool| found.iter().filter(|(truth, ..)| is(*truth)).count();
        assert_eq!(count(|truth| matches!(truth, Truth::Taught(0))), 4);
        assert_eq!(count(|truth| truth == Truth::Stranger), 6);
        assert_eq!(count(|truth| matches!(truth, Truth::Class(_))), 36);
        for (truth, similarities, class_similarity, n_logits) in &found {
            assert_eq!((similarities.len(), *n_logits), (1, 6));
            match truth {
                Truth::Taught(_) => assert!(similarities[0] > 0.8, "{similarities:?}"),
                Truth::Class(_) => assert!(*class_similarity > 0.8, "{class_similarity}"),
                Truth::Stranger | Truth::Everyday => assert!(similarities[0] < 0.8, "{similarities:?}"),
            }
        }
    }

    #[test]
    fn nothing_is_asked_where_no_class_is_left() {
        let drawn = drawn(2, 6, 0.2);
        let sample = Sample::new(&drawn.head, &drawn.labels, &[drawn.folders]);
        let episode = Episode { taught: vec![Taught { at: 0, references: vec![0] }], strangers: vec![1] };
        assert!(OpenEpisode::new(&sample, &drawn.head, &episode).is_none());
    }
}
