"""From raw logits to calibrated numbers, and from wanted error rates to thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax, logit
from scipy.stats import beta

from partsight_training.config import ThresholdConfig

COVERAGES = 20  # candidate thresholds of `select`
NEARLY = 0.98  # of the most answers; so many fewer for a smaller error are a good bargain


@dataclass(frozen=True)
class Calibration:
    """How raw outputs become probabilities.

    confidence = max softmax(logits / temperature); known score = sigmoid(scale * known + bias).
    """

    temperature: float
    known_scale: float
    known_bias: float

    def known_score(self, known: np.ndarray) -> np.ndarray:
        """Calibrated known score `[n]` in 0..=1 of raw known logits `[n]`."""
        return expit(self.known_logit(known))

    def known_logit(self, known: np.ndarray) -> np.ndarray:
        """Logit `[n]` of the calibrated known score of raw known logits `[n]`."""
        return self.known_scale * known + self.known_bias


@dataclass(frozen=True)
class Thresholds:
    """The verdict rule's numbers, each in 0..=1."""

    not_a_part_below: float
    identified_known_score: float
    identified_confidence: float
    category_confidence: float  # from here on the summed probability of a category answers

    def verdicts(self, known_score: np.ndarray, confidence: np.ndarray) -> np.ndarray:
        """Verdict of each photograph, str `[n]`, decided in the order in which serving decides."""
        identified = (known_score >= self.identified_known_score) & (
            confidence >= self.identified_confidence
        )
        return np.where(
            known_score < self.not_a_part_below,
            "not-a-part",
            np.where(identified, "identified", "not-sure"),
        )


def fit_temperature(
    logits: np.ndarray, classes: np.ndarray, weights: np.ndarray | None = None
) -> float:
    """Temperature with the least weighted log loss on `[n, c]` logits the head was not fitted on.

    Guo et al., "On Calibration of Modern Neural Networks", 2017, section 4.2.
    """
    rows = np.arange(len(classes))

    def loss(log_temperature: float) -> float:
        scaled = log_softmax(logits / np.exp(log_temperature), axis=1)
        return float(-np.average(scaled[rows, classes], weights=weights))

    return float(np.exp(minimize_scalar(loss, bounds=(-4, 4), method="bounded").x))


def fit_known_scale(
    known: np.ndarray, is_known: np.ndarray, weights: np.ndarray
) -> tuple[float, float]:
    """Scale and bias of the known score by weighted log loss (Platt scaling).

    `known` f64 `[n]` are raw logits of photographs the known head was not fitted on.
    """
    sign = np.where(is_known, 1.0, -1.0)

    def loss(parameters: np.ndarray) -> float:
        margin = sign * (parameters[0] * known + parameters[1])
        return float(np.average(np.logaddexp(0, -margin), weights=weights))

    scale, bias = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    return float(scale), float(bias)


def fit_known_scales(
    features: np.ndarray, is_known: np.ndarray, weights: np.ndarray, missed: float, score: float
) -> tuple[np.ndarray, float]:
    """As `fit_known_scale`, with a scale `[f]` for each of the `features` `[n, f]`.

    The bias gives a share `missed` of the known photographs a known score below `score`, in 0..1.
    """
    sign = np.where(is_known, 1.0, -1.0)

    def loss(parameters: np.ndarray) -> float:
        margin = sign * (features @ parameters[:-1] + parameters[-1])
        return float(np.average(np.logaddexp(0, -margin), weights=weights))

    scales = minimize(loss, np.zeros(features.shape[1] + 1)).x[:-1]
    lowest = np.quantile(features[is_known] @ scales, missed, method="lower")
    return scales, float(logit(score) - lowest)


@dataclass(frozen=True)
class Selection:
    """What a confidence threshold lets through, and what can be promised of it."""

    wanted_error: float  # largest share of wrong answers asked for
    confidence: float  # answers at and above it are given
    answered: int  # photographs at and above it
    wrong: int  # of those
    total: int
    error_upper_bound: float  # of the share of wrong answers, at the level asked for
    holds: bool  # whether the bound is within what was wanted


def select(
    confidence: np.ndarray,
    correct: np.ndarray,
    wanted_error: float,
    level: float,
    total: int | None = None,
) -> Selection:
    """The lowest threshold whose error is at most `wanted_error` with probability `level`.

    After Geifman and El-Yaniv, "Selective Classification for Deep Neural Networks", 2017, with
    fixed candidates in place of their binary search: the confidences at rank ceil(j n / 20), j
    from 1 to 20. For each of the m that differ, the exact binomial bound of the error at level
    1 - (1 - level) / m must not exceed `wanted_error`, so that all bounds hold together. The
    promise is for photographs drawn as these were. Where no candidate can be promised, the lowest
    confidence above every wrong answer is given, and `holds` is False. The program fits by the
    same rule. `total` is n where some photographs are never answered and not among those given.
    """
    order = np.argsort(-confidence, kind="stable")
    ranked, wrong = confidence[order], np.cumsum(~correct[order])
    n = total or len(ranked)
    ranks = np.array([-(-j * n // COVERAGES) for j in range(1, COVERAGES + 1)])
    candidates = np.unique(ranked[ranks[ranks <= len(ranked)] - 1])  # rising

    def mark(threshold: float, candidates: int) -> Selection:
        answered = int((ranked >= threshold).sum())
        mistakes = int(wrong[answered - 1])
        bound = error_upper_bound(mistakes, answered, (1 - level) / candidates)
        holds = bound <= wanted_error
        return Selection(wanted_error, float(threshold), answered, mistakes, n, bound, holds)

    for threshold in candidates:
        selection = mark(threshold, len(candidates))
        if selection.holds:
            return selection
    surest_wrong = ranked[~correct[order]].max() if wrong[-1] else -1.0
    clean = ranked[ranked > surest_wrong]
    if not len(clean):
        return Selection(wanted_error, 1.0, 0, 0, n, 1.0, False)
    return mark(clean[-1], len(np.unique(ranked)))


def error_upper_bound(wrong: int, answered: int, risk: float) -> float:
    """Share of wrong answers exceeded with probability `risk` at most (Clopper-Pearson)."""
    if wrong >= answered:
        return 1.0
    return float(beta.ppf(1 - risk, wrong + 1, answered - wrong))


@dataclass(frozen=True)
class Scores:
    """What photographs get, calibrated, by heads that did not see them."""

    known_score: np.ndarray  # f64 [n], 0..=1
    confidence: np.ndarray  # f64 [n], 0..=1


def known_score_for(confidence: float, least: float, unknown: list[tuple[Scores, float]]) -> float:
    """The lowest known score, not below `least`, at which of each kind of unknown photographs at
    most its share is called identified, where answers begin at `confidence`."""
    needed = [least]
    for scores, share in unknown:
        tempting = np.sort(scores.known_score[scores.confidence >= confidence])[::-1]
        allowed = int(share * len(scores.known_score))
        # The next score after the allowed ones has to fall below the threshold.
        if len(tempting) > allowed:
            needed.append(float(np.nextafter(tempting[allowed], 2)))
    return max(needed)


def derive_thresholds(
    wanted: ThresholdConfig,
    known: Scores,
    correct: np.ndarray,
    field: np.ndarray,
    category: tuple[np.ndarray, np.ndarray],
    unknown: list[tuple[Scores, float]],
) -> tuple[Thresholds, dict[float, Selection], Selection]:
    """Thresholds from wanted error rates, on photographs that fitted none of the heads, what a shop
    may choose instead of their confidence, by wanted error, and what is promised of categories.

    1. `not_a_part_below` is the quantile of the known parts' scores under `field` bool `[n]` at
       which `known_called_not_a_part` of them fall below it.
    2. An answer needs its confidence and its known score. Of pairs of both, those whose error is
       promised at most `wanted_error`, and whose known score keeps each kind of unknown photographs
       within its share, those that answer nearly the most are kept, and of them the one with the
       least bound is taken. Confidences are the candidates of
       `select`, each with the lowest known score that `unknown` allows it; those photographs are
       others than the known ones, so the bounds hold together as they do there.
    3. `category_confidence` is that of `select` on the photographs whose known score is enough and
       whose type is not sure: only these are answered by a category. It is at least the confidence
       of a type: a category says less than a type and must not be had for less.

    `correct` bool `[n]` is of the `known` photographs' best types; `category` holds the summed
    probability `[n]` of their categories, and whether these are right, bool `[n]`; `unknown` holds
    scores and the share of everyday photographs and of parts of other types.
    """
    n = len(correct)
    not_a_part = float(
        np.quantile(known.known_score[field], wanted.known_called_not_a_part, method="lower")
    )
    ranked = np.sort(known.confidence)[::-1]
    candidates = np.unique(ranked[[-(-j * n // COVERAGES) - 1 for j in range(1, COVERAGES + 1)]])

    def selection(wanted_error: float, confidence: float, score: float) -> Selection:
        answers = (known.confidence >= confidence) & (known.known_score >= score)
        wrong, answered = int((answers & ~correct).sum()), int(answers.sum())
        bound = error_upper_bound(wrong, answered, (1 - wanted.confidence_level) / len(candidates))
        holds = bound <= wanted_error
        return Selection(wanted_error, float(confidence), answered, wrong, n, bound, holds)

    pairs = [
        (known_score_for(confidence, not_a_part, unknown), confidence) for confidence in candidates
    ]
    chosen = [
        (selection(wanted.wanted_error, confidence, score), score) for score, confidence in pairs
    ]
    promised = [pair for pair in chosen if pair[0].holds]
    if promised:
        most = max(pair[0].answered for pair in promised)
        nearly = [pair for pair in promised if pair[0].answered >= NEARLY * most]
        main, score = min(nearly, key=lambda pair: pair[0].error_upper_bound)
    else:
        main, score = min(chosen, key=lambda pair: pair[0].error_upper_bound)
    through = known.known_score >= score
    dial: dict[float, Selection] = {}
    strictest = 0.0  # confidence of the marks so far, from lax to strict
    for error in sorted({wanted.wanted_error, *wanted.dial}, reverse=True):
        marks = [selection(error, confidence, score) for confidence in candidates]
        promised_marks = [mark for mark in marks if mark.holds and mark.confidence >= strictest]
        if error == wanted.wanted_error:
            mark = main
        elif promised_marks:
            mark = max(promised_marks, key=lambda mark: mark.answered)
        else:
            mark = select(
                known.confidence[through], correct[through], error, wanted.confidence_level, n
            )
        if mark.confidence < strictest:
            mark = selection(error, strictest, score)
        dial[error] = mark
        strictest = mark.confidence
    # Rounded as served, since the type at the threshold itself is sure.
    is_open = through & (known.confidence < rounded_down(main.confidence))
    sums, right = category
    if is_open.any():
        of_categories = select(
            sums[is_open], right[is_open], wanted.wanted_error, wanted.confidence_level
        )
    else:
        of_categories = Selection(wanted.wanted_error, 1.0, 0, 0, 0, 1.0, False)
    # Rounded towards what the rates allow, so that the manifest's digits are the ones measured.
    thresholds = Thresholds(
        not_a_part_below=rounded_down(not_a_part),
        identified_known_score=_ceil(score),
        identified_confidence=rounded_down(main.confidence),
        category_confidence=rounded_down(max(of_categories.confidence, main.confidence)),
    )
    return thresholds, dict(sorted(dial.items())), of_categories


def rounded_down(value: float) -> float:
    """A threshold with the six digits that the manifest keeps, never above the value."""
    return float(np.floor(value * 1e6) / 1e6)


def _ceil(value: float) -> float:
    return float(np.ceil(value * 1e6) / 1e6)
