//! An engine that says what it is told to, and only when it is told to.

use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::Duration;

use ndarray::{Array1, Array2, ArrayView3, s};
use partsight_app::{Catalog, Identifier, Settings};
use partsight_inference::{Engine, EngineFactory, Error, ImageBatch, Manifest, Model, Outputs, Supervision};
use tokio::sync::watch;

/// Shared by a test and its engines: counts what arrives, and holds it back until the gate opens.
pub(crate) struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
    images: watch::Sender<usize>,
}

impl Gate {
    pub(crate) fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    /// Images that have reached an engine so far.
    pub(crate) fn images(&self) -> usize {
        *self.images.borrow()
    }

    /// Waits until `n` images have reached an engine.
    pub(crate) async fn wait_for_images(&self, n: usize) {
        self.images.subscribe().wait_for(|images| *images >= n).await.unwrap();
    }

    fn pass(&self, n_images: usize) {
        self.images.send_modify(|images| *images += n_images);
        let is_open = self.is_open.lock().unwrap();
        drop(self.opened.wait_while(is_open, |is_open| !*is_open).unwrap());
    }
}

/// What an engine does with every image.
#[derive(Clone, Copy)]
pub(crate) enum Behaviour {
    /// Sees the first class of the model.
    Answer,
    /// Sees these two types, each as surely as the other.
    Tie([&'static str; 2]),
    /// Sees these types, each as surely as the others.
    Spread(&'static [&'static str]),
    /// Sees these two types, the first at 80% and the other at the rest.
    Lean([&'static str; 2]),
    /// Sees the first class of the model, and is a model of another file than the real one.
    OtherModel,
    /// Fails as a broken model does.
    Fail,
}

/// Hundreds of servers at once on a few cores take longer than people would wait.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);
/// How long an engine may hold a photograph. No test runs as long; those about stuck engines say that it has passed.
pub(crate) const STALL_LIMIT: Duration = Duration::from_hours(1);

/// A logit beside which those of all other types are nothing.
const SURE: f32 = 20.0;

struct FakeEngine {
    manifest: Manifest,
    gate: Arc<Gate>,
    /// The classes that it sees, each with its logit; `None` to fail.
    seen: Option<Vec<(usize, f32)>>,
}

impl Engine for FakeEngine {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn max_batch(&self) -> usize {
        1
    }

    fn provider(&self) -> &'static str {
        "test"
    }

    fn run(&mut self, images: &ImageBatch) -> Result<Outputs, Error> {
        let n_images = images.n_images();
        self.gate.pass(n_images);
        let Some(seen) = &self.seen else {
            return Err(Error::NotFinite { model: "test".to_owned(), output: "secret-output".to_owned() });
        };
        let mut logits = Array2::zeros((n_images, self.manifest.classes.count));
        for (class, logit) in seen {
            logits.column_mut(*class).fill(*logit);
        }
        let mut embeddings = Array2::zeros((n_images, self.manifest.embedding.dimension));
        for (image, mut embedding) in images.view().outer_iter().zip(embeddings.outer_iter_mut()) {
            embedding.iter_mut().zip(coarse_picture(&image)).for_each(|(value, cell)| *value = cell);
        }
        Ok(Outputs { embeddings, logits, known: Array1::from_elem(n_images, 20.0) })
    }
}

/// What can be seen of an image `[3, h, w]` with half-closed eyes: the mean of each cell of a grid of 13 by 13, a
/// channel after the other, less the mean of the channel. All zeros for a single colour.
fn coarse_picture(image: &ArrayView3<'_, f32>) -> Vec<f32> {
    const CELLS: usize = 13;
    let (_, height, width) = image.dim();
    let bounds = |cell: usize, length: usize| (cell * length / CELLS, (cell + 1) * length / CELLS);
    let mut cells = Vec::with_capacity(3 * CELLS * CELLS);
    for channel in image.outer_iter() {
        let mean = channel.mean().unwrap_or_default();
        for row in 0..CELLS {
            for column in 0..CELLS {
                let ((top, bottom), (left, right)) = (bounds(row, height), bounds(column, width));
                let cell = channel.slice(s![top..bottom, left..right]).mean().unwrap_or_default();
                // Rounding must not make a picture of a single colour.
                cells.push(if (cell - mean).abs() < 1e-4 { 0.0 } else { cell - mean });
            }
        }
    }
    cells
}

/// Puts engines that show `behaviour` behind a gate, open or not, under these settings.
pub(crate) fn fake_identifier(
    n_engines: usize,
    behaviour: Behaviour,
    is_open: bool,
    catalog: &Catalog,
    settings: &Settings,
) -> (Arc<Identifier>, Arc<Gate>) {
    static MODEL: OnceLock<Model> = OnceLock::new();
    let model = MODEL.get_or_init(|| Model::embedded().unwrap());
    let gate = Gate { is_open: Mutex::new(is_open), opened: Condvar::new(), images: watch::channel(0).0 };
    let gate = Arc::new(gate);
    let class = |name: &str| model.labels().iter().position(|label| label == name).unwrap();
    let seen = match behaviour {
        Behaviour::Answer | Behaviour::OtherModel => Some(vec![(0, SURE)]),
        Behaviour::Tie(labels) => Some(labels.map(|label| (class(label), SURE)).to_vec()),
        Behaviour::Spread(labels) => Some(labels.iter().map(|label| (class(label), SURE)).collect()),
        Behaviour::Lean([first, second]) => {
            let temperature = model.manifest().calibration.temperature as f32;
            Some(vec![(class(first), SURE), (class(second), SURE - temperature * 4_f32.ln())])
        }
        Behaviour::Fail => None,
    };
    let its_gate = Arc::clone(&gate);
    let factory: EngineFactory = Arc::new(move || {
        let mut manifest = model.manifest().clone();
        // Tests count the images that reach an engine.
        manifest.second_look = None;
        if matches!(behaviour, Behaviour::OtherModel) {
            manifest.file.sha256 = "0".repeat(64);
        }
        Ok(Box::new(FakeEngine { manifest, gate: Arc::clone(&its_gate), seen: seen.clone() }))
    });
    let engines = (0..n_engines).map(|_| factory().unwrap()).collect();
    let supervision = Some(Supervision { factory, limit: STALL_LIMIT });
    let identifier = Identifier::supervised(engines, supervision, model.labels(), catalog, settings).unwrap();
    (Arc::new(identifier.with_answer_within(PATIENCE)), gate)
}
