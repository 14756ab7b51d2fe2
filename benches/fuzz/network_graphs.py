"""Seeds of `network-graph`: ONNX files of small networks of the kind that the int8 engine computes, for images of 32 x 16.

The files are written field by field (onnx.proto), so that nothing but the standard library is needed.
"""

from __future__ import annotations

import random
import struct
from typing import NamedTuple

# `TensorProto.DataType` with the code of `struct`.
F32, U8, I8, I32, I64 = (1, "f"), (2, "B"), (3, "b"), (6, "i"), (7, "q")

STEM_CHANNELS, STEM_OUT = 32, 16
# As the target's manifest says.
DIMENSION, CLASSES = 8, 2
# What a length is at least, so that it can be divided by.
EPSILON = 1e-12


def varint(value: int) -> bytes:
    value &= 2**64 - 1
    low = []
    while value > 0x7F:
        low.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*low, value])


def field(number: int, value: int | float | str | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def value_info(name: str, shape: list[int]) -> bytes:
    dimensions = b"".join(field(1, field(1, length)) for length in shape)
    return field(1, name) + field(2, field(1, field(1, F32[0]) + field(2, dimensions)))


class Bytes(NamedTuple):
    """A tensor of bytes."""

    name: str
    scale: float
    channels: int


class Graph:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []

    def constant(self, kind: tuple[int, str], shape: list[int], values: list) -> str:
        name = f"c{len(self.constants)}"
        shape_fields = b"".join(field(1, length) for length in shape)
        raw = struct.pack(f"<{len(values)}{kind[1]}", *values)
        self.constants.append(shape_fields + field(2, kind[0]) + field(8, name) + field(9, raw))
        return name

    def number(self, value: float) -> str:
        return self.constant(F32, [], [value])

    def floats(self, shape: list[int], most: float) -> str:
        """Numbers from `-most` to `most`."""
        n = 1
        for length in shape:
            n *= length
        return self.constant(F32, shape, [most * (2 * self.random.random() - 1) for _ in range(n)])

    def node(self, operator: str, inputs: list[str], output: str = "", **attributes: int | list[int]) -> str:
        output = output or f"t{len(self.nodes)}"
        message = b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, operator)
        for name, value in attributes.items():
            # `AttributeProto.AttributeType`: 2 is an integer, 7 a list of them.
            listed = isinstance(value, list)
            values = b"".join(field(8, one) for one in value) + field(20, 7) if listed else field(3, value) + field(20, 2)
            message += field(5, field(1, name) + values)
        self.nodes.append(message)
        return output

    def as_bytes(self, tensor: str, channels: int, scale: float, zero_point: int) -> Bytes:
        how = [self.number(scale), self.constant(U8, [], [zero_point])]
        written = self.node("QuantizeLinear", [tensor, *how])
        return Bytes(self.node("DequantizeLinear", [written, *how]), scale, channels)

    def float_layer(self, tensor: str, shape: list[int], most: float, **how: int | list[int]) -> str:
        return self.node("Conv", [tensor, self.floats(shape, most), self.floats(shape[:1], 0.5)], **how)

    def layer(self, tensor: Bytes, n_out: int, zero_point: int, size: int = 1, stride: int = 1) -> Bytes:
        """A convolution of bytes: 1x1, or a depthwise one of another size."""
        n_in, groups = (tensor.channels, 1) if size == 1 else (1, n_out)
        n_weights = n_in * size * size
        values = [self.random.randrange(-64, 65) for _ in range(n_out * n_weights)]
        # Such that few outputs are beyond the range of a byte.
        usual = 1 / (24 * n_weights**0.5)
        scales = [usual * (0.75 + self.random.random() / 2) for _ in range(n_out)]
        weights = [
            self.constant(I8, [n_out, n_in, size, size], values),
            self.constant(F32, [n_out], scales),
            self.constant(I8, [n_out], [0] * n_out),
        ]
        bias = [
            self.constant(I32, [n_out], [self.random.randrange(-900, 900) for _ in range(n_out)]),
            self.constant(F32, [n_out], [tensor.scale * scale for scale in scales]),
        ]
        before = (size - stride) // 2
        after = size - stride - before
        output = self.node(
            "Conv",
            [tensor.name, *(self.node("DequantizeLinear", inputs, axis=0) for inputs in (weights, bias))],
            kernel_shape=[size, size], strides=[stride, stride], pads=[before, before, after, after], group=groups,
        )  # fmt: skip
        return self.as_bytes(output, n_out, 0.02, zero_point)

    def stem(self) -> Bytes:
        limits = [self.number(0.0), self.number(6.0)]
        channels, around = STEM_CHANNELS, {"kernel_shape": [3, 3]}
        first = self.float_layer("image", [channels, 3, 3, 3], 0.5, strides=[2, 2], pads=[0, 0, 1, 1], group=1, **around)
        first = self.node("Clip", [first, *limits])
        second = self.float_layer(first, [channels, 1, 3, 3], 0.5, strides=[1, 1], pads=[1] * 4, group=channels, **around)
        second = self.node("Clip", [second, *limits])
        third = self.float_layer(
            second, [STEM_OUT, channels, 1, 1], 0.5, kernel_shape=[1, 1], strides=[1, 1], pads=[0] * 4, group=1
        )
        return self.as_bytes(third, STEM_OUT, 0.02, 128)

    def block(self, tensor: Bytes, wide: int, size: int, stride: int, n_out: int, is_residual: bool) -> Bytes:
        widened = self.layer(tensor, wide, 0)
        filtered = self.layer(widened, wide, 0, size, stride)
        narrow = self.layer(filtered, n_out, 128)
        if not is_residual:
            return narrow
        return self.as_bytes(self.node("Add", [tensor.name, narrow.name]), n_out, 0.03, 120)

    def means(self, tensor: Bytes, n_out: int) -> str:
        last = self.layer(tensor, n_out, 0)
        return self.as_bytes(self.node("GlobalAveragePool", [last.name]), n_out, 0.01, 0).name

    def gemm(self, tensor: str, shape: list[int], output: str = "") -> str:
        return self.node("Gemm", [tensor, self.floats(shape, 0.5), self.floats(shape[:1], 0.5)], output, transB=1)

    def head(self, means: str, n_means: int) -> None:
        row = {"axes": [1], "keepdims": 1}
        features = self.gemm(self.node("Flatten", [means], axis=1), [DIMENSION, n_means])
        length = self.node("Max", [self.node("ReduceL2", [features], **row), self.number(EPSILON)])
        embedding = self.node("Div", [features, length], "embedding")
        logits = self.gemm(embedding, [CLASSES, DIMENSION], "logits")
        similarity = self.node("Gemm", [embedding, self.floats([CLASSES, DIMENSION], 0.5)], transB=1)
        signs = [
            embedding,
            self.node("ReduceLogSumExp", [logits], **row),
            self.node("ReduceMax", [logits], **row),
            self.node("ReduceMax", [similarity], **row),
        ]
        known = self.gemm(self.node("Concat", signs, axis=1), [1, DIMENSION + 3])
        self.node("Reshape", [known, self.constant(I64, [1], [-1])], "known")

    def file(self) -> bytes:
        outputs = {"embedding": [1, DIMENSION], "logits": [1, CLASSES], "known": [1]}
        graph = [field(1, node) for node in self.nodes] + [field(2, "g")]
        graph += [field(5, constant) for constant in self.constants]
        graph += [field(11, value_info("image", [1, 3, 16, 32]))]
        graph += [field(12, value_info(name, shape)) for name, shape in outputs.items()]
        # Version 8 of the format, 17 of the operators.
        return field(1, 8) + field(8, field(2, 17)) + field(7, b"".join(graph))


def network(seed: int, blocks: list[tuple[int, int, int, int, bool]], n_last: int) -> Graph:
    graph = Graph(seed)
    tensor = graph.stem()
    for block in blocks:
        tensor = graph.block(tensor, *block)
    graph.head(graph.means(tensor, n_last), n_last)
    return graph


def circle() -> bytes:
    """A block whose output is its input, which as many blocks follow as there are operators."""
    graph = Graph(3)
    start = graph.stem()
    end = graph.block(start, 128, 3, 1, 16, False)
    renamed = [node.replace(field(2, end.name), field(2, start.name)) for node in graph.nodes]
    graph.nodes = renamed + [b""] * 3000
    return graph.file()


def copies() -> bytes:
    """Rows that are joined to themselves until they have a million numbers, and are then copied."""
    graph = network(4, [], 8)
    row = "embedding"
    for _ in range(17):
        row = graph.node("Concat", [row, row], axis=1)
    for _ in range(6):
        row = graph.node("Flatten", [row], axis=1)
    return graph.file()


def no_columns() -> bytes:
    """A matrix of 2^40 rows without a number, behind one without rows."""
    graph = network(5, [], 8)
    nothing = graph.node("Gemm", ["embedding", graph.constant(F32, [0, DIMENSION], [])], transB=1)
    graph.node("Gemm", [nothing, graph.constant(F32, [2**40, 0], [])], transB=1)
    return graph.file()


def no_weights() -> bytes:
    """Weights of a shape whose product is 0, and without its first factor beyond 64 bits."""
    graph = Graph(6)
    tensor = graph.stem()
    weights = [graph.constant(I8, [0, 2**40, 2**40], []), graph.constant(F32, [0], [])]
    bias = [graph.constant(I32, [8], [0] * 8), graph.constant(F32, [8], [1.0] * 8)]
    inputs = [tensor.name, *(graph.node("DequantizeLinear", inputs, axis=0) for inputs in (weights, bias))]
    graph.node("Conv", inputs, kernel_shape=[1, 1], strides=[1, 1], pads=[0] * 4, group=1)
    return graph.file()


def shared() -> bytes:
    """Two operators with the same weights."""
    graph = network(7, [], 8)
    weights = graph.floats([CLASSES, DIMENSION], 0.5)
    for _ in range(2):
        graph.node("Gemm", ["embedding", weights], transB=1)
    return graph.file()


def network_graphs() -> dict[str, bytes]:
    return {
        "small": network(1, [(32, 3, 1, 16, False), (48, 5, 1, 16, True)], 24).file(),
        "strides": network(2, [(80, 5, 2, 24, False), (48, 3, 1, 24, True)], 40).file(),
        "circle": circle(),
        "copies": copies(),
        "no-columns": no_columns(),
        "no-weights": no_weights(),
        "shared": shared(),
    }
