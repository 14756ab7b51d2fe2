"""Metrics and calibration against their plain formulas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from partsight_training.as_served import count_verdicts
from partsight_training.calibrate import (
    Calibration,
    Scores,
    Thresholds,
    derive_thresholds,
    error_upper_bound,
    fit_known_scale,
    fit_known_scales,
    fit_temperature,
    select,
)
from partsight_training.config import RefitConfig, ThresholdConfig
from partsight_training.evaluate import (
    Share,
    auroc,
    expected_calibration_error,
    top_k,
)
from partsight_training.heads import refit_class_head, refit_shares, with_new_rows
from partsight_training.model import probabilities

RNG = np.random.default_rng(5)


def test_auroc_equals_counting_pairs() -> None:
    positive, negative = RNG.integers(0, 6, 30), RNG.integers(-2, 4, 40)  # with ties
    pairs = [(p > n) + 0.5 * (p == n) for p in positive for n in negative]
    assert auroc(positive, negative) == pytest.approx(np.mean(pairs))


def test_calibration_error_equals_a_loop_over_bins() -> None:
    confidence, correct = RNG.uniform(0, 1, 200), RNG.random(200) < 0.6
    expected = 0.0
    for index in range(15):
        inside = [i for i, c in enumerate(confidence) if index / 15 < c <= (index + 1) / 15]
        if inside:
            gap = abs(np.mean(confidence[inside]) - np.mean(correct[inside]))
            expected += gap * len(inside) / 200
    assert expected_calibration_error(confidence, correct) == pytest.approx(expected)


def test_top_k_counts_the_right_class_among_the_best() -> None:
    logits = np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
    classes = np.array([0, 1, 2])
    assert [top_k(logits, classes, k).count for k in (1, 2, 3)] == [1, 2, 3]


def test_the_wilson_interval_matches_a_published_value() -> None:
    # 81 of 263: Newcombe, Statistics in Medicine 17 (1998), table I.
    low, high = Share(81, 263).interval()
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)


def test_temperature_finds_the_one_that_the_labels_were_drawn_with() -> None:
    logits = RNG.normal(0, 4, (6000, 5))
    drawn = (np.cumsum(probabilities(logits, 2.0), axis=1) > RNG.random((6000, 1))).argmax(axis=1)
    assert fit_temperature(logits, drawn) == pytest.approx(2.0, rel=0.1)


def test_known_scale_recovers_the_logistic_curve() -> None:
    known = RNG.normal(0, 2, 8000)
    is_known = RNG.random(8000) < Calibration(1.0, 0.7, -0.5).known_score(known)
    scale, bias = fit_known_scale(known, is_known, np.ones(8000))
    assert (scale, bias) == (pytest.approx(0.7, abs=0.08), pytest.approx(-0.5, abs=0.1))


def test_known_scales_leave_the_given_share_of_the_known_below_the_score() -> None:
    rng = np.random.default_rng(0)
    features = rng.uniform(-4, 4, (8000, 2))
    is_known = rng.random(8000) < 1 / (1 + np.exp(-(features @ [2, -1] - 1)))
    drawn = 1 / (1 + np.exp(-(features @ [2, -1] - 1)))
    # What the curve that the labels were drawn from leaves below.
    missed = 0.03
    score = float(np.quantile(drawn[is_known], missed))
    scales, bias = fit_known_scales(features, is_known, np.ones(8000), missed, score)
    known = 1 / (1 + np.exp(-(features[is_known] @ scales + bias)))
    assert (known < score).mean() == pytest.approx(missed, abs=0.001)
    assert (*scales, bias) == pytest.approx((2, -1, -1), abs=0.1)


def test_the_bound_of_an_error_is_the_exact_binomial_one() -> None:
    # Nothing wrong in n: 1 - risk^(1 / n). Otherwise the share at which so few are this unlikely.
    assert error_upper_bound(0, 50, 0.05) == pytest.approx(1 - 0.05 ** (1 / 50))
    bound = error_upper_bound(2, 40, 0.1)
    assert binom.cdf(2, 40, bound) == pytest.approx(0.1)
    assert error_upper_bound(4, 4, 0.1) == 1.0


def test_a_selection_keeps_its_promise_on_new_photographs() -> None:
    broken = 0
    for _ in range(60):
        confidence = RNG.uniform(0, 1, 400)
        correct = RNG.random(400) < confidence**0.2
        selection = select(confidence, correct, 0.05, 0.9)
        assert selection.wrong == int((~correct[confidence >= selection.confidence]).sum())
        fresh = RNG.uniform(selection.confidence, 1, 20_000)
        broken += selection.holds and np.mean(RNG.random(20_000) >= fresh**0.2) > 0.05
    assert broken <= 6


def test_a_selection_that_can_not_be_promised_says_so() -> None:
    confidence = np.linspace(0.5, 1, 20)
    correct = np.arange(20) != 10
    selection = select(confidence, correct, 0.01, 0.9)
    assert not selection.holds
    assert (selection.answered, selection.wrong) == (9, 0)
    assert selection.error_upper_bound > 0.01
    hopeless = select(confidence, np.zeros(20, bool), 0.01, 0.9)
    assert (hopeless.answered, hopeless.confidence, hopeless.holds) == (0, 1.0, False)


def test_thresholds_keep_the_wanted_rates() -> None:
    known = Scores(RNG.beta(5, 1, 400), RNG.uniform(0, 1, 400))
    everyday = Scores(RNG.beta(1, 4, 400), RNG.uniform(0, 1, 400))
    other_parts = Scores(RNG.beta(2, 2, 400), RNG.uniform(0, 1, 400))
    correct = RNG.random(400) < known.confidence**0.1
    wanted = ThresholdConfig(0.03, 0.01, 0.05, 0.1, 0.9)
    field = np.arange(400) >= 100
    category = (known.confidence, correct)
    thresholds, dial, _ = derive_thresholds(
        wanted, known, correct, field, category, [(everyday, 0.01), (other_parts, 0.05)]
    )
    assert np.mean(known.known_score[field] < thresholds.not_a_part_below) <= 0.03
    answers = thresholds.verdicts(known.known_score, known.confidence) == "identified"
    assert correct[answers].mean() >= 0.9
    assert answers.sum() == dial[0.1].answered
    shares = [
        np.mean(thresholds.verdicts(each.known_score, each.confidence) == "identified")
        for each in (everyday, other_parts)
    ]
    assert shares[0] <= 0.01
    assert shares[1] <= 0.05


def test_a_stricter_confidence_is_taken_where_it_lets_more_through() -> None:
    # Other parts are often a little sure and well known: at low confidences they bar the way.
    known = Scores(np.full(400, 0.6), np.linspace(0.5, 1, 400))
    other_parts = Scores(np.full(100, 0.9), np.linspace(0.4, 0.7, 100))
    wanted = ThresholdConfig(0.0, 0.0, 0.0, 0.1, 0.9)
    everything = np.ones(400, bool)
    category = (known.confidence, everything)
    thresholds, _, _ = derive_thresholds(
        wanted, known, everything, everything, category, [(other_parts, 0.0)]
    )
    answers = thresholds.verdicts(known.known_score, known.confidence) == "identified"
    assert answers.mean() > 0.5
    assert thresholds.identified_confidence > 0.69


def test_a_category_is_promised_where_no_type_is_sure() -> None:
    # 900 photographs have a sure and right type. Of the other 100 every fourth category is wrong,
    # however sure it is: few among all, too many among those that a category answers.
    sure = np.arange(1000) >= 100
    known = Scores(np.ones(1000), np.where(sure, 0.99, 0.4))
    sums = np.where(sure, 0.995, np.linspace(0.5, 1, 1000, endpoint=False)[::-1])
    right = sure | (np.arange(1000) % 4 != 0)
    wanted = ThresholdConfig(0.0, 0.0, 0.0, 0.05, 0.95)
    on_all = select(sums, right, 0.05, 0.95)
    assert on_all.holds
    assert (~right[~sure & (sums >= on_all.confidence)]).mean() > 0.2
    thresholds, _, category = derive_thresholds(
        wanted, known, sure, np.ones(1000, bool), (sums, right), [(known, 1.0)]
    )
    assert category.total == 100
    assert not category.holds
    answered = ~sure & (sums >= thresholds.category_confidence)
    assert right[answered].all()

    # Where every type is sure, no category answers.
    everything = np.ones(1000, bool)
    thresholds, _, category = derive_thresholds(
        wanted, known, everything, everything, (sums, everything), [(known, 1.0)]
    )
    assert (category.total, thresholds.category_confidence) == (0, 1.0)


def test_verdicts_are_decided_in_order() -> None:
    thresholds = Thresholds(0.1, 0.5, 0.6, 0.7)
    verdicts = thresholds.verdicts(np.array([0.05, 0.1, 0.5, 0.5]), np.array([0.9, 0.9, 0.6, 0.5]))
    assert verdicts.tolist() == ["not-a-part", "not-sure", "identified", "not-sure"]


def test_the_dial_counts_answers_wrong_ones_and_open_ones() -> None:
    thresholds = Thresholds(0.1, 0.5, 0.6, 0.7)
    known_score, confidence = (
        np.array([0.05, 0.4, 0.9, 0.9, 0.9]),
        np.array([0.9, 0.9, 0.9, 0.6, 0.5]),
    )
    correct = np.array([True, True, True, False, False])
    counts = count_verdicts(thresholds, known_score, confidence, correct)
    assert counts == {"identified": 2, "identified_wrong": 1, "not_sure": 2}


def test_a_refitted_head_follows_scarce_photographs_and_stays_near() -> None:
    rng = np.random.default_rng(2)
    # Two classes at 0 and 90 degrees in catalogues; as users take them, both turned by 50.
    angles = np.concatenate([rng.normal(0, 0.1, 200), rng.normal(np.pi / 2, 0.1, 200)])
    classes = np.repeat([0, 1], 200)
    is_scarce = np.arange(400) % 20 == 0
    angles = angles + is_scarce * 0.87
    embedding = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    weight, bias = np.eye(2) * 5, np.zeros(2)

    def right(head: tuple[np.ndarray, np.ndarray], rows: np.ndarray) -> float:
        guesses = (embedding[rows] @ head[0].T + head[1]).argmax(axis=1)
        return float((guesses == classes[rows]).mean())

    assert right((weight, bias), is_scarce) < 0.8
    shares = refit_shares(is_scarce, np.zeros(400, bool), RefitConfig(20.0, 1e-4))
    moved = refit_class_head(weight, bias, embedding, classes, shares, RefitConfig(20.0, 1e-4))
    assert right(moved, is_scarce) == 1.0
    assert right(moved, ~is_scarce) > 0.98
    kept = refit_class_head(weight, bias, embedding, classes, shares, RefitConfig(20.0, 1e6))
    np.testing.assert_allclose(kept[0], weight, atol=1e-3)


def test_photographs_of_scarce_types_weigh_by_themselves_and_share_with_their_views() -> None:
    config = RefitConfig(20.0, 1e-4, views=((1.0, True),), scarce_types_weight=60.0)
    is_scarce, of_type = np.array([False, True, True]), np.array([False, False, True])
    np.testing.assert_array_equal(refit_shares(is_scarce, of_type, config), [1, 10, 30])


def test_a_head_keeps_its_rows_among_those_of_new_types() -> None:
    weight, bias = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, -0.5])
    grown, offsets, is_new = with_new_rows(weight, bias, ["b", "d"], ["a", "b", "c", "d"])
    np.testing.assert_array_equal(grown, [[0, 0], [1, 2], [0, 0], [3, 4]])
    np.testing.assert_array_equal(offsets, [-0.5, 0.5, -0.5, -0.5])
    np.testing.assert_array_equal(is_new, [True, False, True, False])
    fewer, offsets, _ = with_new_rows(weight, bias, ["b", "d"], ["a", "d"])
    np.testing.assert_array_equal(fewer, [[0, 0], [3, 4]])
    np.testing.assert_array_equal(offsets, [-0.5, -0.5])
