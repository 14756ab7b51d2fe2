//! Made-up references that lie about as a catalogue's do.

use partsight_catalog::{EmbeddingSpace, ExactIndex, IndexEntry};
use partsight_domain::{Category, PartLabel, ReferenceId, ReferenceKind, TenantId};
use uuid::Uuid;

/// Directions around which embeddings gather, one a part type.
const N_TYPES: usize = 200;
/// How far embeddings stray from their direction: neighbours of one type then have a cosine of about 0.6, as
/// photographs of one type have with the shipped model.
const SPREAD: f32 = 0.8;

/// The tenant of this number.
pub fn tenant(number: u128) -> TenantId {
    TenantId(Uuid::from_u128(number + 1))
}

/// Draws embeddings of L2 length 1.
#[derive(Debug)]
pub struct References {
    types: Vec<Vec<f32>>,
    state: u64,
}

impl References {
    /// References of `dimension` numbers; the same for the same `seed`.
    pub fn new(dimension: usize, seed: u64) -> Self {
        let mut references = Self { types: Vec::new(), state: seed | 1 };
        references.types = (0..N_TYPES).map(|_| references.noise(dimension)).collect();
        references
    }

    /// The next `n` embeddings, f32 `[n, d]`.
    pub fn embeddings(&mut self, n: usize) -> Vec<Vec<f32>> {
        (0..n).map(|_| self.embedding()).collect()
    }

    /// An index of `n_rows` embeddings, shared out among `n_tenants` and all categories.
    ///
    /// # Panics
    /// Never: the embeddings fit the index.
    pub fn index(&mut self, n_rows: usize, n_tenants: u128) -> ExactIndex {
        let dimension = self.types[0].len();
        let index = ExactIndex::new(EmbeddingSpace { dimension, model_sha256: String::new() })
            .expect("a width that an index takes");
        let label = PartLabel::new("turbocharger").expect("a label");
        for number in 0..n_rows {
            let entry = IndexEntry {
                id: ReferenceId(Uuid::from_u128(number as u128)),
                tenant_id: Some(tenant(number as u128 % n_tenants)),
                label: label.clone(),
                category: Some(Category::ALL[number % Category::ALL.len()]),
                kind: ReferenceKind::Enrolled,
                parts: Vec::new(),
                revision: 0,
                embedding: self.embedding(),
            };
            index.upsert_blocking(vec![entry]).expect("an embedding of length 1");
        }
        index
    }

    fn embedding(&mut self) -> Vec<f32> {
        let at = (self.next() % N_TYPES as u64) as usize;
        let noise = self.noise(self.types[at].len());
        unit(self.types[at].iter().zip(noise).map(|(t, n)| t + SPREAD * n).collect())
    }

    fn noise(&mut self, n: usize) -> Vec<f32> {
        // Four uniform numbers add up to something near enough to a normal one of variance 1.
        let uniform = |bits: u64| (bits >> 40) as f32 / (1_u32 << 24) as f32 - 0.5;
        (0..n).map(|_| (0..4).map(|_| uniform(self.next())).sum::<f32>() * 3.0_f32.sqrt()).collect()
    }

    /// Xorshift (Marsaglia, 2003).
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    for x in &mut vector {
        *x = (f64::from(*x) / length) as f32;
    }
    vector
}
