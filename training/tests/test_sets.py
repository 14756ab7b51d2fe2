"""Candidate sets against hand-computed numbers, and their promise on data made for it."""

from __future__ import annotations

import numpy as np
import pytest

from partsight_training.model import probabilities
from partsight_training.sets import (
    SetFigures,
    cross_validated,
    manifest_section,
    members,
    threshold,
)


def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities `[n, 8]` of photographs with noisy logits, and their classes `[n]`."""
    classes = rng.integers(0, 8, n)
    logits = rng.normal(0, 1, (n, 8))
    logits[np.arange(n), classes] += 2.0
    return probabilities(logits, 1.0), classes


def right_first(right: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Two classes, of which the first is right with these probabilities."""
    first = np.array(right)
    return np.stack([first, 1 - first], axis=1), np.zeros(len(right), int)


def test_the_threshold_is_the_quantile_by_hand() -> None:
    # Ten photographs: k = floor(11 * 0.2) = 2.
    values = [0.9, 0.05, 0.8, 0.7, 0.3, 0.95, 0.99, 0.6, 0.85, 0.5]
    assert threshold(*right_first(values), coverage=0.8) == 0.3
    # 19 photographs and 95%: k = floor(20 * 0.05) = 1, the smallest.
    assert threshold(*right_first([*values, *values[1:]]), coverage=0.95) == 0.05
    # Least ambiguous sets by scores 1 - p: the ceil((n + 1) * coverage)-th smallest score.
    rng = np.random.default_rng(2)
    given, classes = draw(rng, 137)
    scores = np.sort(1 - given[np.arange(137), classes])
    for coverage, rank in [(0.8, 111), (0.9, 125), (0.95, 132)]:  # ceil(138 * coverage)
        assert threshold(given, classes, coverage) == pytest.approx(1 - scores[rank - 1])


def test_rounding_of_the_rank_loses_no_photograph() -> None:
    # 10 * (1 - 0.9) is a little less than 1 in binary.
    values = [0.1 * i for i in range(1, 10)]
    assert threshold(*right_first(values), coverage=0.9) == 0.1


def test_too_few_photographs_promise_only_all_types() -> None:
    given, classes = right_first([0.9] * 18)
    assert threshold(given, classes, 0.95) == 0.0
    assert members(given, 0.0).all()
    assert threshold(*right_first([0.4]), coverage=0.5) == 0.4  # k = floor(2 * 0.5) = 1


def test_ties_are_in_the_set_and_raise_the_coverage() -> None:
    given, classes = right_first([0.6] * 30)
    at_least = threshold(given, classes, 0.9)
    assert at_least == 0.6
    assert members(given, at_least).tolist() == [[True, False]] * 30
    even = np.full((4, 2), 0.5)
    assert members(even, 0.5).all()


def test_a_set_holds_the_best_guess_in_any_case() -> None:
    given = np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2]])
    assert members(given, 0.9).tolist() == [[False, True, False], [True, False, False]]
    assert members(given, 0.3).tolist() == [[False, True, True], [True, True, False]]


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_photographs_drawn_alike_get_the_promised_coverage(coverage: float) -> None:
    rng = np.random.default_rng(7)
    n, n_draws, n_new = 99, 300, 200
    shares = []
    for _ in range(n_draws):
        given, classes = draw(rng, n)
        at_least = threshold(given, classes, coverage)
        new, new_classes = draw(rng, n_new)
        # Without the best guess, which can only raise the coverage.
        shares.append((new[np.arange(n_new), new_classes] >= at_least).mean())
    # Exact is coverage itself: (n + 1) * (1 - coverage) is whole. The mean has a spread of 0.0024.
    assert np.mean(shares) == pytest.approx(coverage, abs=0.01)


def test_a_threshold_of_all_photographs_fails_those_that_are_not_sure() -> None:
    rng = np.random.default_rng(11)
    # Calibrated: the right class is drawn by the probabilities themselves, which are mostly sure.
    given = np.concatenate([rng.dirichlet([0.02] * 8, 4000), rng.dirichlet([0.5] * 8, 1000)])
    classes = (given.cumsum(axis=1) > rng.random((len(given), 1))).argmax(axis=1)
    not_sure = given.max(axis=1) < 0.6
    unsure, unsure_classes = given[not_sure], classes[not_sure]
    of_all = members(unsure, threshold(given, classes, 0.9))[np.arange(len(unsure)), unsure_classes]
    own = cross_validated(unsure, unsure_classes, 0.9, seed=3)
    assert of_all.mean() < 0.85
    assert own.coverage == pytest.approx(0.9, abs=0.02)


def test_cross_validation_measures_each_photograph_once_and_repeats_by_seed() -> None:
    given, classes = draw(np.random.default_rng(1), 400)
    one = cross_validated(given, classes, 0.9, seed=5)
    assert one == cross_validated(given, classes, 0.9, seed=5)
    assert one != cross_validated(given, classes, 0.9, seed=6)
    assert one.n == 400
    assert one.coverage == pytest.approx(0.9, abs=0.03)
    # One fold each is the jackknife.
    assert cross_validated(given[:30], classes[:30], 0.8, seed=0, folds=30).n == 30


def test_the_section_never_promises_more() -> None:
    assert manifest_section(0.0314159999, 0.95, SetFigures(660, 0.95678, 1.23456), "few") == {
        "coverage": 0.95,
        "probability": 0.0314159,
        "mean_size": 1.2346,
        "measured_coverage": 0.9568,
        "n": 660,
        "fitted_on": "few",
    }
    tiny = manifest_section(1.23456789e-8, 0.9, SetFigures(9, 1.0, 2.0), "few")
    assert tiny["probability"] == 1.23456e-8
    assert manifest_section(0.0, 0.9, SetFigures(9, 1.0, 2.0), "few")["probability"] == 0.0


def test_what_makes_no_sense_is_refused() -> None:
    given, classes = right_first([0.5, 0.6])
    for bad in (0.0, 1.0, -0.1):
        with pytest.raises(ValueError, match="between 0 and 1"):
            threshold(given, classes, bad)
    with pytest.raises(ValueError, match="of 1 photographs"):
        threshold(given, classes[:1], 0.9)
    with pytest.raises(ValueError, match="of 0 photographs"):
        threshold(given[:0], classes[:0], 0.5)
    with pytest.raises(ValueError, match="folds"):
        cross_validated(given, classes, 0.9, seed=0, folds=3)
