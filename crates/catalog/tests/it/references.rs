//! Synthetic references, and a plain search of them.

use partsight_catalog::{EmbeddingSpace, IndexEntry, Neighbour, SearchFilter};
use partsight_domain::{
    Category, FitmentSource, PartFitment, PartFitments, PartLabel, ReferenceId, ReferenceKind, TenantId,
    VehicleName,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use uuid::Uuid;

/// A SHA-256 for tests; it is that of no bytes.
pub(crate) const MODEL: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

pub(crate) fn space(dimension: usize) -> EmbeddingSpace {
    EmbeddingSpace { dimension, model_sha256: MODEL.to_owned() }
}

pub(crate) fn tenant(number: u128) -> TenantId {
    TenantId(Uuid::from_u128(0x7e00 + number))
}

pub(crate) fn id(number: u128) -> ReferenceId {
    ReferenceId(Uuid::from_u128(number))
}

pub(crate) fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    for x in &mut vector {
        *x = (f64::from(*x) / length) as f32;
    }
    vector
}

/// Draws embeddings around `n_centres` directions: the greater `spread`, the less similar.
pub(crate) struct Drawer {
    rng: StdRng,
    centres: Vec<Vec<f32>>,
    spread: f32,
}

impl Drawer {
    pub(crate) fn new(dimension: usize, n_centres: usize, spread: f32, seed: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let centres = (0..n_centres).map(|_| normal(&mut rng, dimension)).collect();
        Self { rng, centres, spread }
    }

    pub(crate) fn embedding(&mut self) -> Vec<f32> {
        let centre = self.rng.random_range(0..self.centres.len());
        let noise = normal(&mut self.rng, self.centres[centre].len());
        unit(self.centres[centre].iter().zip(noise).map(|(c, n)| c + self.spread * n).collect())
    }

    /// An entry of tenant 0 that matches every filter on the tenant alone.
    pub(crate) fn plain_entry(&mut self, number: u128) -> IndexEntry {
        IndexEntry {
            id: id(number),
            tenant_id: Some(tenant(0)),
            label: PartLabel::new("turbocharger").unwrap(),
            category: None,
            kind: ReferenceKind::Enrolled,
            parts: Vec::new(),
            revision: 1,
            embedding: self.embedding(),
        }
    }

    /// An entry of one of three tenants or shared, of any category and kind, with up to two parts of up to three
    /// fitments each.
    pub(crate) fn entry(&mut self, number: u128) -> IndexEntry {
        let labels = ["turbocharger", "egr-valve", "door-handle"];
        let fitment = |rng: &mut StdRng| PartFitment {
            make: ["Honda", "Ford "][rng.random_range(0..2)].to_owned(),
            model: [None, Some("Civic"), Some("focus"), Some("Focus-ST")][rng.random_range(0..4)]
                .map(str::to_owned),
            first_year: [None, Some(2010), Some(2016)][rng.random_range(0..3)],
            last_year: [None, Some(2015), Some(2020)][rng.random_range(0..3)],
            note: None,
            fits: rng.random_bool(0.7),
            source: [FitmentSource::Shop, FitmentSource::Aces][rng.random_range(0..2)],
        };
        let part = |rng: &mut StdRng| {
            let n_fitments = rng.random_range(0..4);
            PartFitments::new(&(0..n_fitments).map(|_| fitment(rng)).collect::<Vec<_>>())
        };
        let n_parts = self.rng.random_range(0..3);
        let owner = self.rng.random_range(0..4);
        IndexEntry {
            id: id(number),
            tenant_id: (owner > 0).then(|| tenant(owner - 1)),
            label: PartLabel::new(labels[self.rng.random_range(0..3)]).unwrap(),
            category: [None, Some(Category::Engine), Some(Category::Body)][self.rng.random_range(0..3)],
            kind: ReferenceKind::ALL[self.rng.random_range(0..2)],
            parts: (0..n_parts).map(|_| part(&mut self.rng)).collect(),
            revision: 1,
            embedding: self.embedding(),
        }
    }
}

fn normal(rng: &mut StdRng, n: usize) -> Vec<f32> {
    // The sum of twelve uniform numbers is close enough to normally distributed (Irwin-Hall).
    (0..n).map(|_| (0..12).map(|_| rng.random::<f32>()).sum::<f32>() - 6.0).collect()
}

/// All filters that distinguish the entries of [`Drawer::entry`].
pub(crate) fn filters() -> Vec<SearchFilter> {
    let vehicle = |text: &str| Some(text.parse::<VehicleName>().unwrap());
    let vehicles = [
        None,
        vehicle("2015 HONDA Civic Si"),
        vehicle("2018 Ford Focus"),
        vehicle("2018 Ford focus st"),
        vehicle("1999 Saab 900"),
    ];
    let mut filters = Vec::new();
    for tenant_id in [tenant(0), tenant(1), tenant(9)] {
        for category in [None, Some(Category::Engine), Some(Category::Fuel)] {
            for kind in [None, Some(ReferenceKind::ConfirmedScan)] {
                for vehicle in vehicles.clone() {
                    for parts_only in [false, true] {
                        let vehicle = vehicle.clone();
                        filters.push(SearchFilter { tenant_id, category, kind, vehicle, parts_only });
                    }
                }
            }
        }
    }
    filters
}

/// The expected results of a search, by scanning all entries.
pub(crate) fn plain_search(
    entries: &[IndexEntry],
    query: &[f32],
    filter: &SearchFilter,
    k: usize,
) -> Vec<Neighbour> {
    let score = |entry: &IndexEntry| -> f64 {
        entry.embedding.iter().zip(query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let mut found: Vec<(f64, &IndexEntry)> =
        entries.iter().filter(|entry| filter.passes(entry)).map(|entry| (score(entry), entry)).collect();
    found.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.id.cmp(&y.id)));
    found.truncate(k);
    found
        .into_iter()
        .map(|(score, entry)| Neighbour {
            id: entry.id,
            label: entry.label.clone(),
            category: entry.category,
            score: score as f32,
            embedding: entry.embedding.clone(),
        })
        .collect()
}

/// Compares two results; scores may differ by rounding, and so may the order of nearly equal ones.
#[track_caller]
pub(crate) fn assert_same(found: &[Neighbour], expected: &[Neighbour], what: &str) {
    const ROUNDING: f32 = 2e-6;
    assert_eq!(found.len(), expected.len(), "{what}: {found:?} instead of {expected:?}");
    for (at, (found_one, expected_one)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found_one.score - expected_one.score).abs() <= ROUNDING,
            "{what}: at {at} {found_one:?} instead of {expected_one:?}"
        );
        if found_one.id == expected_one.id {
            assert_eq!(
                (&found_one.label, found_one.category, &found_one.embedding),
                (&expected_one.label, expected_one.category, &expected_one.embedding),
                "{what}"
            );
        } else {
            let worst = expected.last().map_or(0.0, |last| last.score);
            let is_tied = expected.iter().any(|other| {
                other.id == found_one.id && (other.score - found_one.score).abs() <= 2.0 * ROUNDING
            }) || (found_one.score - worst).abs() <= ROUNDING;
            assert!(is_tied, "{what}: at {at} {found_one:?} instead of {expected_one:?}");
        }
    }
}
