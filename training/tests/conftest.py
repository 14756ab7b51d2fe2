"""A tiny data set and a tiny backbone, both made here: colours, some of them unknown types."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from partsight_training.config import Config, parse_config

COLOURS = {"red-part": (200, 40, 40), "green-part": (40, 200, 40), "blue-part": (40, 40, 200)}
KINDS = {"white-part": (245, 245, 245)}  # with enough photographs to become known
UNKNOWN_KINDS = {
    "brown-part": (130, 80, 60),
    "moss-part": (80, 140, 80),
    "purple-part": (120, 60, 140),
    "rust-part": (160, 70, 60),
    "slate-part": (80, 90, 150),
}
LABELS = sorted([*COLOURS, *KINDS])
OTHERS = {"gear": (200, 200, 40), "not-a-part": (120, 120, 120)}
SIDE = 16  # px
DIMENSION = 12


@dataclass(frozen=True)
class Workspace:
    photos: Path
    weights: Path
    cache: Path
    out: Path
    config: Config


def draw_pictures(folder: Path, colour: tuple[int, int, int], count: int, seed: int) -> None:
    """Noisy pictures of one colour, each with its own size."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    for index in range(count):
        shape = (int(rng.integers(18, 30)), int(rng.integers(18, 30)), 3)
        pixels = np.clip(np.array(colour) + rng.normal(0, 25, shape), 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{index:03}.png")


def write_backbone(path: Path) -> str:
    """A random convolution, rectified and averaged; returns the file's SHA-256."""
    rng = np.random.default_rng(7)
    kernel = rng.normal(0, 0.5, (DIMENSION, 3, 3, 3)).astype(np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["image", "kernel"], ["convolved"], strides=[2, 2]),
            helper.make_node("Relu", ["convolved"], ["rectified"]),
            helper.make_node("GlobalAveragePool", ["rectified"], ["pooled"]),
            helper.make_node("Flatten", ["pooled"], ["embedding"]),
        ],
        "tiny",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", DIMENSION])],
        [numpy_helper.from_array(kernel, "kernel")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("training")
    photos = root / "photos"
    counts = {"train": 20, "valid": 6, "field-valid": 8}
    for seed, (split, count) in enumerate(counts.items()):
        for place, (label, colour) in enumerate(COLOURS.items()):
            draw_pictures(photos / split / label, colour, count, 10 * seed + place)
    draw_pictures(photos / "field-train" / "red-part", COLOURS["red-part"], 4, 92)
    draw_pictures(photos / "kinds" / "white-part", KINDS["white-part"], 8, 93)
    for seed, (label, colour) in enumerate(UNKNOWN_KINDS.items()):
        draw_pictures(photos / "kinds" / label, colour, 3, 100 + seed)
    draw_pictures(photos / "negatives" / "not-a-part", OTHERS["not-a-part"], 24, 90)
    draw_pictures(photos / "other-parts" / "gear", OTHERS["gear"], 12, 91)
    weights = root / "weights"
    weights.mkdir()
    document = {
        "name": "tiny",
        "version": "1.0.0",
        "created_on": "2026-01-01",
        "seed": 3,
        "folds": 2,
        "starting_weights": "tiny.onnx",
        "starting_weights_sha256": write_backbone(weights / "tiny.onnx"),
        "started_from": "a random convolution",
        "resize": {"mode": "squash", "filter": "bilinear", "width": SIDE, "height": SIDE},
        "head": {"inverse_regularisation": 100.0},
        "second_look": {
            "confidence_below": 0.9,
            "known_score_below": 0.5,
            "views": [[1.0, True], [0.7, False]],
        },
        "known": {
            "features": ["embedding", "logsumexp", "max-logit", "prototype"],
            "inverse_regularisation": 10.0,
            "other_parts_weight": 1.0,
            "train_share": 0.7,
            "valid_share": 0.0,
            "field_share": 0.3,
        },
        "thresholds": {
            "known_called_not_a_part": 0.05,
            "unknown_called_identified": 0.05,
            "other_parts_called_identified": 0.1,
            "wanted_error": 0.1,
            "confidence_level": 0.9,
        },
    }
    return Workspace(
        photos, weights, root / "cache", root / "models" / "tiny", parse_config(document)
    )
