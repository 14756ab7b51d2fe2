"""Metrics with their counts, and the report of one model on one set of photographs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from partsight_training.calibrate import Calibration, Thresholds
from partsight_training.model import probabilities

ECE_BINS = 15  # equal-width confidence bins, as in Guo et al. 2017
VERDICTS = ("identified", "not-sure", "not-a-part")


@dataclass(frozen=True)
class Share:
    """`count` of `total` photographs, with the Wilson interval of the share."""

    count: int
    total: int

    @property
    def value(self) -> float:
        """The share in 0..=1, 0 of nothing."""
        return self.count / self.total if self.total else 0.0

    def interval(self, z: float = 1.96) -> tuple[float, float]:
        """Wilson score interval of the share, 95% by default."""
        n, p = self.total, self.value
        if n == 0:
            return 0.0, 1.0
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    def as_dict(self) -> dict[str, object]:
        """The share, its counts and its interval, for a report."""
        return {
            "value": round(self.value, 4),
            "count": self.count,
            "total": self.total,
            "wilson95": [round(bound, 4) for bound in self.interval()],
        }


def top_k(logits: np.ndarray, classes: np.ndarray, k: int) -> Share:
    """How often the right class is among the `k` highest logits `[n, c]`."""
    best = np.argsort(-logits, axis=1, kind="stable")[:, :k]  # [n, k]
    return Share(int((best == classes[:, None]).any(axis=1).sum()), len(classes))


def expected_calibration_error(confidence: np.ndarray, correct: np.ndarray) -> float:
    """Mean gap between confidence and accuracy over equal-width bins, weighted by bin size."""
    bins = np.clip(np.ceil(confidence * ECE_BINS).astype(int) - 1, 0, ECE_BINS - 1)
    gaps = [
        abs(confidence[bins == index].mean() - correct[bins == index].mean())
        * (bins == index).mean()
        for index in np.unique(bins)
    ]
    return float(sum(gaps))


def auroc(positive: np.ndarray, negative: np.ndarray) -> float:
    """Chance that a positive scores above a negative, ties counted half."""
    ranks = rankdata(np.concatenate([positive, negative]))
    n, m = len(positive), len(negative)
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))


def verdict_shares(verdicts: np.ndarray) -> dict[str, Share]:
    """How many photographs got each verdict."""
    return {name: Share(int((verdicts == name).sum()), len(verdicts)) for name in VERDICTS}


def report_known(
    logits: np.ndarray,
    known: np.ndarray,
    classes: np.ndarray,
    calibration: Calibration,
    thresholds: Thresholds,
) -> dict[str, object]:
    """Figures of known parts' photographs: `logits` `[n, c]`, `known` and `classes` `[n]`."""
    confidence = probabilities(logits, calibration.temperature).max(axis=1)
    correct = logits.argmax(axis=1) == classes
    verdicts = thresholds.verdicts(calibration.known_score(known), confidence)
    identified = verdicts == "identified"
    report: dict[str, object] = {
        "n": len(classes),
        "top1": top_k(logits, classes, 1).as_dict(),
        "top3": top_k(logits, classes, 3).as_dict(),
        "top5": top_k(logits, classes, 5).as_dict(),
        "verdicts": {name: share.as_dict() for name, share in verdict_shares(verdicts).items()},
    }
    right = Share(int(correct[identified].sum()), int(identified.sum()))
    return {**report, "identifiedAndRight": right.as_dict()}


def report_unknown(
    logits: np.ndarray, known: np.ndarray, calibration: Calibration, thresholds: Thresholds
) -> dict[str, object]:
    """Figures of photographs that show no known type."""
    confidence = probabilities(logits, calibration.temperature).max(axis=1)
    verdicts = thresholds.verdicts(calibration.known_score(known), confidence)
    shares = verdict_shares(verdicts)
    return {"n": len(known), "verdicts": {name: share.as_dict() for name, share in shares.items()}}
