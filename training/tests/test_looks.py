"""The second look: its views, what is pooled, and the scales that are fitted."""

from __future__ import annotations

import numpy as np
import pytest

from partsight_training.calibrate import fit_temperature
from partsight_training.config import SecondLookConfig
from partsight_training.looks import Fitting, Outputs, fit_second_look, plain_look
from partsight_training.model import probabilities

CONFIG = SecondLookConfig(0.9, 0.5, ((1.0, True), (0.5, False)))


def drawn(n: int, views: int, noise: float, rng: np.random.Generator) -> tuple[Outputs, np.ndarray]:
    """Photographs whose views say the same but for noise of each, and the right classes."""
    truth = rng.normal(0, 2, (n, 1, 4))
    logits = truth + rng.normal(0, noise, (n, views, 4))
    odds = probabilities(truth[:, 0], 1.0)
    classes = (np.cumsum(odds, axis=1) > rng.random((n, 1))).argmax(axis=1)
    known = rng.normal(1.0, 1.0, (n, views))
    return Outputs(rng.normal(0, 1, (n, views, 3)), logits, known), classes


def test_pooled_logits_are_brought_to_the_temperature_of_first_looks() -> None:
    rng = np.random.default_rng(5)
    looks, classes = drawn(4000, 3, 1.5, rng)
    others, _ = drawn(2000, 3, 1.5, rng)
    others = Outputs(others.embedding, others.logits, others.known - 2.0)
    every = {"valid": looks, "negatives": others}
    weights = {name: np.full(len(part.known), 1 / len(part.known)) for name, part in every.items()}
    first = {name: part.first() for name, part in every.items()}
    fitting = Fitting(first, {"valid": classes}, weights)
    calibration = fitting.calibration()
    look, outputs = fit_second_look(CONFIG, every, fitting, calibration)
    # Noise that is averaged away leaves logits that may be trusted more.
    assert look.logit_scale > 1.1
    again = plain_look(CONFIG).is_needed(
        first["valid"].confidence(calibration), calibration.known_score(first["valid"].known)
    )
    assert 0.2 < again.mean() < 1.0
    np.testing.assert_array_equal(outputs["valid"].logits[~again], first["valid"].logits[~again])
    own = fit_temperature(outputs["valid"].logits[again], classes[again])
    assert own == pytest.approx(calibration.temperature, rel=0.01)
    right_at_first = (first["valid"].logits.argmax(axis=1) == classes).mean()
    assert (outputs["valid"].logits.argmax(axis=1) == classes).mean() > right_at_first


def test_too_few_photographs_leave_the_scales_alone() -> None:
    looks, classes = drawn(6, 3, 1.0, np.random.default_rng(1))
    every = {"valid": looks, "negatives": looks}
    weights = {name: np.full(6, 1 / 6) for name in every}
    fitting = Fitting({n: p.first() for n, p in every.items()}, {"valid": classes}, weights)
    look, _ = fit_second_look(CONFIG, every, fitting, fitting.calibration())
    assert (look.logit_scale, look.known_scale, look.known_bias) == (1.0, 1.0, 0.0)
