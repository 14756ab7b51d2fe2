"""The curves of the calibration photographs against plain formulas, and in a manifest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conftest import Workspace
from partsight_training.as_served import (
    MARKS,
    curves,
    effective_size,
    equal_weights,
    shares_at_most,
    write_as_served,
)
from partsight_training.collection import read_collection
from partsight_training.config import REPOSITORY
from partsight_training.manifest import read_manifest
from partsight_training.train import train


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


def test_the_curves_are_of_the_scores() -> None:
    found = curves(np.array([0.3, 0.99]), np.array([0.99, 0.99]), np.array(["a", "b"]))
    assert found["effective_n"] == 2
    assert found["confidence"][MARKS.index(0.4)] == 0.5
    assert found["known_score"][MARKS.index(0.4)] == 0


def test_what_is_served_is_written_once(workspace: Workspace, tmp_path: Path) -> None:
    w, out = workspace, tmp_path / "model"
    train(w.config, w.photos, w.weights, w.cache, out)
    before = read_manifest(out)
    collection = read_collection(w.photos, w.config)
    splits = [collection.splits[name] for name in collection.known]
    written = write_as_served(out, splits)
    for mark in written["thresholds"]["risk"]:
        assert mark["identified"] + mark["not_sure"] <= mark["n"]
    assert write_as_served(out, splits) == written
    found = read_manifest(out)
    assert found["drift"]["at"] == list(MARKS)
    del found["drift"], found["thresholds"], before["thresholds"]
    assert found == before
    with pytest.raises(ValueError, match="other photographs"):
        write_as_served(out, splits[:1])


def test_the_shipped_model_says_what_its_photographs_were_like() -> None:
    drift = read_manifest(REPOSITORY / "models/partsight-50")["drift"]
    for name in ("confidence", "known_score"):
        assert len(drift[name]) == len(drift["at"])
        assert (np.diff(drift[name]) >= 0).all()
