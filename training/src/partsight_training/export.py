"""Write one ONNX file: the backbone and everything behind it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from partsight_training.model import EPSILON, Head

OPSET = 17


def build_graph(backbone: Path, head: Head, size: tuple[int, int] = (224, 224)) -> onnx.ModelProto:
    """Join `backbone` and `head` into one opset-17 graph with a dynamic batch `n`.

    In: `image` f32 `[n, 3, height, width]`. Out: `embedding` f32 `[n, d]` of unit length, `logits`
    f32 `[n, c]`, `known` f32 `[n]`. `size` is (width, height) in pixels.
    """
    source = onnx.load(backbone)
    if len(source.graph.input) != 1 or len(source.graph.output) != 1:
        raise ValueError(f"`{backbone.name}` must have one input and one output")
    nodes, initializers = list(source.graph.node), list(source.graph.initializer)
    _rename(nodes, source.graph.input[0].name, "image")
    _rename(nodes, source.graph.output[0].name, "features")
    head_nodes, head_weights = _head_nodes(head)
    width, height = size
    classes, dimension = head.weight.shape
    graph = helper.make_graph(
        nodes + head_nodes,
        "partsight",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, height, width])],
        [
            helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", dimension]),
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", classes]),
            helper.make_tensor_value_info("known", TensorProto.FLOAT, ["n"]),
        ],
        initializers + head_weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = 8  # what opset 17 was released with, for older readers
    model.producer_name = "partsight-training"
    onnx.checker.check_model(model, full_check=True)
    return model


def _head_nodes(head: Head) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
    # The names of weights carry a prefix, so that they can not meet a name of the backbone's.
    weights = {
        "epsilon": np.float32(EPSILON),
        "class_weight": head.weight.astype(np.float32),  # [c, d]
        "class_bias": head.bias.astype(np.float32),  # [c]
        "prototypes": head.prototypes.astype(np.float32),  # [c, d]
        # One row over [embedding, logsumexp, max logit, nearest prototype].
        "known_weight": np.concatenate([head.known_embedding, head.known_scalars])[None].astype(
            np.float32
        ),
        "known_bias": np.array([head.known_bias], np.float32),
        "flat": np.array([-1], np.int64),
    }
    node = helper.make_node
    nodes = [
        node("ReduceL2", ["features"], ["length"], axes=[1], keepdims=1),  # [n, 1]
        node("Max", ["length", "head/epsilon"], ["safe_length"]),
        node("Div", ["features", "safe_length"], ["embedding"]),  # [n, d]
        node(
            "Gemm", ["embedding", "head/class_weight", "head/class_bias"], ["logits"], transB=1
        ),  # [n, c]
        node("Gemm", ["embedding", "head/prototypes"], ["similarity"], transB=1),  # [n, c]
        node("ReduceLogSumExp", ["logits"], ["logsumexp"], axes=[1], keepdims=1),  # [n, 1]
        node("ReduceMax", ["logits"], ["max_logit"], axes=[1], keepdims=1),  # [n, 1]
        node("ReduceMax", ["similarity"], ["nearest"], axes=[1], keepdims=1),  # [n, 1]
        node("Concat", ["embedding", "logsumexp", "max_logit", "nearest"], ["signs"], axis=1),
        node(
            "Gemm", ["signs", "head/known_weight", "head/known_bias"], ["known_column"], transB=1
        ),  # [n, 1]
        node("Reshape", ["known_column", "head/flat"], ["known"]),  # [n]
    ]
    return nodes, [numpy_helper.from_array(np.asarray(v), f"head/{k}") for k, v in weights.items()]


def _rename(nodes: list[onnx.NodeProto], old: str, new: str) -> None:
    for node in nodes:
        for names in (node.input, node.output):
            for index, name in enumerate(names):
                if name == old:
                    names[index] = new
