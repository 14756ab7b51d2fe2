"""Candidate sets: "it is one of these two", with a promised coverage.

Least ambiguous sets (Sadinle, Lei and Wasserman, "Least Ambiguous Set-Valued Classifiers with
Bounded Error Levels", 2019): a set holds every type whose calibrated probability reaches a
threshold. The threshold is the split conformal quantile of the probabilities that photographs
which fitted nothing gave to their right types, so that the set of another photograph drawn like
them holds the right type at least as often as promised, whatever the model.

The promise is an average over photographs like those of the calibration. Only answers that are not
sure show a set: give the functions the photographs whose answer is not sure. A threshold chosen on
all photographs keeps its promise mostly by the easy ones, which show no set, and breaks it where
sets are read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context

import numpy as np

from partsight_training.manifest import Table

DIGITS = 6  # significant digits of the threshold in a manifest
FOLDS = 10
ROUNDING = 1e-9  # (n + 1) * (1 - 0.9) of ten photographs is 0.9999999999999998, and means 1


@dataclass(frozen=True)
class SetFigures:
    """How large sets are, and how often they hold the right type."""

    n: int
    coverage: float
    """Share of the sets that hold the right type, 0 to 1."""
    mean_size: float
    """Mean number of types in a set; at least 1, because a set always holds the best guess."""


def threshold(probabilities: np.ndarray, classes: np.ndarray, coverage: float) -> float:
    """The probability in 0..=1 from which on a type belongs to the set.

    `probabilities` `[n, c]` are calibrated, `classes` `[n]` the right ones, `coverage` is greater
    than 0 and less than 1. It is the k-th smallest probability of the right class, with
    `k = floor((n + 1) * (1 - coverage))`; where that is 0 there are too few photographs for the
    promise, and only 0 keeps it: every type is in the set.
    """
    _check(probabilities, classes)
    _check_coverage(coverage)
    right = np.sort(probabilities[np.arange(len(classes)), classes])
    k = math.floor((len(right) + 1) * (1 - coverage) + ROUNDING)
    return float(right[k - 1]) if k > 0 else 0.0


def members(probabilities: np.ndarray, at_least: float) -> np.ndarray:
    """Which classes are in the set of each photograph, bool `[n, c]`.

    Those whose probability reaches `at_least`, and in any case the best guess, the first of equals.
    """
    inside = probabilities >= at_least
    inside[np.arange(len(probabilities)), probabilities.argmax(axis=1)] = True
    return inside


def cross_validated(
    probabilities: np.ndarray,
    classes: np.ndarray,
    coverage: float,
    seed: int,
    folds: int = FOLDS,
) -> SetFigures:
    """What sets give on photographs that did not choose their threshold.

    Photographs are dealt to `folds` by chance; each fold is measured with the threshold of the
    rest. Thresholds of fewer photographs are a little lower, so the sizes are a little too large.
    """
    _check(probabilities, classes)
    if not 2 <= folds <= len(classes):
        raise ValueError(f"{folds} folds of {len(classes)} photographs: from 2 to one each")
    order = np.random.default_rng(seed).permutation(len(classes))
    sizes, holds = np.zeros(len(classes), int), np.zeros(len(classes), bool)
    for fold in np.array_split(order, folds):
        rest = np.setdiff1d(order, fold)
        at_least = threshold(probabilities[rest], classes[rest], coverage)
        inside = members(probabilities[fold], at_least)
        sizes[fold] = inside.sum(axis=1)
        holds[fold] = inside[np.arange(len(fold)), classes[fold]]
    return SetFigures(len(classes), float(holds.mean()), float(sizes.mean()))


def manifest_section(
    at_least: float, coverage: float, measured: SetFigures, fitted_on: str
) -> Table:
    """The section `[sets]` of a `model.toml`.

    The threshold is rounded down: a higher one would break the promise. `fitted_on` says which
    photographs it was chosen on.
    """
    _check_coverage(coverage)
    rounded = Context(prec=DIGITS, rounding=ROUND_FLOOR).create_decimal_from_float(at_least)
    return {
        "coverage": coverage,
        "probability": float(rounded),
        "mean_size": round(measured.mean_size, 4),
        "measured_coverage": round(measured.coverage, 4),
        "n": measured.n,
        "fitted_on": fitted_on,
    }


def _check(probabilities: np.ndarray, classes: np.ndarray) -> None:
    if len(classes) == 0 or probabilities.ndim != 2 or len(probabilities) != len(classes):
        raise ValueError(f"probabilities {probabilities.shape} of {len(classes)} photographs")


def _check_coverage(coverage: float) -> None:
    if not 0 < coverage < 1:
        raise ValueError(f"a coverage of {coverage} is not between 0 and 1")
