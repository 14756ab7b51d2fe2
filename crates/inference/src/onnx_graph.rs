use std::path::Path;

/// An ONNX graph: its bytes, or its path if it has external weights.
#[derive(Clone, Copy)]
pub(crate) enum Graph<'a> {
    Bytes(&'a [u8]),
    File(&'a Path),
}
