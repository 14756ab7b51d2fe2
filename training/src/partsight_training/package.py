"""The model folder: graph, manifest, labels and training record."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import onnx

from partsight_training.calibrate import Calibration, Thresholds
from partsight_training.config import Config
from partsight_training.export import OPSET, build_graph
from partsight_training.model import Head
from partsight_training.transforms import MEAN, STD


def write_model(
    out: Path,
    config: Config,
    backbone: Path,
    head: Head,
    labels: list[str],
    calibration: Calibration,
    thresholds: Thresholds,
    record: dict[str, object],
) -> dict[str, object]:
    """Write `model.onnx`, `labels.txt`, `model.toml` and `training-record.json` into `out`.

    Returns the SHA-256 and the size of the graph's file.
    """
    out.mkdir(parents=True, exist_ok=True)
    graph = build_graph(backbone, head, (config.resize.width, config.resize.height))
    onnx.save(graph, out / "model.onnx")
    (out / "labels.txt").write_text("".join(f"{label}\n" for label in labels), encoding="utf-8")
    content = (out / "model.onnx").read_bytes()
    file = {"sha256": hashlib.sha256(content).hexdigest(), "size_bytes": len(content)}
    (out / "model.toml").write_text(
        manifest(config, head, file, calibration, thresholds, record), encoding="utf-8"
    )
    (out / "training-record.json").write_text(
        json.dumps({"model": file, **record}, indent=2) + "\n", encoding="utf-8"
    )
    return file


def manifest(
    config: Config,
    head: Head,
    file: dict[str, object],
    calibration: Calibration,
    thresholds: Thresholds,
    record: dict[str, object],
) -> str:
    """Text of `model.toml`, the single source of every fact that serving needs."""
    resize, wanted = config.resize, config.thresholds
    count, dimension = head.weight.shape
    photographs = {name: split["photographs"] for name, split in record["data"].items()}
    half = record["fitting-half"]
    optional = {
        "center-crop": f"shortest_side = {resize.shortest_side}\n",
        "letterbox": f"pad = {resize.pad}\n",
    }.get(resize.mode, "")
    return f"""\
name = "{config.name}"
version = "{config.version}"
description = "Recognises {count} types of car part in a photograph, and says when it shows none of them."
licence = "MIT OR Apache-2.0"
source = "Started from mobilenetv2-7 of the ONNX model zoo (Apache-2.0, trained on ImageNet), frozen; the heads were fitted on {photographs["train"]:,} photographs of {count} part types, mostly catalogue pictures."
created_on = {config.created_on}

[file]
path = "model.onnx"
sha256 = "{file["sha256"]}"
size_bytes = {file["size_bytes"]}
opset = {OPSET}

[input]
name = "image"
width = {resize.width}
height = {resize.height}
layout = "nchw"
channels = "rgb"
mean = {list(MEAN)}
std = {list(STD)}

[resize]
mode = "{resize.mode}"
filter = "{resize.filter}"
{optional}
[embedding]
output = "embedding"
dimension = {dimension}
normalised = true

[classes]
output = "logits"
labels = "labels.txt"
count = {count}

[known]
output = "known"

[calibration]
temperature = {calibration.temperature:.6f}
known_scale = {calibration.known_scale:.6f}
known_bias = {calibration.known_bias:.6f}
fitted_on = "{photographs["valid"]} catalogue and {photographs["field-valid"]} field photographs of known parts, each set weighing the same; the known score also on {half["negatives"]} everyday photographs and {half["other-parts"]} of other parts, cross-validated."

[thresholds]
not_a_part_below = {thresholds.not_a_part_below:.6f}
identified_known_score = {thresholds.identified_known_score:.6f}
identified_confidence = {thresholds.identified_confidence:.6f}
derived_by = "At most {wanted.known_called_not_a_part:.1%} of field photographs of known parts below not_a_part_below, at least {wanted.identified_precision:.0%} of their best guesses right at identified_confidence, at most {wanted.unknown_called_identified:.1%} of the fitting half of the negatives called identified."

[measured]
{_measured_lines(record["measured"])}"""


def _measured_lines(measured: dict[str, object]) -> str:
    lines: list[str] = []
    for name in ("valid", "field-valid"):
        report, key = measured[name], name.replace("-", "_")
        lines.append(f"{key}_n = {report['n']}")
        for figure in ("top1", "top3", "top5"):
            lines.append(f"{key}_{figure} = {report[figure]['value']}")
        lines.append(f"{key}_ece = {measured['ece-cross-validated'][name]}")
    for name in ("negatives", "other-parts"):
        key = name.replace("-", "_")
        lines.append(f"{key}_held_out_n = {measured[f'{name}-held-out']['n']}")
        for against, value in measured[f"known-auroc-against-{name}-held-out"].items():
            lines.append(f"{key}_auroc_{against.replace('-', '_')} = {value}")
    return "\n".join(lines) + "\n"
