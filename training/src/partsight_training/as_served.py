"""What the model as it is served says of the photographs of known parts that calibrated it.

    python -m partsight_training.as_served --config FILE --model FOLDER

Writes two things into `model.toml`, and changes nothing else of it:

- beside each error rate of the dial the verdicts there. The bound of an error rate is about the
  confidence alone; an answer also needs its known score, so what a shop can expect is counted.
- the section `[drift]`: at a few fixed marks the share of photographs whose confidence, and whose
  known score, is at most the mark. A server compares the scans of a week with these two curves.
  Each set weighs the same, as it does for the temperature. `effective_n` is Kish's effective sample
  size of photographs that weigh unequally, `(sum w)^2 / sum w^2` (Kish, "Survey Sampling", 1965).
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from partsight_training.calibrate import Thresholds
from partsight_training.collection import read_collection
from partsight_training.config import load_config, photos_dir
from partsight_training.data import Split, read_picture
from partsight_training.manifest import Table, write_manifest
from partsight_training.serving import ServedModel

# Denser near 1, where most confidences of photographs of known parts lie.
MARKS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97)
MARKS += (0.98, 0.99, 0.995, 0.998, 0.999, 0.9995)


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


def equal_weights(set_of: np.ndarray) -> np.ndarray:
    """Weights `[n]` that sum to 1, such that each set of `set_of` `[n]` has the same sum."""
    _, index, count = np.unique(set_of, return_inverse=True, return_counts=True)
    return 1 / (len(count) * count[index])


def effective_size(weights: np.ndarray) -> float:
    """Kish's effective sample size of `[n]` weights; at least 1 of them is above 0."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def shares_at_most(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted share of `values` `[n]` in 0..=1 that is at most each of `MARKS`; never falls."""
    at_most = values[None, :] <= np.asarray(MARKS)[:, None]  # [marks, n]
    return at_most @ weights / weights.sum()


def curves(confidence: np.ndarray, known_score: np.ndarray, set_of: np.ndarray) -> Table:
    """The figures of `[drift]`, of `[n]` photographs by the set that each is of."""
    weights = equal_weights(set_of)
    return {
        "effective_n": int(effective_size(weights)),
        "at": MARKS,
        "confidence": [round(float(x), 4) for x in shares_at_most(confidence, weights)],
        "known_score": [round(float(x), 4) for x in shares_at_most(known_score, weights)],
    }


def write_as_served(folder: Path, splits: list[Split]) -> Table:
    """Recognise the photographs of `splits` by the model in `folder`, and write its manifest.

    They are those that the error rates of its dial were chosen on. Returns the manifest.
    """
    model = ServedModel(folder)
    seen = [
        (model.recognise(read_picture(path)), label, split.name)
        for split in splits
        for path, label in zip(split.paths, split.labels, strict=True)
    ]
    known_score = np.array([recognition.known_score for recognition, _, _ in seen])
    confidence = np.array([recognition.confidence for recognition, _, _ in seen])
    correct = np.array([recognition.label == label for recognition, label, _ in seen])
    thresholds = model.manifest["thresholds"]
    for mark in thresholds["risk"]:
        if mark["n"] != len(seen):
            raise ValueError(
                f"the dial of `{folder}` was chosen on other photographs than these {len(seen)}"
            )
        own = replace(model.thresholds, identified_confidence=mark["identified_confidence"])
        mark |= count_verdicts(own, known_score, confidence, correct)
    amounts = ", ".join(f"{len(split)} of {split.name}" for split in splits)
    thresholds["risk_measured_on"] = (
        f"Photographs of known parts, {amounts}, through the model as it is served. The marks were "
        "chosen on the same photographs, and they also fitted a part of the known score."
    )
    model.manifest["drift"] = {
        **curves(confidence, known_score, np.array([name for _, _, name in seen])),
        "measured_on": f"{amounts}: the photographs of known parts that the confidence was fitted "
        "on, each set weighing the same, through the model as it is served.",
    }
    write_manifest(folder, model.manifest)
    return model.manifest


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--config", type=Path, required=True, help="of the run that made it")
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    arguments = parser.parse_args()
    collection = read_collection(photos_dir(), load_config(arguments.config))
    splits = [collection.splits[name] for name in collection.known]
    for mark in write_as_served(arguments.model, splits)["thresholds"]["risk"]:
        print(mark)


if __name__ == "__main__":
    main()
