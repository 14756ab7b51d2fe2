"""A trained backbone: what a training run hands to everything that comes after it.

Also takes one out of a finished model, so that a change of how photographs are resized, of the
known head or of the thresholds needs neither PyTorch nor hours.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FEATURES = "features"  # what `export` calls the backbone's output inside a model
HEAD = "head/"  # and how the names of the weights behind it begin


@dataclass(frozen=True)
class TrainedBackbone:
    """A backbone and the class head that was trained with it."""

    path: Path  # ONNX: image f32 [n, 3, h, w] to features f32 [n, d], not yet of unit length
    weight: np.ndarray  # f32 [c, d], class head over unit-length embeddings
    bias: np.ndarray  # f32 [c]
    labels: list[str]  # of its rows
    record: dict[str, object]  # each member's settings and curve


def backbone_of_model(folder: Path, size: tuple[int, int], cache: Path) -> TrainedBackbone:
    """Take the backbone and the class head out of the model in `folder`.

    `size` is (width, height) of the photographs that it will get, in pixels. The record says
    which model it was, beside what that model's own record says of its members.
    """
    content = (folder / "model.onnx").read_bytes()
    model = onnx.load_from_string(content)
    weights = {weight.name: weight for weight in model.graph.initializer}
    missing = {f"{HEAD}class_weight", f"{HEAD}class_bias"} - set(weights)
    nodes = list(model.graph.node)
    ends = [index for index, node in enumerate(nodes) if FEATURES in node.output]
    if missing or len(ends) != 1:
        raise ValueError(f"`{folder / 'model.onnx'}` was not written by this training code")
    nodes = nodes[: ends[0] + 1]
    used = {name for node in nodes for name in node.input}
    width, height = size
    dimension = weights[f"{HEAD}class_weight"].dims[1]
    graph = helper.make_graph(
        nodes,
        "backbone",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, height, width])],
        [helper.make_tensor_value_info(FEATURES, TensorProto.FLOAT, ["n", dimension])],
        [weight for weight in model.graph.initializer if weight.name in used],
    )
    backbone = helper.make_model(graph, opset_imports=model.opset_import)
    backbone.ir_version = model.ir_version
    onnx.checker.check_model(backbone, full_check=True)

    sha256 = hashlib.sha256(content).hexdigest()
    path = cache / "backbones" / f"of-{sha256[:16]}" / "backbone.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    onnx.save(backbone, part)
    part.replace(path)
    record = json.loads((folder / "training-record.json").read_text(encoding="utf-8"))
    earlier = record["backbone"] or {}
    labels = (folder / "labels.txt").read_text(encoding="utf-8").splitlines()
    # What the network learnt from, and of how many types: more than the model's own where the
    # record says so, and what an earlier model says of a network that was kept before.
    learnt = {
        "photographs": record["data"]["train"]["photographs"],
        "types": len(labels),
        **record.get("network", {}),
        **earlier.get("takenFrom", {}),
    }
    return TrainedBackbone(
        path,
        numpy_helper.to_array(weights[f"{HEAD}class_weight"]),
        numpy_helper.to_array(weights[f"{HEAD}class_bias"]),
        labels,
        {
            **earlier,
            "takenFrom": {
                "name": record["config"]["name"],
                "version": record["config"]["version"],
                "sha256": sha256,
                "photographs": learnt["photographs"],
                "types": learnt["types"],
            },
        },
    )
