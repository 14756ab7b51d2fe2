"""What the answers to the calibration photographs are like, so that serving can find drift.

    python -m partsight_training.drift --config FILE --model FOLDER

Recognises the photographs of known parts that the confidence was fitted on, through the model as it
is served, and writes the section `[drift]` of its `model.toml`: at a few fixed marks the share of
photographs whose confidence, and whose known score, is at most the mark. A server compares the
scans of a week with these two curves. Nothing else of the manifest changes.

Each set weighs the same, as it does for the temperature. `effective_n` is Kish's effective sample
size of photographs that weigh unequally, `(sum w)^2 / sum w^2` (Kish, "Survey Sampling", 1965).
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import numpy as np

from partsight_training.collection import read_collection
from partsight_training.config import load_config, photos_dir
from partsight_training.data import Split, read_picture
from partsight_training.serving import ServedModel

# Denser near 1, where most confidences of photographs of known parts lie.
MARKS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97)
MARKS += (0.98, 0.99, 0.995, 0.998, 0.999, 0.9995)


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


def manifest_section(
    confidence: np.ndarray, known_score: np.ndarray, set_of: np.ndarray, measured_on: str
) -> str:
    """The section `[drift]` of a `model.toml`, with a line feed at its end.

    `[n]` photographs by the set that each is of; `measured_on` says which they are, in one line.
    """
    weights = equal_weights(set_of)
    lines = {
        "effective_n": int(effective_size(weights)),
        "at": list(MARKS),
        "confidence": [round(float(x), 4) for x in shares_at_most(confidence, weights)],
        "known_score": [round(float(x), 4) for x in shares_at_most(known_score, weights)],
        "measured_on": json.dumps(measured_on, ensure_ascii=False),
    }
    return "[drift]\n" + "".join(f"{name} = {value}\n" for name, value in lines.items())


def with_section(manifest: str, section: str) -> str:
    """The text of a manifest with this section before `[thresholds]`, instead of an earlier one."""
    manifest = re.sub(r"^\[drift\]\n(?:[^\[\n].*\n)*\n?", "", manifest, flags=re.M)
    head, found, rest = manifest.partition("[thresholds]\n")
    if not found:
        raise ValueError("the manifest has no section `[thresholds]`")
    return f"{head}{section}\n{found}{rest}"


def write_drift(folder: Path, splits: list[Split]) -> str:
    """Recognise the photographs of `splits` by the model in `folder`, and write its manifest.

    Returns the section.
    """
    model = ServedModel(folder)
    seen = [
        (model.recognise(read_picture(path)), split.name)
        for split in splits
        for path in split.paths
    ]
    amounts = [f"{len(split)} of {split.name}" for split in splits]
    named = ", ".join(amounts[:-1]) + f" and {amounts[-1]}" if len(amounts) > 1 else amounts[0]
    section = manifest_section(
        np.array([recognition.confidence for recognition, _ in seen]),
        np.array([recognition.known_score for recognition, _ in seen]),
        np.array([name for _, name in seen]),
        f"{named}: the photographs of known parts that the confidence was fitted on, each set "
        "weighing the same, through the model as it is served.",
    )
    path = folder / "model.toml"
    path.write_text(with_section(path.read_text(encoding="utf-8"), section), encoding="utf-8")
    return section


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Write what calibration photographs are like.")
    parser.add_argument("--config", type=Path, required=True, help="of the run that made it")
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    arguments = parser.parse_args()
    collection = read_collection(photos_dir(), load_config(arguments.config))
    splits = [collection.splits[name] for name in collection.known]
    print(write_drift(arguments.model, splits), end="")


if __name__ == "__main__":
    main()
