"""Candidate sets."""

from __future__ import annotations

import numpy as np
import pytest

from partsight_training.model import probabilities
from partsight_training.sets import candidate_sets, sizes_and_coverage, threshold


def drawn(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities `[n, 6]` and classes drawn from them."""
    odds = probabilities(rng.normal(0, 2, (n, 6)), 1.0)
    return odds, (np.cumsum(odds, axis=1) > rng.random((n, 1))).argmax(axis=1)


def test_the_threshold_is_the_conformal_quantile() -> None:
    # Right probabilities 0.1 to 0.9 and (9 + 1) * 0.2 = 2: the second smallest.
    own = np.arange(1, 10) / 10
    odds = np.stack([own, 1 - own], axis=1)
    assert threshold(odds, np.zeros(9, int), 0.8) == pytest.approx(0.2)
    # (9 + 1) * 0.05 is less than one photograph: nothing can be left out.
    assert threshold(odds, np.zeros(9, int), 0.95) == 0.0


def test_a_binary_fraction_does_not_lose_a_photograph() -> None:
    own = np.arange(1, 20) / 20
    odds = np.stack([own, 1 - own], axis=1)
    assert threshold(odds, np.zeros(19, int), 0.95) == pytest.approx(0.05)


def test_new_photographs_are_covered_as_often_as_promised() -> None:
    rng = np.random.default_rng(3)
    shares = []
    for _ in range(200):
        chosen = threshold(*drawn(200, rng), 0.9)
        shares.append(sizes_and_coverage(*drawn(200, rng), chosen)[1].mean())
    # At least 0.9 on average, and at most 1 / 201 more.
    assert 0.89 < np.mean(shares) < 0.915


def test_ties_are_all_in_the_set() -> None:
    sizes, covered = sizes_and_coverage(np.full((2, 4), 0.25), np.array([0, 3]), 0.25)
    assert (sizes.tolist(), covered.tolist()) == ([4, 4], [True, True])


def test_the_figures_are_of_photographs_that_chose_nothing() -> None:
    odds, classes = drawn(2000, np.random.default_rng(4))
    sets = candidate_sets(odds, classes, 0.9, seed=0)
    assert sets.measured_coverage == pytest.approx(0.9, abs=0.02)
    assert sets.probability <= threshold(odds, classes, 0.9)
    assert 1.0 < sets.mean_size < 6.0
    assert sets == candidate_sets(odds, classes, 0.9, seed=0)
