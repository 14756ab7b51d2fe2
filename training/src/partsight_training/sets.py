"""Candidate sets with a promise: the few types that hold the right one 95 times in 100.

Conformal prediction after Sadinle, Lei and Wasserman, "Least Ambiguous Set-Valued Classifiers with
Bounded Error Levels", 2019: a type belongs to the set from one calibrated probability on, chosen on
photographs that trained nothing. On photographs drawn like those, the right type is in the set at
least as often as was asked for, whatever the model does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import KFold

FOLDS = 10


@dataclass(frozen=True)
class CandidateSets:
    """`[sets]` of a model's manifest."""

    coverage: float  # promised share of photographs whose set holds the right type, 0..1
    probability: float  # a type belongs to the set from here on, 0..=1
    mean_size: float  # cross-validated
    measured_coverage: float  # cross-validated
    n: int  # photographs of known parts


def threshold(probabilities: np.ndarray, classes: np.ndarray, coverage: float) -> float:
    """The probability from which on a type belongs to the set.

    `probabilities` `[n, c]` and the right `classes` i64 `[n]`. It is the k-th smallest probability
    of a right class, k = floor((n + 1) * (1 - coverage)); 0, and so every type, where k is 0.
    """
    own = np.sort(probabilities[np.arange(len(classes)), classes])
    # 0.05 is a little more than 1 - 0.95 in binary.
    k = math.floor((len(own) + 1) * (1 - coverage) + 1e-9)
    return float(own[k - 1]) if k else 0.0


def sizes_and_coverage(
    probabilities: np.ndarray, classes: np.ndarray, probability: float
) -> tuple[np.ndarray, np.ndarray]:
    """How many types each set holds, i64 `[n]`, and whether the right one is among them."""
    sizes = (probabilities >= probability).sum(axis=1)
    return sizes, probabilities[np.arange(len(classes)), classes] >= probability


def candidate_sets(
    probabilities: np.ndarray, classes: np.ndarray, coverage: float, seed: int
) -> CandidateSets:
    """The threshold of all photographs, and what thresholds do for photographs they were not
    chosen on, in ten folds."""
    sizes, covered = np.zeros(len(classes), int), np.zeros(len(classes), bool)
    splitter = KFold(min(FOLDS, len(classes)), shuffle=True, random_state=seed)
    for fit, rest in splitter.split(classes):
        chosen = threshold(probabilities[fit], classes[fit], coverage)
        sizes[rest], covered[rest] = sizes_and_coverage(probabilities[rest], classes[rest], chosen)
    # Rounded down, so that the manifest's digits keep the promise.
    probability = math.floor(threshold(probabilities, classes, coverage) * 1e6) / 1e6
    return CandidateSets(
        coverage,
        probability,
        round(float(sizes.mean()), 4),
        round(float(covered.mean()), 4),
        len(classes),
    )


def manifest_section(sets: CandidateSets, fitted_on: str) -> str:
    """`[sets]` of the manifest."""
    return f"""\
[sets]
coverage = {sets.coverage}
probability = {sets.probability:.6f}
mean_size = {sets.mean_size}
measured_coverage = {sets.measured_coverage}
n = {sets.n}
fitted_on = "{fitted_on}"
"""
