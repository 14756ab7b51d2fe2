"""Categories of part types: when siblings tie, their summed probability answers."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

from partsight_training.config import REPOSITORY

PART_TYPES = REPOSITORY / "crates" / "catalog" / "data" / "part-types"


def categories(labels: list[str], folder: Path = PART_TYPES) -> list[str]:
    """Category of each label by the catalogue; a label that it lacks is a category of its own."""
    found: list[str] = []
    for label in labels:
        path = folder / f"{label}.toml"
        known = path.is_file()
        found.append(
            tomllib.loads(path.read_text(encoding="utf-8"))["category"] if known else label
        )
    return found


def category_sums(probability: np.ndarray, of_label: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Summed probability `[n]` of each best guess's category, and that category's index `[n]`."""
    names = sorted(set(of_label))
    place = np.array([names.index(name) for name in of_label])  # [c]
    sums = np.stack([probability[:, place == i].sum(axis=1) for i in range(len(names))], axis=1)
    best = place[probability.argmax(axis=1)]
    return sums[np.arange(len(best)), best], best


def category_guesses(
    probability: np.ndarray, classes: np.ndarray, labels: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Summed probability `[n]` of each best guess's category, and whether it is right, bool `[n]`.

    `probability` `[n, c]` is calibrated, `classes` `[n]` the right ones.
    """
    of_label = categories(labels)
    names = sorted(set(of_label))
    right = np.array([names.index(of_label[index]) for index in classes])
    sums, best = category_sums(probability, of_label)
    return sums, best == right
