//! `DINOv2` and `DINOv3` as vision transformers: maps their tensors to the layers.

use std::f64::consts::TAU;

use candle_core::{Device, Result as CandleResult, Tensor};

use super::{
    config::{DinoConfig, PerceptronKind, Positions},
    positions,
};
use crate::{
    Result,
    layers::{
        Attention, Dense, Encoder, Head, Layer, PatchEmbedding, Perceptron, Rotation, Scope,
        VisionTransformer, Weights,
    },
};

/// Loads the network for square images of this size.
///
/// The tensors of `DINOv2` have the names of the published folders, or the internal names of `transformers` 5 and
/// later.
pub(super) fn load(weights: &Weights, config: &DinoConfig, image_size: usize) -> Result<VisionTransformer> {
    let scope = weights.below(&["dinov2_with_registers", "dinov2", "dinov3_vit"]);
    let width = config.layers.hidden_size;
    let (layers, norm) = match config.positions {
        Positions::Learned { .. } => (scope.at("encoder"), "layernorm"),
        Positions::Turned { .. } if scope.has("model.layer.0.norm1.weight") => (scope.at("model"), "norm"),
        Positions::Turned { .. } => (scope.at(""), "norm"),
    };
    let patches = patches(&scope.at("embeddings"), config, image_size)?;
    let rotation = match config.positions {
        Positions::Learned { .. } => None,
        Positions::Turned { theta } => {
            let grid = image_size / config.patch_size;
            let head_width = width / config.layers.n_heads;
            let rotation = rotation(grid, head_width, theta, 1 + config.n_registers, scope.device());
            Some(rotation.map_err(|source| scope.compute_error(source))?)
        }
    };
    let layers =
        (0..config.layers.n_layers).map(|index| layer(&layers.at(&format!("layer.{index}")), config));
    Ok(VisionTransformer {
        patches,
        norm_before: None,
        encoder: Encoder { layers: layers.collect::<Result<_>>()?, rotation },
        norm_after: scope.layer_norm(norm, width, config.layers.layer_norm_eps)?,
        head: Head::ClassToken,
    })
}

fn patches(scope: &Scope<'_>, config: &DinoConfig, image_size: usize) -> Result<PatchEmbedding> {
    let (width, patch_size) = (config.layers.hidden_size, config.patch_size);
    let flat = |name: &str, shape: &[usize]| {
        let tensor = scope.tensor(name, shape)?;
        tensor.reshape(((), width)).map_err(|source| scope.compute_error(source))
    };
    let (projection, positions) = match config.positions {
        Positions::Learned { grid, antialias } => {
            let learned = flat("position_embeddings", &[1, grid * grid + 1, width])?;
            let resized = resized(&learned, grid, image_size / patch_size, antialias);
            let resized = resized.map_err(|source| scope.compute_error(source))?;
            ("patch_embeddings.projection", Some(resized))
        }
        Positions::Turned { .. } => ("patch_embeddings", None),
    };
    let projection = scope.at(projection);
    let n_registers = config.n_registers;
    let registers =
        (n_registers > 0).then(|| flat("register_tokens", &[1, n_registers, width])).transpose()?;
    Ok(PatchEmbedding {
        projection: projection.patch_projection(
            patch_size,
            width,
            Some(projection.tensor("bias", &[width])?),
        )?,
        device: scope.device().clone(),
        class_token: Some(flat("cls_token", &[1, 1, width])?),
        registers,
        positions,
        image_size,
        patch_size,
    })
}

/// Keeps the class token's position `[1, width]`, and resizes those of the patches to `grid` x `grid`.
fn resized(learned: &Tensor, from: usize, grid: usize, antialias: bool) -> CandleResult<Tensor> {
    if from == grid {
        return Ok(learned.clone());
    }
    let width = learned.dim(1)?;
    let patches = learned.narrow(0, 1, from * from)?.flatten_all()?.to_vec1::<f32>()?;
    let patches = positions::resize(&patches, from, grid, antialias);
    let patches = Tensor::from_vec(patches, (grid * grid, width), learned.device())?;
    Tensor::cat(&[learned.narrow(0, 0, 1)?, patches], 0)
}

/// Angles of the patches' centres, which are in -1..=1 along each axis: `2 pi y / theta^(4 i / head width)`, then
/// the same for x, and both again for the second half of a head.
fn rotation(
    grid: usize,
    head_width: usize,
    theta: f64,
    n_before: usize,
    device: &Device,
) -> CandleResult<Rotation> {
    let quarter = head_width / 4;
    let centre = |place: usize| 2.0 * (place as f64 + 0.5) / grid as f64 - 1.0;
    let angle = |at: f64, index: usize| TAU * at / theta.powf(4.0 * index as f64 / head_width as f64);
    let mut angles = Vec::with_capacity(grid * grid * head_width);
    for (row, column) in (0..grid).flat_map(|row| (0..grid).map(move |column| (row, column))) {
        for _half in 0..2 {
            for at in [centre(row), centre(column)] {
                angles.extend((0..quarter).map(|index| angle(at, index)));
            }
        }
    }
    let tensor = |function: fn(f64) -> f64| {
        let values: Vec<f32> = angles.iter().map(|angle| function(*angle) as f32).collect();
        Tensor::from_vec(values, (grid * grid, head_width), device)
    };
    Ok(Rotation { cos: tensor(f64::cos)?, sin: tensor(f64::sin)?, n_before })
}

fn layer(scope: &Scope<'_>, config: &DinoConfig) -> Result<Layer> {
    let (width, eps) = (config.layers.hidden_size, config.layers.layer_norm_eps);
    Ok(Layer {
        attention_norm: scope.layer_norm("norm1", width, eps)?,
        attention: attention(&scope.at("attention"), config)?,
        attention_scale: Some(scope.tensor("layer_scale1.lambda1", &[width])?),
        perceptron_norm: scope.layer_norm("norm2", width, eps)?,
        perceptron: perceptron(&scope.at("mlp"), config)?,
        perceptron_scale: Some(scope.tensor("layer_scale2.lambda1", &[width])?),
    })
}

fn attention(scope: &Scope<'_>, config: &DinoConfig) -> Result<Attention> {
    let width = config.layers.hidden_size;
    let is_learned = matches!(config.positions, Positions::Learned { .. });
    let [query, key, value, output] = if is_learned && !scope.has("q_proj.weight") {
        ["attention.query", "attention.key", "attention.value", "output.dense"]
    } else {
        ["q_proj", "k_proj", "v_proj", "o_proj"]
    };
    let biases = config.biases;
    Ok(Attention {
        query: scope.linear_with(query, width, width, biases.query)?,
        key: scope.linear_with(key, width, width, biases.key)?,
        value: scope.linear_with(value, width, width, biases.value)?,
        output: scope.linear_with(output, width, width, biases.output)?,
        n_heads: config.layers.n_heads,
    })
}

fn perceptron(scope: &Scope<'_>, config: &DinoConfig) -> Result<Perceptron> {
    let (width, inner, activation) =
        (config.layers.hidden_size, config.layers.intermediate_size, config.layers.activation);
    let has_bias = config.biases.perceptron;
    let linear = |name: &str, n_in, n_out| scope.linear_with(name, n_in, n_out, has_bias);
    let is_learned = matches!(config.positions, Positions::Learned { .. });
    match config.perceptron {
        PerceptronKind::Plain => {
            let [widen, narrow] = if is_learned { ["fc1", "fc2"] } else { ["up_proj", "down_proj"] };
            Ok(Perceptron {
                widen: linear(widen, width, inner)?.then(activation),
                gate: None,
                narrow: linear(narrow, inner, width)?,
            })
        }
        // One matrix contains the gate and, below it, the gated layer.
        PerceptronKind::Gated if is_learned && !scope.has("gate_proj.weight") => {
            let both = scope.at("weights_in");
            let weights = both.tensor("weight", &[2 * inner, width])?;
            let bias = has_bias.then(|| both.tensor("bias", &[2 * inner])).transpose()?;
            let half = |begin: usize| -> CandleResult<Dense> {
                let bias = bias.as_ref().map(|bias| bias.narrow(0, begin, inner)).transpose()?;
                Dense::new(weights.narrow(0, begin, inner)?, bias)
            };
            let half = |begin| half(begin).map_err(|source| scope.compute_error(source));
            Ok(Perceptron {
                widen: half(inner)?,
                gate: Some(half(0)?.then(activation)),
                narrow: linear("weights_out", inner, width)?,
            })
        }
        PerceptronKind::Gated => Ok(Perceptron {
            widen: linear("up_proj", width, inner)?,
            gate: Some(linear("gate_proj", width, inner)?.then(activation)),
            narrow: linear("down_proj", inner, width)?,
        }),
    }
}
