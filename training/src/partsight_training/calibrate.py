"""From raw logits to calibrated numbers, and from wanted error rates to thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax

from partsight_training.config import ThresholdConfig


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
        return expit(self.known_scale * known + self.known_bias)


@dataclass(frozen=True)
class Thresholds:
    """The verdict rule's three numbers, each in 0..=1."""

    not_a_part_below: float
    identified_known_score: float
    identified_confidence: float

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


def derive_thresholds(
    wanted: ThresholdConfig,
    known_score: np.ndarray,
    known_confidence: np.ndarray,
    known_correct: np.ndarray,
    unknown_score: np.ndarray,
    unknown_confidence: np.ndarray,
) -> Thresholds:
    """Thresholds from wanted error rates, on photographs that fitted none of the heads.

    1. `not_a_part_below` is the quantile of the known parts' scores at which
       `known_called_not_a_part` of them fall below it.
    2. `identified_confidence` is the lowest confidence at and above which at least
       `identified_precision` of the known parts' best guesses are right.
    3. `identified_known_score` is the lowest score, not below the first threshold, at which at most
       `unknown_called_identified` of the unknown photographs are called identified.

    `known_*` are `[n]` of known parts, `unknown_*` `[m]` of everything else.
    """
    not_a_part = float(np.quantile(known_score, wanted.known_called_not_a_part, method="lower"))
    confidence = _lowest_confidence(known_confidence, known_correct, wanted.identified_precision)
    tempting = np.sort(unknown_score[unknown_confidence >= confidence])[::-1]
    allowed = int(wanted.unknown_called_identified * len(unknown_score))
    # The next score after the allowed ones has to fall below the threshold.
    score = float(np.nextafter(tempting[allowed], 2)) if len(tempting) > allowed else 0.0
    # Rounded towards what the rates allow, so that the manifest's digits are the ones measured.
    return Thresholds(
        not_a_part_below=_floor(not_a_part),
        identified_known_score=_ceil(max(score, not_a_part)),
        identified_confidence=_floor(confidence),
    )


def _floor(value: float) -> float:
    return float(np.floor(value * 1e6) / 1e6)


def _ceil(value: float) -> float:
    return float(np.ceil(value * 1e6) / 1e6)


def _lowest_confidence(confidence: np.ndarray, correct: np.ndarray, precision: float) -> float:
    order = np.argsort(-confidence, kind="stable")
    running = np.cumsum(correct[order]) / np.arange(1, len(order) + 1)  # [n]
    enough = np.flatnonzero(running >= precision)
    return float(confidence[order][enough[-1]]) if len(enough) else 1.0
