//! The model that browsers run themselves for a first guess, before anything is uploaded.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use partsight_app::{App, BrowserModel, Filter, Resize, SecondLook, View};
use partsight_domain::messages;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::PathSegment;
use crate::{ApiError, problems};

/// A file named by its hash never changes.
const CACHED_FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// The facts that a browser needs to run the model, from its manifest.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserModelFacts {
    #[schema(example = "partsight-50")]
    name: String,
    #[schema(example = "2.2.0")]
    version: String,
    /// Address of the ONNX file.
    url: String,
    /// SHA-256 of the model file, in hexadecimal.
    sha256: String,
    size_bytes: u64,
    input: BrowserModelInput,
    resize: BrowserModelResize,
    /// The labels of the classes, in the order of the logits.
    classes: Vec<BrowserModelClass>,
    outputs: BrowserModelOutputs,
    calibration: BrowserModelCalibration,
    /// Further views of a photograph that are run if the first result is not sure; null if the model uses none.
    #[schema(required)]
    second_look: Option<BrowserModelSecondLook>,
    thresholds: BrowserModelThresholds,
    /// The rule of candidate sets; null if it was not measured for this model.
    #[schema(required)]
    sets: Option<BrowserModelSets>,
}

/// The input tensor: f32, shape `[1, 3, height, width]`, RGB, each channel normalised as `(value / 255 - mean) / std`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BrowserModelInput {
    #[schema(example = "image")]
    name: String,
    /// In pixels.
    width: u32,
    /// In pixels.
    height: u32,
    mean: [f32; 3],
    std: [f32; 3],
}

/// How a photograph of any size is resized to the input size.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserModelResize {
    /// `squash` (ignores the aspect ratio), `center-crop` or `letterbox` (pads).
    mode: &'static str,
    /// Interpolation: `bilinear`, `bicubic` or `lanczos3`.
    filter: &'static str,
    /// For `squash`: side of a square to which the photograph is resized first, in pixels.
    #[schema(required)]
    through: Option<u32>,
    /// For `center-crop`: length of the shorter side before the crop, in pixels.
    #[schema(required)]
    shortest_side: Option<u32>,
    /// For `letterbox`: grey value of the padding, 0 to 255.
    #[schema(required)]
    pad: Option<u8>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BrowserModelClass {
    #[schema(example = "brake-rotor")]
    label: String,
    #[schema(example = "Brake Rotor")]
    name: String,
}

/// The names of the model's outputs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BrowserModelOutputs {
    /// Name of the output f32 `[1, n]`: raw class scores.
    logits: String,
    /// Name of the output f32 `[1]`: raw known score, the score of "this is a known part type".
    known: String,
}

/// Calibration: how raw scores become probabilities.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserModelCalibration {
    /// Probabilities are `softmax(logits / temperature)`.
    temperature: f64,
    /// The known score is `1 / (1 + exp(-(knownScale * known + knownBias)))`.
    known_scale: f64,
    known_bias: f64,
}

/// Test-time augmentation: the outputs are the means over the first result and all views, scaled.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserModelSecondLook {
    /// The views are run if the calibrated confidence is below this, 0 to 1.
    confidence_below: f64,
    /// They are also run if the known score is below this, 0 to 1.
    known_score_below: f64,
    /// The logits are `logitScale * mean(logits)`.
    logit_scale: f64,
    /// The raw known score is `knownScale * mean(known) + knownBias`, before the calibration.
    known_scale: f64,
    known_bias: f64,
    /// 1 to 4 views.
    views: Vec<BrowserModelView>,
}

/// A view: a crop of the photograph that is run as if it were the whole photograph.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BrowserModelView {
    /// Share of width and height that the crop keeps, around the centre; greater than 0, at most 1.
    centre: f64,
    /// Whether it is mirrored left to right after the resize.
    mirrored: bool,
}

/// Verdict thresholds, each in 0..=1.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserModelThresholds {
    not_a_part_below: f64,
    identified_known_score: f64,
    identified_confidence: f64,
}

/// The rule of candidate sets: which types the answer may be if it is not sure.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BrowserModelSets {
    /// Minimum probability that a set contains the correct type.
    #[schema(minimum = 0, maximum = 1, example = 0.95)]
    coverage: f64,
    /// A type is in the set if its probability is at least this, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    probability: f64,
}

/// Returns the facts about the model in use that a browser needs to run it.
///
/// Answers 404 if browsers cannot run the model; then there is no live guess in the viewfinder.
#[utoipa::path(get, path = "/api/model", tag = "scans",
    responses((status = OK, body = BrowserModelFacts), problems::NotFound))]
pub(crate) async fn get_browser_model(State(app): State<App>) -> Result<Json<BrowserModelFacts>, ApiError> {
    let model =
        app.recognition.browser_model().ok_or_else(|| ApiError::not_found(messages::NO_BROWSER_MODEL))?;
    Ok(Json(facts(&app, &model)))
}

/// Returns the ONNX file of the model in use, by its SHA-256.
#[utoipa::path(get, path = "/api/model/{sha256}", tag = "scans",
    params(("sha256" = String, Path, description = "The `sha256` of `GET /api/model`.")),
    responses((status = OK, body = Vec<u8>, content_type = "application/octet-stream"), problems::NotFound))]
pub(crate) async fn get_browser_model_file(
    State(app): State<App>,
    PathSegment(sha256): PathSegment,
) -> Result<Response, ApiError> {
    let model = app
        .recognition
        .browser_model()
        // By its hash, so that a browser never uses one model with the facts of another, and may cache the file for
        // ever.
        .filter(|model| model.manifest.file.sha256 == sha256)
        .ok_or_else(|| ApiError::not_found(messages::NO_BROWSER_MODEL))?;
    let headers = [(CONTENT_TYPE, "application/octet-stream"), (CACHE_CONTROL, CACHED_FOR_GOOD)];
    // Not copied: with copies, each slow client would hold some megabytes.
    Ok((headers, Bytes::from_owner(model.onnx)).into_response())
}

fn facts(app: &App, model: &BrowserModel<'_>) -> BrowserModelFacts {
    let manifest = model.manifest;
    let class = |label: &partsight_domain::PartLabel| BrowserModelClass {
        label: label.to_string(),
        name: app.parts.part_name(label),
    };
    BrowserModelFacts {
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        url: format!("/api/model/{}", manifest.file.sha256),
        sha256: manifest.file.sha256.clone(),
        size_bytes: manifest.file.size_bytes,
        input: BrowserModelInput {
            name: manifest.input.name.clone(),
            width: manifest.input.width,
            height: manifest.input.height,
            mean: manifest.input.mean,
            std: manifest.input.std,
        },
        resize: resize(manifest.resize),
        classes: model.labels.iter().map(class).collect(),
        outputs: BrowserModelOutputs {
            logits: manifest.classes.output.clone().unwrap_or_default(),
            known: manifest.known.as_ref().map(|known| known.output.clone()).unwrap_or_default(),
        },
        calibration: BrowserModelCalibration {
            temperature: manifest.calibration.temperature,
            known_scale: manifest.calibration.known_scale,
            known_bias: manifest.calibration.known_bias,
        },
        second_look: manifest.second_look.as_ref().map(second_look),
        thresholds: BrowserModelThresholds {
            not_a_part_below: manifest.thresholds.not_a_part_below,
            identified_known_score: manifest.thresholds.identified_known_score,
            identified_confidence: manifest.thresholds.identified_confidence,
        },
        sets: manifest
            .sets
            .as_ref()
            .map(|sets| BrowserModelSets { coverage: sets.coverage, probability: sets.probability }),
    }
}

fn second_look(second_look: &SecondLook) -> BrowserModelSecondLook {
    let views = second_look.views.iter();
    BrowserModelSecondLook {
        confidence_below: second_look.confidence_below,
        known_score_below: second_look.known_score_below,
        logit_scale: second_look.logit_scale,
        known_scale: second_look.known_scale,
        known_bias: second_look.known_bias,
        views: views.map(|&View { centre, mirrored }| BrowserModelView { centre, mirrored }).collect(),
    }
}

fn resize(resize: Resize) -> BrowserModelResize {
    let filter = match resize.filter() {
        Filter::Bilinear => "bilinear",
        Filter::Bicubic => "bicubic",
        Filter::Lanczos3 => "lanczos3",
    };
    let plain = |mode| BrowserModelResize { mode, filter, through: None, shortest_side: None, pad: None };
    match resize {
        // The browser repeats this arithmetic, so it gets every value, without defaults.
        Resize::Squash { through, .. } => BrowserModelResize { through, ..plain("squash") },
        Resize::CenterCrop { shortest_side, .. } => {
            BrowserModelResize { shortest_side: Some(shortest_side), ..plain("center-crop") }
        }
        Resize::Letterbox { pad, .. } => BrowserModelResize { pad: Some(pad), ..plain("letterbox") },
    }
}
