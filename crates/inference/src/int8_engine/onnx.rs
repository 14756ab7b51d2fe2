//! The part of `onnx.proto` (ONNX, Apache-2.0) that our networks use, with its field numbers.

use std::collections::HashMap;

use prost::Message;

use super::unsupported::Unsupported;

#[derive(Message)]
struct ModelProto {
    #[prost(message, optional, tag = "7")]
    graph: Option<GraphProto>,
}

#[derive(Message)]
struct GraphProto {
    #[prost(message, repeated, tag = "1")]
    nodes: Vec<Node>,
    #[prost(message, repeated, tag = "5")]
    initializers: Vec<TensorProto>,
}

/// An operator with the names of its input and output tensors.
#[derive(Message)]
pub(super) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub(super) inputs: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(super) outputs: Vec<String>,
    #[prost(string, tag = "4")]
    pub(super) operator: String,
    #[prost(message, repeated, tag = "5")]
    attributes: Vec<AttributeProto>,
}

#[derive(Message)]
struct AttributeProto {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(float, tag = "2")]
    float: f32,
    #[prost(int64, tag = "3")]
    integer: i64,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    integers: Vec<i64>,
}

#[derive(Message)]
struct TensorProto {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    shape: Vec<i64>,
    #[prost(int32, tag = "2")]
    element: i32,
    #[prost(float, repeated, tag = "4")]
    floats: Vec<f32>,
    #[prost(int32, repeated, tag = "5")]
    integers: Vec<i32>,
    #[prost(string, tag = "8")]
    name: String,
    #[prost(bytes = "vec", tag = "9")]
    raw: Vec<u8>,
}

/// Elements of a constant tensor, in row-major order.
#[derive(Debug)]
pub(super) enum Values {
    F32(Vec<f32>),
    U8(Vec<u8>),
    I8(Vec<i8>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    /// Of an unsupported type, or with another number of values than the shape states.
    Other,
}

/// A constant of the graph.
#[derive(Debug)]
pub(super) struct Constant {
    pub(super) shape: Vec<usize>,
    pub(super) values: Values,
}

/// Operators in the order of the file, which is a valid order of execution, and constants by name.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    constants: HashMap<String, Constant>,
}

impl Graph {
    /// # Errors
    /// [`Unsupported`] for bytes that are no ONNX file with one graph.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Unsupported> {
        let model =
            ModelProto::decode(bytes).map_err(|error| Unsupported::new(format!("no ONNX file: {error}")))?;
        let graph = model.graph.ok_or_else(|| Unsupported::new("an ONNX file without a graph"))?;
        let constants = graph
            .initializers
            .into_iter()
            .map(|tensor| (tensor.name.clone(), tensor.into_constant()))
            .collect();
        Ok(Self { nodes: graph.nodes, constants })
    }

    pub(super) fn constant(&self, name: &str) -> Option<&Constant> {
        self.constants.get(name)
    }
}

impl Node {
    /// A list of integers; empty if the node has no such attribute.
    pub(super) fn integers(&self, name: &str) -> &[i64] {
        self.attribute(name).map_or(&[], |attribute| &attribute.integers)
    }

    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        self.attribute(name).map(|attribute| attribute.integer)
    }

    pub(super) fn float(&self, name: &str) -> Option<f32> {
        self.attribute(name).map(|attribute| attribute.float)
    }

    fn attribute(&self, name: &str) -> Option<&AttributeProto> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

impl TensorProto {
    fn into_constant(self) -> Constant {
        // `TensorProto.DataType`. Small tensors may be in lists; all others are in `raw`, little-endian.
        let values = match self.element {
            1 if self.raw.is_empty() => Values::F32(self.floats),
            1 => Values::F32(self.raw.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()),
            2 if self.raw.is_empty() => Values::U8(self.integers.iter().map(|value| *value as u8).collect()),
            2 => Values::U8(self.raw),
            3 if self.raw.is_empty() => Values::I8(self.integers.iter().map(|value| *value as i8).collect()),
            3 => Values::I8(self.raw.iter().map(|byte| byte.cast_signed()).collect()),
            6 if self.raw.is_empty() => Values::I32(self.integers),
            6 => Values::I32(self.raw.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect()),
            7 => Values::I64(self.raw.as_chunks().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect()),
            _ => Values::Other,
        };
        let shape: Vec<usize> =
            self.shape.iter().map(|length| usize::try_from(*length).unwrap_or(0)).collect();
        let n_values = match &values {
            Values::F32(values) => values.len(),
            Values::U8(values) => values.len(),
            Values::I8(values) => values.len(),
            Values::I32(values) => values.len(),
            Values::I64(values) => values.len(),
            Values::Other => 0,
        };
        // Kernels rely on the shape.
        let is_whole = shape.iter().try_fold(1_usize, |n, length| n.checked_mul(*length)) == Some(n_values);
        Constant { shape, values: if is_whole { values } else { Values::Other } }
    }
}
