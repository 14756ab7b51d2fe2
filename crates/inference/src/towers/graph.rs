//! Any graph with one image as input and one vector as output.

use ndarray::Array4;
use ort::value::{Outlet, TensorElementType, ValueType};

use super::{
    TowerFiles, TowerOptions,
    onnx::{Form, OnnxTower, session},
};
use crate::{Error, ImageBatch, OnnxRuntime, Result, TokenPool};

/// Usual names of the output with an image's vector, in search order.
const VECTORS: [&str; 2] = ["image_embeds", "pooler_output"];
/// The name in `transformers` of the output with the vectors of all tokens.
const TOKENS: &str = "last_hidden_state";

const IMAGES: &str = "f32 [n, 3, height, width]";
/// The same limit as in a manifest. A graph can state any size, and the first image has that size.
const MAX_SIDE: usize = 4096;

/// Opens the graph and determines its input, its output and, by one run, the length of its vectors; also returns
/// the input's width and height.
pub(super) fn open(
    runtime: &OnnxRuntime,
    files: &TowerFiles,
    options: &TowerOptions<'_>,
) -> Result<(OnnxTower, [usize; 2])> {
    let path = files.folder.join(&files.weights);
    let session = session(runtime, &path)?;
    let unfit =
        |(name, expected, found): Unfit| Error::GraphUnfit { path: path.clone(), name, expected, found };
    let input = input(session.inputs(), options.image_size).map_err(unfit)?;
    let (output, pool, output_takes_one) =
        output(session.outputs(), options.output, options.pool).map_err(unfit)?;
    let [width, height] = input.size;
    let form = Form { input: input.name, output, pool, one_at_a_time: input.takes_one || output_takes_one };
    let blank = ImageBatch::new(Array4::zeros((1, 3, height, width)))?;
    Ok((OnnxTower::of_session(&path, session, form, &blank)?, input.size))
}

/// What does not fit, what is expected, and what was found.
type Unfit = (String, String, String);

struct Input {
    name: String,
    size: [usize; 2],
    takes_one: bool,
}

/// The only input, which must accept images of a fixed or any size, in batches of any size or of one.
fn input(inputs: &[Outlet], asked: [u32; 2]) -> Result<Input, Unfit> {
    let [input] = inputs else {
        let found = match inputs {
            [] => "none".to_owned(),
            inputs => names(inputs),
        };
        return Err(("its input".to_owned(), "one, of pictures alone".to_owned(), found));
    };
    let unfit = |expected: &str| {
        let name = format!("the input `{}`", input.name());
        Err((name, expected.to_owned(), described(input.dtype())))
    };
    let ValueType::Tensor { ty: TensorElementType::Float32, shape, .. } = input.dtype() else {
        return unfit(IMAGES);
    };
    let &[n, channels, height, width] = &shape[..] else { return unfit(IMAGES) };
    if channels != -1 && channels != 3 {
        return unfit(if width == 3 { "f32 [n, 3, height, width], channels first" } else { IMAGES });
    }
    if n != -1 && n != 1 {
        return unfit("f32 [n, 3, height, width] with an open number of pictures, or one");
    }
    let side = |axis: i64, asked: u32| match usize::try_from(axis) {
        Ok(side) => Some(side).filter(|side| (1..=MAX_SIDE).contains(side)),
        Err(_) => Some(asked as usize),
    };
    let (Some(width), Some(height)) = (side(width, asked[0]), side(height, asked[1])) else {
        return unfit("f32 [n, 3, height, width] with sides of 1 to 4096 pixels");
    };
    Ok(Input { name: input.name().to_owned(), size: [width, height], takes_one: n == 1 })
}

/// The requested output, or the one with a vector per image; also whether its batch axis is 1.
fn output(
    outputs: &[Outlet],
    asked: Option<&str>,
    pool: Option<TokenPool>,
) -> Result<(String, Option<TokenPool>, bool), Unfit> {
    let wanted_rank = if pool.is_some() { 3 } else { 2 };
    let named = |name: &str| outputs.iter().find(|output| output.name() == name);
    let list = || outputs.iter().map(|output| format!("{} {}", output.name(), described(output.dtype())));
    let listed = || list().collect::<Vec<_>>().join(", ");
    let fitting: Vec<&Outlet> = outputs.iter().filter(|output| rank(output) == Some(wanted_rank)).collect();
    let output = match (asked, fitting.as_slice()) {
        (Some(name), _) => {
            named(name).ok_or_else(|| ("its output".to_owned(), format!("named `{name}`"), listed()))?
        }
        (None, [only]) => *only,
        (None, []) if pool.is_none() && named(TOKENS).is_some_and(|tokens| rank(tokens) == Some(3)) => {
            let expected =
                "f32 [n, d]; say by `--pool first` that the first token (the class token) stands for a \
                            picture, or by `--pool mean` the mean of all"
                    .to_owned();
            return Err(("its output".to_owned(), expected, listed()));
        }
        (None, []) => {
            let expected = if pool.is_some() { "f32 [n, tokens, d]" } else { "f32 [n, d]" };
            return Err(("its output".to_owned(), expected.to_owned(), listed()));
        }
        (None, several) => {
            let known: &[&str] = if pool.is_some() { &[TOKENS] } else { &VECTORS };
            let known = known.iter().find_map(|name| several.iter().find(|output| output.name() == *name));
            known.copied().ok_or_else(|| {
                (
                    "its output".to_owned(),
                    "one that holds the vectors; name it by `--output`".to_owned(),
                    listed(),
                )
            })?
        }
    };
    let expected = match (rank(output), pool) {
        (Some(2), None) | (Some(3), Some(_)) => {
            let takes_one =
                matches!(output.dtype(), ValueType::Tensor { shape, .. } if shape.first() == Some(&1));
            return Ok((output.name().to_owned(), pool, takes_one));
        }
        (Some(3), None) => "f32 [n, d], or be given with `--pool first` (its class token) or `--pool mean`",
        (_, None) => "f32 [n, d]",
        (_, Some(_)) => "f32 [n, tokens, d], or be given without `--pool`",
    };
    Err((format!("the output `{}`", output.name()), expected.to_owned(), described(output.dtype())))
}

/// The number of axes of an f32 output.
fn rank(outlet: &Outlet) -> Option<usize> {
    match outlet.dtype() {
        ValueType::Tensor { ty: TensorElementType::Float32, shape, .. } => Some(shape.len()),
        _ => None,
    }
}

fn names(outlets: &[Outlet]) -> String {
    outlets.iter().map(|outlet| format!("`{}`", outlet.name())).collect::<Vec<_>>().join(" and ")
}

/// Type and shape for messages: `u8 [n, 3, 224, 224]`.
fn described(value: &ValueType) -> String {
    let ValueType::Tensor { ty, shape, dimension_symbols } = value else { return "no tensor".to_owned() };
    if shape.is_empty() {
        return format!("{ty} without axes, or of an open number of axes");
    }
    let axes = shape.iter().enumerate().map(|(index, &length)| match dimension_symbols.get(index) {
        Some(symbol) if length == -1 && !symbol.is_empty() => symbol.clone(),
        _ if length == -1 => "?".to_owned(),
        _ => length.to_string(),
    });
    format!("{ty} [{}]", axes.collect::<Vec<_>>().join(", "))
}
