"""What each mark of the dial means in serving: the verdicts of photographs of known parts there.

    python -m partsight_training.dial --config FILE --model FOLDER

The bound of a mark is about the confidence alone. An answer also needs its known score, so the
shares that a shop can expect are counted through the model as it is served, and written beside the
marks in `model.toml`. Nothing else of the manifest changes.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from partsight_training.calibrate import Thresholds
from partsight_training.collection import read_collection
from partsight_training.config import load_config, photos_dir
from partsight_training.data import Split, read_picture
from partsight_training.serving import ServedModel

MARK = "[[thresholds.risk]]\n"


def count_verdicts(
    thresholds: Thresholds, known_score: np.ndarray, confidence: np.ndarray, correct: np.ndarray
) -> dict[str, int]:
    """How many of `[n]` photographs of known parts get an answer, a wrong one, and none yet."""
    verdicts = thresholds.verdicts(known_score, confidence)
    identified = verdicts == "identified"
    return {
        "identified": int(identified.sum()),
        "identified_wrong": int((identified & ~correct).sum()),
        "not_sure": int((verdicts == "not-sure").sum()),
    }


def with_counts(manifest: str, counts: list[dict[str, int]], measured_on: str) -> str:
    """The text of a manifest with these counts in its marks, in order, instead of earlier ones."""
    manifest = re.sub(
        r"^(identified|identified_wrong|not_sure|risk_measured_on) = .*\n", "", manifest, flags=re.M
    )
    head, *marks = manifest.split(MARK)
    head = re.sub(
        r"^(derived_by = .*\n)", rf'\1risk_measured_on = "{measured_on}"\n', head, flags=re.M
    )
    written = []
    for mark, count in zip(marks, counts, strict=True):
        lines = "".join(f"{name} = {value}\n" for name, value in count.items())
        written.append(re.sub(r"^(n = \d+\n)", rf"\1{lines}", mark, count=1, flags=re.M))
    return MARK.join([head, *written])


def write_dial(folder: Path, splits: list[Split]) -> list[dict[str, int]]:
    """Count through the model in `folder` and write its manifest; returns the counts.

    `splits` are the photographs of known parts that its marks were chosen on.
    """
    model = ServedModel(folder)
    seen = [
        (model.recognise(read_picture(path)), label)
        for split in splits
        for path, label in zip(split.paths, split.labels, strict=True)
    ]
    known_score = np.array([recognition.known_score for recognition, _ in seen])
    confidence = np.array([recognition.confidence for recognition, _ in seen])
    correct = np.array([recognition.label == label for recognition, label in seen])
    marks = model.manifest["thresholds"]["risk"]
    if any(mark["n"] != len(seen) for mark in marks):
        raise ValueError(
            f"the marks of `{folder}` were chosen on other photographs than these {len(seen)}"
        )
    counts = [
        count_verdicts(
            replace(model.thresholds, identified_confidence=mark["identified_confidence"]),
            known_score,
            confidence,
            correct,
        )
        for mark in marks
    ]
    amounts = ", ".join(f"{len(split)} of {split.name}" for split in splits)
    measured_on = (
        f"Photographs of known parts, {amounts}, through the model as it is served. The marks were "
        "chosen on the same photographs, and they also fitted a part of the known score."
    )
    path = folder / "model.toml"
    text = with_counts(path.read_text(encoding="utf-8"), counts, measured_on)
    path.write_text(text, encoding="utf-8")
    return counts


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Count the verdicts at each mark of the dial.")
    parser.add_argument("--config", type=Path, required=True, help="of the run that made it")
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    arguments = parser.parse_args()
    collection = read_collection(photos_dir(), load_config(arguments.config))
    splits = [collection.splits[name] for name in collection.known]
    for count in write_dial(arguments.model, splits):
        print(count)


if __name__ == "__main__":
    main()
