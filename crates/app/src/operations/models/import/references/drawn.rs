//! Synthetic embeddings, for tests.

use ndarray::{Array1, Array2};
use partsight_domain::SeededRng;
use partsight_inference::{Calibration, PrototypeHead, Thresholds, unit_mean};

use super::super::embed::{EmbeddedFolder, stack};

/// Length of the embeddings.
const DIMENSION: usize = 24;

/// Embeddings of types, and a model with a prototype of each.
pub(super) struct Drawn {
    pub(super) head: PrototypeHead,
    pub(super) labels: Vec<String>,
    pub(super) folders: Vec<EmbeddedFolder>,
    pub(super) calibration: Calibration,
    pub(super) thresholds: Thresholds,
}

/// Types clustered around random directions; `spread` is the distance of their photographs from those, relative to 1.
pub(super) fn drawn(n_types: usize, n_photos: usize, spread: f32) -> Drawn {
    let mut rng = SeededRng::new(11);
    let mut vector = |length: f32| -> Array1<f32> {
        let values: Array1<f32> = (0..DIMENSION).map(|_| rng.normal() as f32).collect();
        // Each value has variance 1.
        values * (length / (DIMENSION as f32).sqrt())
    };
    let folders: Vec<EmbeddedFolder> = (0..n_types)
        .map(|at| {
            let direction = vector(1.0);
            let photo = |_| {
                let photo = &direction + &vector(spread);
                let length = photo.dot(&photo).sqrt();
                photo / length
            };
            EmbeddedFolder { label: format!("type-{at:02}"), embeddings: (0..n_photos).map(photo).collect() }
        })
        .collect();
    let prototypes: Vec<Array1<f32>> =
        folders.iter().filter_map(|folder| unit_mean(&stack(&folder.embeddings, DIMENSION).view())).collect();
    let rows: Array2<f32> = stack(&prototypes, DIMENSION);
    let thresholds = Thresholds {
        not_a_part_below: 0.0,
        identified_known_score: 0.3,
        identified_confidence: 0.8,
        category_confidence: None,
        derived_by: String::new(),
        risk_measured_on: None,
        risk: Vec::new(),
        rejection: Vec::new(),
    };
    Drawn {
        head: PrototypeHead::new("drawn", rows, None, 20.0).unwrap(),
        labels: folders.iter().map(|folder| folder.label.clone()).collect(),
        folders,
        // About half of 20 is where the nearest of several unlike prototypes lies.
        calibration: Calibration {
            temperature: 1.0,
            known_scale: 1.0,
            known_bias: -14.0,
            fitted_on: String::new(),
        },
        thresholds,
    }
}
