//! Builds a [`Network`] from an ONNX graph, if it has the supported form.
//!
//! The order of operators is that of our exports: a stem in f32, blocks with `QuantizeLinear` and
//! `DequantizeLinear` after each convolution, the mean over the image, and a head in f32. Any other graph runs on
//! ONNX Runtime.

use std::collections::{HashMap, HashSet};

use super::{
    block::Block,
    depthwise::{self, Depthwise, Filter},
    head::{Head, Linear, Operator, Step},
    network::Network,
    onnx::{Constant, Graph, Node, Values},
    pointwise::{Pointwise, Residual},
    quantization::{Quantization, Requantization},
    stem::{Stem, Weights},
    unsupported::Unsupported,
};
use crate::simd::Simd;

/// Channels are a multiple of this, and pixels of a layer are computed in tiles of this width.
const TILE: usize = 8;
/// Largest filter size.
const MOST_ROWS: i64 = 5;
/// With larger weights, the sum of two products would overflow the 16 bits that AVX2 has for it.
const GREATEST_WEIGHT: u8 = 64;

type Result<T> = std::result::Result<T, Unsupported>;

/// Largest number of products in a sum: this many of the largest fit in 32 bits.
const MOST_PRODUCTS: usize = 1 << 16;

/// Relative tolerance, for rounding.
const LARGEST_DIFFERENCE_OF_SCALES: f32 = 1e-4;

/// A quantized tensor: its name after dequantization, its quantization, and its number of channels.
#[derive(Clone)]
struct Bytes {
    name: String,
    how: Quantization,
    channels: usize,
}

/// A quantized convolution with its parameters.
struct Convolution<'a> {
    shape: Vec<usize>,
    weights: &'a [i8],
    /// Includes the contribution of the input's zero point.
    bias: Vec<i32>,
    scale: Vec<f32>,
    filter: Filter,
    is_depthwise: bool,
    output: Bytes,
}

/// Builds the network for an image of `height` by `width` that is the graph's input `input`.
///
/// # Errors
/// [`Unsupported`] for any other graph.
pub(super) fn network<S: Simd>(
    graph: &Graph,
    input: &str,
    (height, width): (usize, usize),
) -> Result<Network> {
    let mut reader = Reader::new(graph);
    let (stem, mut tensor) = reader.stem(input)?;
    let (mut height_now, mut width_now) = (height / 2, width / 2);
    if !height.is_multiple_of(16) || !width.is_multiple_of(16) {
        return Err(Unsupported::new(format!("images of {width}x{height}")));
    }
    let mut blocks = Vec::new();
    loop {
        let widen = reader.convolution(&tensor)?;
        if let Ok((last, pixels)) = reader.last::<S>(&widen) {
            let head = reader.head(&pixels, widen.output.how)?;
            return Ok(Network { height, width, stem, blocks, last, head });
        }
        let (block, output) = reader.block::<S>(&tensor, &widen)?;
        let stride = block.depthwise.stride();
        if !height_now.is_multiple_of(stride) || !(width_now / stride).is_multiple_of(TILE) {
            return Err(Unsupported::new(format!("a layer of {width_now}x{height_now}")));
        }
        (height_now, width_now) = (height_now / stride, width_now / stride);
        blocks.push(block);
        tensor = output;
    }
}

/// A graph, indexed by the readers and writers of its tensors.
struct Reader<'a> {
    graph: &'a Graph,
    readers: HashMap<&'a str, Vec<&'a Node>>,
    writers: HashMap<&'a str, &'a Node>,
    /// Addresses of the weights that operators already use.
    taken: HashSet<*const u8>,
}

impl<'a> Reader<'a> {
    fn new(graph: &'a Graph) -> Self {
        let mut readers: HashMap<&str, Vec<&Node>> = HashMap::new();
        let mut writers = HashMap::new();
        for node in &graph.nodes {
            for input in &node.inputs {
                readers.entry(input).or_default().push(node);
            }
            for output in &node.outputs {
                writers.insert(output.as_str(), node);
            }
        }
        Self { graph, readers, writers, taken: HashSet::new() }
    }

    /// The only node of this operator that reads the tensor.
    fn next(&self, tensor: &str, operator: &str) -> Result<&'a Node> {
        let readers = self.readers.get(tensor).map_or(&[][..], Vec::as_slice);
        let mut fitting = readers.iter().filter(|node| {
            node.operator == operator
                && node.inputs.first().is_some_and(|first| first == tensor || operator == "Add")
        });
        match (fitting.next(), fitting.next()) {
            (Some(node), None) => Ok(node),
            _ => Err(Unsupported::new(format!("`{tensor}` is not read by one {operator}"))),
        }
    }

    fn constant(&self, node: &Node, index: usize) -> Result<&'a Constant> {
        node.inputs
            .get(index)
            .and_then(|name| self.graph.constant(name))
            .ok_or_else(|| Unsupported::new(format!("input {index} of a {} is no constant", node.operator)))
    }

    fn floats(&self, node: &Node, index: usize) -> Result<&'a [f32]> {
        match &self.constant(node, index)?.values {
            Values::F32(values) if values.iter().all(|value| value.is_finite()) => Ok(values),
            _ => Err(Unsupported::new(format!("input {index} of a {} is not f32", node.operator))),
        }
    }

    /// Marks weights as used by an operator, which copies them: operators that share weights, and blocks in a
    /// cycle, could use any amount of memory for a small file.
    fn take<T>(&mut self, weights: &[T]) -> Result<()> {
        if self.taken.insert(weights.as_ptr().cast()) {
            return Ok(());
        }
        Err(Unsupported::new("weights that two operators have"))
    }

    fn stem(&self, input: &str) -> Result<(Stem, Bytes)> {
        let layer = |input: &str, relu: bool| {
            let node = self.next(input, "Conv")?;
            let mut output = output_of(node)?;
            if relu {
                let clip = self.next(output, "Clip")?;
                if (self.floats(clip, 1)?, self.floats(clip, 2)?) != (&[0.0][..], &[6.0][..]) {
                    return Err(Unsupported::new("a Clip that is no ReLU6"));
                }
                output = output_of(clip)?;
            }
            let weights = Weights { values: self.floats(node, 1)?, bias: self.floats(node, 2)? };
            Ok((weights, self.constant(node, 1)?.shape.as_slice(), filter_of(node)?, output))
        };
        let (first, first_shape, first_filter, output) = layer(input, true)?;
        let (depthwise, depthwise_shape, depthwise_filter, output) = layer(output, true)?;
        let (pointwise, pointwise_shape, pointwise_filter, output) = layer(output, false)?;
        let (channels, n_out) = (first.bias.len(), pointwise.bias.len());
        let shapes = (first_shape, depthwise_shape, pointwise_shape);
        let wanted = (&[channels, 3, 3, 3][..], &[channels, 1, 3, 3][..], &[n_out, channels, 1, 1][..]);
        let filters = [first_filter, depthwise_filter, pointwise_filter]
            .map(|(filter, groups)| (filter.size, filter.stride, groups));
        if shapes != wanted
            || filters != [(3, 2, 1), (3, 1, channels), (1, 1, 1)]
            || depthwise_filter.0.pad != 1
            || channels == 0
            || n_out == 0
            || !channels.is_multiple_of(32)
            || !n_out.is_multiple_of(16)
            || depthwise.bias.len() != channels
        {
            return Err(Unsupported::new("first layers of other shapes"));
        }
        let output = self.bytes(output, n_out)?;
        Ok((Stem::new(&first, first_filter.0, &depthwise, &pointwise, output.how), output))
    }

    /// The `QuantizeLinear` and `DequantizeLinear` pair behind a tensor.
    fn bytes(&self, tensor: &str, channels: usize) -> Result<Bytes> {
        let quantize = self.next(tensor, "QuantizeLinear")?;
        let dequantize = self.next(output_of(quantize)?, "DequantizeLinear")?;
        let how = self.quantization(quantize)?;
        if how != self.quantization(dequantize)? {
            return Err(Unsupported::new(format!("`{tensor}` is read in another way than it is written")));
        }
        Ok(Bytes { name: output_of(dequantize)?.to_owned(), how, channels })
    }

    fn quantization(&self, node: &Node) -> Result<Quantization> {
        match (self.floats(node, 1)?, &self.constant(node, 2)?.values) {
            ([scale], Values::U8(zero_point)) if *scale > 0.0 && zero_point.len() == 1 => {
                Ok(Quantization { scale: *scale, zero_point: zero_point[0] })
            }
            _ => Err(Unsupported::new("a tensor that is no u8 with one scale")),
        }
    }

    /// The constant behind a `DequantizeLinear`, and its scale per channel.
    fn dequantized(&self, node: &Node, index: usize) -> Result<(&'a Constant, &'a [f32])> {
        let name = node.inputs.get(index).map_or("", String::as_str);
        let dequantize = self.writers.get(name).filter(|node| node.operator == "DequantizeLinear");
        let dequantize = dequantize.ok_or_else(|| Unsupported::new("weights that are not quantized"))?;
        let is_zero = dequantize.inputs.len() < 3
            || match &self.constant(dequantize, 2)?.values {
                Values::I8(zero) => zero.iter().all(|zero| *zero == 0),
                Values::I32(zero) => zero.iter().all(|zero| *zero == 0),
                _ => false,
            };
        let scale = self.floats(dequantize, 1)?;
        if !is_zero || dequantize.integer("axis") != Some(0) || scale.iter().any(|scale| *scale <= 0.0) {
            return Err(Unsupported::new("weights that are quantized in another way"));
        }
        Ok((self.constant(dequantize, 0)?, scale))
    }

    fn convolution(&mut self, input: &Bytes) -> Result<Convolution<'a>> {
        let node = self.next(&input.name, "Conv")?;
        let (filter, groups) = filter_of(node)?;
        let (Constant { shape, values: Values::I8(weights) }, weight_scale) = self.dequantized(node, 1)?
        else {
            return Err(Unsupported::new("weights that are not s8"));
        };
        let (Constant { values: Values::I32(bias), .. }, bias_scale) = self.dequantized(node, 2)? else {
            return Err(Unsupported::new("a bias that is not s32"));
        };
        let n_out = bias.len();
        let is_depthwise =
            groups == n_out && groups == input.channels && shape[..] == [n_out, 1, filter.size, filter.size];
        let is_pointwise = groups == 1
            && shape[..] == [n_out, input.channels, 1, 1]
            && (filter.size, filter.stride, filter.pad) == (1, 1, 0);
        // The bias is added to the sums of products as it is, so it must have their scale.
        let is_one_scale = |(bias, weight): (&f32, &f32)| {
            (bias / (input.how.scale * weight) - 1.0).abs() < LARGEST_DIFFERENCE_OF_SCALES
        };
        if !(is_depthwise || is_pointwise)
            || n_out == 0
            || weight_scale.len() != n_out
            || bias_scale.len() != n_out
            || !bias_scale.iter().zip(weight_scale).all(is_one_scale)
            || weights.len() / n_out > MOST_PRODUCTS
            || weights.iter().any(|weight| weight.unsigned_abs() > GREATEST_WEIGHT)
            || !n_out.is_multiple_of(if is_depthwise { depthwise::CHANNELS } else { TILE })
        {
            return Err(Unsupported::new(format!("a convolution of {shape:?}")));
        }
        self.take(weights)?;
        let output = self.bytes(output_of(node)?, n_out)?;
        let zero_point = i32::from(input.how.zero_point);
        let bias = bias.iter().zip(weights.chunks_exact(weights.len() / n_out)).map(|(bias, weights)| {
            bias.wrapping_sub(zero_point * weights.iter().map(|weight| i32::from(*weight)).sum::<i32>())
        });
        let scale = weight_scale.iter().map(|scale| input.how.scale * scale / output.how.scale);
        Ok(Convolution {
            shape: shape.clone(),
            weights,
            bias: bias.collect(),
            scale: scale.collect(),
            filter,
            is_depthwise,
            output,
        })
    }

    fn block<S: Simd>(&mut self, input: &Bytes, widen: &Convolution<'a>) -> Result<(Block, Bytes)> {
        let depthwise = self.convolution(&widen.output)?;
        let narrow = self.convolution(&depthwise.output)?;
        let Filter { size, stride, pad } = depthwise.filter;
        if widen.is_depthwise
            || !depthwise.is_depthwise
            || narrow.is_depthwise
            || ![3, 5].contains(&size)
            || ![1, 2].contains(&stride)
            || pad >= size
        {
            return Err(Unsupported::new("a block of another order"));
        }
        let mut output = narrow.output.clone();
        let mut residual = None;
        // A sum with anything but the input does not belong to this block.
        let sum = self.next(&output.name, "Add").ok().filter(|add| add.inputs.contains(&input.name));
        if let Some(add) = sum {
            if stride != 1 || input.channels != output.channels {
                return Err(Unsupported::new("a sum of tensors of other sizes"));
            }
            let sum = self.bytes(output_of(add)?, output.channels)?;
            residual = Some(Residual::new(output.how, input.how, sum.how));
            output = sum;
        }
        let block = Block {
            widen: pointwise::<S>(widen),
            depthwise: Depthwise::new::<S>(
                depthwise.weights,
                depthwise.filter,
                widen.output.how.zero_point,
                &depthwise.bias,
                &depthwise.scale,
                depthwise.output.how.zero_point,
            ),
            narrow: pointwise::<S>(&narrow),
            residual,
        };
        Ok((block, output))
    }

    /// The last convolution, whose output is averaged, and the quantization of the means.
    fn last<S: Simd>(&self, convolution: &Convolution<'a>) -> Result<(Pointwise, Bytes)> {
        let mean = self.next(&convolution.output.name, "GlobalAveragePool")?;
        if convolution.is_depthwise {
            return Err(Unsupported::new("a depthwise convolution at the end"));
        }
        let means = self.bytes(output_of(mean)?, convolution.output.channels)?;
        Ok((pointwise::<S>(convolution), means))
    }

    /// All operators after the means.
    fn head(&mut self, means: &Bytes, pixels: Quantization) -> Result<Head> {
        let graph = self.graph;
        let start = graph.nodes.iter().position(|node| node.inputs.contains(&means.name));
        let start = start.ok_or_else(|| Unsupported::new("means that nothing reads"))?;
        let nodes = graph.nodes[start..].iter();
        let steps = nodes.map(|node| self.head_step(node)).collect::<Result<Vec<_>>>()?;
        let head = Head { input: means.name.clone(), steps, pixels, means: means.how };
        head.widths(means.channels)?;
        Ok(head)
    }

    fn head_step(&mut self, node: &Node) -> Result<Step> {
        let other = || Unsupported::new(format!("the operator {} in the head", node.operator));
        let axis_is_1 =
            |name| matches!(node.integers(name), [1]) && node.integer("keepdims").unwrap_or(1) == 1;
        let mut inputs: Vec<String> = node.inputs.iter().take(1).cloned().collect();
        let operator = match node.operator.as_str() {
            "Flatten" if node.integer("axis").unwrap_or(1) == 1 => Operator::Same,
            "Reshape" if matches!(&self.constant(node, 1)?.values, Values::I64(shape) if shape[..] == [-1]) => {
                Operator::Column
            }
            "Gemm"
                if node.integer("transB") == Some(1)
                    && node.integer("transA").unwrap_or(0) == 0
                    && ["alpha", "beta"]
                        .iter()
                        .all(|factor| matches!(node.float(factor), None | Some(1.0))) =>
            {
                let weights = self.floats(node, 1)?;
                let n_out = self.constant(node, 1)?.shape.first().copied().unwrap_or(0);
                let bias = if node.inputs.len() > 2 { self.floats(node, 2)? } else { &[] };
                // Without weights the number of inputs is undefined.
                if weights.is_empty()
                    || n_out == 0
                    || !weights.len().is_multiple_of(n_out)
                    || !bias.is_empty() && bias.len() != n_out
                {
                    return Err(other());
                }
                self.take(weights)?;
                Operator::Linear(Linear::new(weights, bias, n_out))
            }
            "ReduceL2" if axis_is_1("axes") => Operator::Length,
            "ReduceMax" if axis_is_1("axes") => Operator::Greatest,
            "ReduceLogSumExp" if axis_is_1("axes") => Operator::LogSumExp,
            "Max" => match (self.floats(node, 1)?, node.inputs.len()) {
                ([least], 2) => Operator::AtLeast(*least),
                _ => return Err(other()),
            },
            "Div" => {
                inputs.clone_from(&node.inputs);
                Operator::Divide
            }
            "Concat" if node.integer("axis") == Some(1) => {
                inputs.clone_from(&node.inputs);
                Operator::Concatenate
            }
            _ => return Err(other()),
        };
        Ok(Step { inputs, output: output_of(node)?.to_owned(), operator })
    }
}

fn pointwise<S: Simd>(convolution: &Convolution<'_>) -> Pointwise {
    let to_bytes = Requantization::new(
        convolution.bias.iter().copied(),
        convolution.scale.iter().copied(),
        convolution.output.how.zero_point,
    );
    Pointwise::new::<S>(convolution.weights, convolution.shape[1], to_bytes)
}

fn output_of(node: &Node) -> Result<&str> {
    match &node.outputs[..] {
        [output] => Ok(output),
        _ => Err(Unsupported::new(format!("a {} with several outputs", node.operator))),
    }
}

/// The filter of a convolution, and its groups. Padding must give `ceil(size / stride)` rows and columns.
fn filter_of(node: &Node) -> Result<(Filter, usize)> {
    let ([size, other_size], [stride, other_stride], [top, left, bottom, right]) =
        (node.integers("kernel_shape"), node.integers("strides"), node.integers("pads"))
    else {
        return Err(Unsupported::new("a convolution without sizes"));
    };
    let square = size == other_size && stride == other_stride && top == left && bottom == right;
    let is_filter = (1..=MOST_ROWS).contains(size) && (1..=2).contains(stride);
    let is_padding = [top, bottom].iter().all(|rows| (0..*size).contains(*rows));
    if !is_filter || !is_padding {
        return Err(Unsupported::new("a convolution of another size"));
    }
    let all_around = top + bottom == size - stride || top + bottom == size - 1;
    if !square || !all_around || node.integers("dilations").iter().any(|step| *step != 1) {
        return Err(Unsupported::new("a convolution of another form"));
    }
    let number = |value: &i64| usize::try_from(*value).unwrap_or(0);
    let groups = node.integer("group").unwrap_or(1);
    Ok((Filter { size: number(size), stride: number(stride), pad: number(top) }, number(&groups)))
}
