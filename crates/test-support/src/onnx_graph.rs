//! Tiny ONNX graphs, written field by field: colours and token ids to embeddings of few values.
//!
//! The numbers of the fields are those of `onnx.proto`.

/// A message of protocol buffers under construction.
#[derive(Clone, Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(mut self, mut value: u64) -> Self {
        // Seven bits a byte, the lowest first; the eighth says that more follow.
        while value >= 128 {
            self.0.push((value as u8 & 127) | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
        self
    }

    fn number(self, field: u64, value: u64) -> Self {
        self.varint(field << 3).varint(value)
    }

    fn bytes(self, field: u64, bytes: &[u8]) -> Self {
        // Wire type 2: a length and so many bytes; type 0 above is a varint.
        let mut message = self.varint(field << 3 | 2).varint(bytes.len() as u64);
        message.0.extend(bytes);
        message
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }
}

const FLOAT: u64 = 1;
const UINT8: u64 = 2;
const INT64: u64 = 7;

/// An axis of a shape; `None` leaves it open.
pub type Axis = Option<u64>;

fn value_info(name: &str, element: u64, shape: &[Axis]) -> Message {
    let shape = shape.iter().enumerate().fold(Message::default(), |message, (index, axis)| {
        let axis = match axis {
            Some(length) => Message::default().number(1, *length),
            None => Message::default().text(2, &format!("axis{index}")),
        };
        message.message(1, &axis)
    });
    let tensor = Message::default().number(1, element).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}

fn tensor(name: &str, shape: &[u64], values: &[f32]) -> Message {
    let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    shape
        .iter()
        .fold(Message::default(), |message, &length| message.number(1, length))
        .number(2, FLOAT)
        .text(8, name)
        .bytes(9, &raw)
}

fn node(operator: &str, inputs: &[&str], output: &str) -> Message {
    inputs
        .iter()
        .fold(Message::default(), |message, input| message.text(1, input))
        .text(2, output)
        .text(4, operator)
}

fn model(nodes: &[Message], tensors: &[Message], inputs: &[Message], outputs: &[Message]) -> Vec<u8> {
    let mut graph = nodes.iter().fold(Message::default(), |graph, node| graph.message(1, node));
    graph = graph.text(2, "tiny");
    for (field, messages) in [(5, tensors), (11, inputs), (12, outputs)] {
        graph = messages.iter().fold(graph, |graph, message| graph.message(field, message));
    }
    // The unnamed domain is that of ONNX itself: version 17 of its operators, 8 of the format.
    let opset = Message::default().text(1, "").number(2, 17);
    Message::default().number(1, 8).message(7, &graph).message(8, &opset).0
}

/// `pixel_values` `[n, 3, side, side]` to `image_embeds` `[n, 3]`: the mean of each channel plus `offset`.
pub fn mean_colour(side: u64, offset: [f32; 3]) -> Vec<u8> {
    model(
        &[
            node("GlobalAveragePool", &["pixel_values"], "mean"),
            node("Flatten", &["mean"], "flat"),
            node("Add", &["flat", "offset"], "image_embeds"),
        ],
        &[tensor("offset", &[3], &offset)],
        &[value_info("pixel_values", FLOAT, &[None, Some(3), Some(side), Some(side)])],
        &[value_info("image_embeds", FLOAT, &[None, Some(3)])],
    )
}

/// `images` of these axes to `vector` `[n, 3]`: the mean of each channel plus 0.1.
pub fn any_encoder(axes: &[Axis]) -> Vec<u8> {
    let n = axes.first().copied().flatten();
    model(
        &[
            node("GlobalAveragePool", &["images"], "mean"),
            node("Flatten", &["mean"], "flat"),
            node("Add", &["flat", "offset"], "vector"),
        ],
        &[tensor("offset", &[1], &[0.1])],
        &[value_info("images", FLOAT, axes)],
        &[value_info("vector", FLOAT, &[n, Some(3)])],
    )
}

/// `pixel_values` `[n, 3, side, side]` to `last_hidden_state` `[n, 3, side]`: the mean of each column plus `offset`, a token
/// for each channel.
pub fn tokens(side: u64, offset: f32) -> Vec<u8> {
    let axes = Message::default().text(1, "axes").number(8, 2).number(20, 7);
    let keep = Message::default().text(1, "keepdims").number(3, 0).number(20, 2);
    let mean = node("ReduceMean", &["pixel_values"], "mean").message(5, &axes).message(5, &keep);
    model(
        &[mean, node("Add", &["mean", "offset"], "last_hidden_state")],
        &[tensor("offset", &[1], &[offset])],
        &[value_info("pixel_values", FLOAT, &[None, Some(3), Some(side), Some(side)])],
        &[value_info("last_hidden_state", FLOAT, &[None, Some(3), Some(side)])],
    )
}

/// `images` to `[n, 3, 1, 1]`: a mean that is not made flat.
pub fn unflattened(side: u64) -> Vec<u8> {
    model(
        &[node("GlobalAveragePool", &["images"], "vector")],
        &[],
        &[value_info("images", FLOAT, &[None, Some(3), Some(side), Some(side)])],
        &[value_info("vector", FLOAT, &[None, Some(3), Some(1), Some(1)])],
    )
}

/// Pictures of bytes.
pub fn of_bytes(side: u64) -> Vec<u8> {
    let float = Message::default().text(1, "to").number(3, FLOAT).number(20, 2);
    model(
        &[
            node("Cast", &["images"], "floats").message(5, &float),
            node("GlobalAveragePool", &["floats"], "mean"),
            node("Flatten", &["mean"], "vector"),
        ],
        &[],
        &[value_info("images", UINT8, &[None, Some(3), Some(side), Some(side)])],
        &[value_info("vector", FLOAT, &[None, Some(3)])],
    )
}

/// Two pictures at a time.
pub fn of_two_pictures(side: u64) -> Vec<u8> {
    let axes = [None, Some(3), Some(side), Some(side)];
    model(
        &[
            node("Add", &["left", "right"], "both"),
            node("GlobalAveragePool", &["both"], "mean"),
            node("Flatten", &["mean"], "vector"),
        ],
        &[],
        &[value_info("left", FLOAT, &axes), value_info("right", FLOAT, &axes)],
        &[value_info("vector", FLOAT, &[None, Some(3)])],
    )
}

/// Pictures of an open number of axes.
pub fn of_open_rank() -> Vec<u8> {
    let kind = Message::default().message(1, &Message::default().number(1, FLOAT));
    model(
        &[node("Identity", &["images"], "vector")],
        &[],
        &[Message::default().text(1, "images").message(2, &kind)],
        &[Message::default().text(1, "vector").message(2, &kind)],
    )
}

/// As [`any_encoder`] for one side, but with the offset in the file `location`: three values, 12 bytes.
pub fn with_external_weights(side: u64, location: &str) -> Vec<u8> {
    let entry = |key: &str, value: &str| Message::default().text(1, key).text(2, value);
    let offset = Message::default()
        .number(1, 3)
        .number(2, FLOAT)
        .text(8, "offset")
        .message(13, &entry("location", location))
        .message(13, &entry("offset", "0"))
        .message(13, &entry("length", "12"))
        .number(14, 1);
    model(
        &[
            node("GlobalAveragePool", &["images"], "mean"),
            node("Flatten", &["mean"], "flat"),
            node("Add", &["flat", "offset"], "vector"),
        ],
        &[offset],
        &[value_info("images", FLOAT, &[None, Some(3), Some(side), Some(side)])],
        &[value_info("vector", FLOAT, &[None, Some(3)])],
    )
}

/// The same as [`mean_colour`] with `input_ids` as a further input, like an export of both towers in one.
pub fn both_towers(side: u64) -> Vec<u8> {
    model(
        &[
            node("GlobalAveragePool", &["pixel_values"], "mean"),
            node("Flatten", &["mean"], "image_embeds"),
            node("Identity", &["input_ids"], "ids"),
        ],
        &[],
        &[
            value_info("input_ids", INT64, &[None, None]),
            value_info("pixel_values", FLOAT, &[None, Some(3), Some(side), Some(side)]),
        ],
        &[value_info("image_embeds", FLOAT, &[None, Some(3)]), value_info("ids", INT64, &[None, None])],
    )
}

/// `input_ids` `[n, s]` to `text_embeds` `[n, 3]`: the mean of a row for each id.
pub fn mean_token(vocabulary: u64) -> Vec<u8> {
    let values: Vec<f32> = (0..vocabulary * 3).map(|index| (index as f32 * 0.7).sin()).collect();
    // `axes = [1]` and `keepdims = 0`: lists of integers are type 7, integers type 2.
    let axes = Message::default().text(1, "axes").number(8, 1).number(20, 7);
    let keep = Message::default().text(1, "keepdims").number(3, 0).number(20, 2);
    let mean = node("ReduceMean", &["rows"], "text_embeds").message(5, &axes).message(5, &keep);
    model(
        &[node("Gather", &["table", "input_ids"], "rows"), mean],
        &[tensor("table", &[vocabulary, 3], &values)],
        &[value_info("input_ids", INT64, &[None, None])],
        &[value_info("text_embeds", FLOAT, &[None, Some(3)])],
    )
}
