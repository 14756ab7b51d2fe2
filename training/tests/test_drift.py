"""The curves of the calibration photographs against plain formulas, and in a manifest."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from partsight_training.config import REPOSITORY
from partsight_training.drift import (
    MARKS,
    effective_size,
    equal_weights,
    manifest_section,
    shares_at_most,
    with_section,
)


def test_sets_weigh_the_same_however_large() -> None:
    set_of = np.array(["a"] * 6 + ["b"] * 2)
    weights = equal_weights(set_of)
    assert weights.sum() == pytest.approx(1)
    assert weights[set_of == "a"].sum() == pytest.approx(0.5)
    assert effective_size(np.ones(7)) == pytest.approx(7)
    # Of two sets of equal weight it is 4 / (1 / n + 1 / m).
    assert effective_size(weights) == pytest.approx(4 / (1 / 6 + 1 / 2))


def test_shares_count_what_is_at_most_a_mark() -> None:
    values = np.array([0.5, 0.500001, 0.95, 1.0])
    shares = shares_at_most(values, np.full(4, 0.25))
    assert shares[MARKS.index(0.4)] == 0
    assert shares[MARKS.index(0.5)] == pytest.approx(0.25)
    assert shares[MARKS.index(0.6)] == pytest.approx(0.5)
    assert shares[-1] == pytest.approx(0.75)
    assert (np.diff(shares) >= 0).all()


def test_the_marks_rise_within_the_scores() -> None:
    assert (np.diff(MARKS) > 0).all()
    assert MARKS[0] > 0
    assert MARKS[-1] < 1


def test_the_section_is_put_in_and_replaced_and_nothing_else_changes() -> None:
    manifest = 'name = "m"\n\n[sets]\nn = 3\n\n[thresholds]\nx = 1\n\n[[thresholds.risk]]\nn = 2\n'
    scores = np.array([0.3, 0.99])
    section = manifest_section(scores, scores, np.array(["a", "b"]), 'two "made" ones')
    once = with_section(manifest, section)
    found = tomllib.loads(once)
    assert found["drift"]["effective_n"] == 2
    assert found["drift"]["at"] == list(MARKS)
    assert found["drift"]["confidence"][MARKS.index(0.4)] == 0.5
    assert found["drift"]["measured_on"] == 'two "made" ones'
    del found["drift"]
    assert found == tomllib.loads(manifest)
    other = manifest_section(scores + 0.001, scores, np.array(["a", "b"]), "others")
    assert with_section(once, other) == with_section(manifest, other)
    with pytest.raises(ValueError, match="thresholds"):
        with_section('name = "m"\n', section)


def test_the_shipped_model_says_what_its_photographs_were_like() -> None:
    text = (REPOSITORY / "models/partsight-50/model.toml").read_text(encoding="utf-8")
    drift = tomllib.loads(text)["drift"]
    for name in ("confidence", "known_score"):
        assert len(drift[name]) == len(drift["at"])
        assert (np.diff(drift[name]) >= 0).all()
