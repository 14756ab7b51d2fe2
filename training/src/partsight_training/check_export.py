"""Check a model folder against its manifest, its golden files and the numpy model.

    python -m partsight_training.check_export --model ../models/partsight-50

Needs no photographs. Exits with an error at the first thing that does not hold.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from PIL import Image

from partsight_training import golden
from partsight_training.config import REPOSITORY
from partsight_training.model import Head
from partsight_training.serving import Recognition, ServedModel
from partsight_training.transforms import to_tensor

TOLERANCE = 1e-4  # on logits, which span tens: CPUs differ in the order of f32 sums
# Against golden files: where activations are int8, a value on the edge of two steps falls to either
# side with the order of sums. Without the runtime's optimisations logits moved by 0.08.
GOLDEN_TOLERANCE = {"logit": 0.3, "score": 0.05}
MIN_GOLDEN_COSINE = 0.998


def check(folder: Path) -> list[str]:
    """Raise `AssertionError` where the folder is wrong; returns what was measured."""
    model = ServedModel(folder)
    content = (folder / model.manifest["file"]["path"]).read_bytes()
    _require(
        hashlib.sha256(content).hexdigest() == model.manifest["file"]["sha256"], "SHA-256 differs"
    )
    _require(len(content) == model.manifest["file"]["size_bytes"], "size differs")
    if "references" in model.manifest:
        references = model.manifest["references"]
        prototypes = (folder / references["prototypes"]).read_bytes()
        digest = hashlib.sha256(prototypes).hexdigest()
        _require(digest == references["sha256"], "SHA-256 of the prototypes differs")
        _require(len(prototypes) == references["size_bytes"], "size of the prototypes differs")
    classes = model.manifest["classes"]
    _require(len(model.labels) == classes["count"], "label count differs")
    digest = hashlib.sha256((folder / classes["labels"]).read_bytes()).hexdigest()
    _require(digest == classes["labels_sha256"], "SHA-256 of the labels differs")
    rng = np.random.default_rng(0)
    shape = (4, model.resize.height, model.resize.width, 3)
    tensor = to_tensor(rng.integers(0, 256, shape, dtype=np.uint8))  # [4, 3, h, w]
    embedding, logits, known = model.run(tensor)
    _near(np.linalg.norm(embedding, axis=1), 1, "embedding length")
    for row in range(len(tensor)):
        single = model.run(tensor[row : row + 1])
        _near(single[1][0], logits[row], "batch of four against one")
    head = read_head(onnx.load_from_string(content))
    _near(head.logits(embedding), logits, "logits against numpy")
    _near(head.known(embedding), known, "known against numpy")
    names = sorted(path.stem for path in (folder / "golden").glob("*.json"))
    # Without any there would be nothing to differ from.
    missing = set(golden.GOLDEN) - set(names)
    _require(not missing, f"the golden files of {', '.join(sorted(missing))} are missing")
    for name in names:
        _check_golden(model, folder / "golden", name)
    return [f"golden files: {', '.join(names)}", f"{_time_ms(model, tensor[:1]):.2f} ms a picture"]


def read_head(graph: onnx.ModelProto) -> Head:
    """The numpy head back out of an exported graph."""
    weights = {i.name: numpy_helper.to_array(i) for i in graph.graph.initializer}
    known = weights["head/known_weight"][0]  # [d + 3]
    return Head(
        weight=weights["head/class_weight"],
        bias=weights["head/class_bias"],
        prototypes=weights["head/prototypes"],
        known_embedding=known[:-3],
        known_scalars=known[-3:],
        known_bias=float(weights["head/known_bias"][0]),
    )


def _check_golden(model: ServedModel, folder: Path, name: str) -> None:
    expected = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    with Image.open(folder / expected["image"]) as picture:
        upright = picture.convert("RGB")
    seen = model.look_once(upright)
    with Image.open(folder / expected["resized"]) as resized:
        _require(np.array_equal(np.asarray(resized), seen.pixels), f"{name}: pixels differ")
    digest = golden.tensor_sha256(seen.tensor)
    _require(digest == expected["tensor_sha256"], f"{name}: tensor differs")
    _check_outputs(seen, expected, name)
    for figure in ("confidence", "known_score"):
        tolerance = GOLDEN_TOLERANCE["score"]
        _near(getattr(seen, figure), expected[figure], f"{name}: {figure}", tolerance)
    _require(seen.label == expected["label"], f"{name}: label differs")
    _require(seen.verdict == expected["verdict"], f"{name}: verdict differs")
    has_second_look = "second_look" in expected
    looks_twice = model.second_look is not None
    _require(has_second_look == looks_twice, f"{name}: a second look is in one place only")
    if model.second_look is not None:
        pooled = model.look_again(upright, seen, model.second_look)
        _check_outputs(pooled, expected["second_look"], f"{name}, second look")


def _check_outputs(seen: Recognition, expected: dict[str, Any], name: str) -> None:
    cosine = float(np.dot(np.ravel(seen.embedding), expected["embedding"]))
    _require(cosine >= MIN_GOLDEN_COSINE, f"{name}: embedding off, cosine {cosine:.4f}")
    tolerance = GOLDEN_TOLERANCE["logit"]
    _near(seen.logits, np.array(expected["logits"]), f"{name}: logits", tolerance)
    _near(seen.known, expected["known"], f"{name}: known", tolerance)


def _time_ms(model: ServedModel, tensor: np.ndarray) -> float:
    times = []
    for _ in range(60):
        start = time.process_time()
        model.run(tensor)
        times.append(time.process_time() - start)
    return float(np.median(times[10:]) * 1000)


def _near(
    seen: np.ndarray | float,
    expected: np.ndarray | float,
    what: str,
    tolerance: float = TOLERANCE,
) -> None:
    gap = float(np.max(np.abs(np.asarray(seen) - np.asarray(expected))))
    _require(gap <= tolerance, f"{what}: off by {gap:.2e}")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Check an exported model folder.")
    parser.add_argument("--model", type=Path, default=REPOSITORY / "models" / "partsight-50")
    print("\n".join(check(parser.parse_args().model)))


if __name__ == "__main__":
    main()
