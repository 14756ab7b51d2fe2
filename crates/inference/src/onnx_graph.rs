use std::path::Path;

/// An ONNX graph: its bytes, or its file where it keeps weights in others beside it.
#[derive(Clone, Copy)]
pub(crate) enum Graph<'a> {
    Bytes(&'a [u8]),
    File(&'a Path),
}
