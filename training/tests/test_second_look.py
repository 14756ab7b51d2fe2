"""The views of a second look, their pooling, and when they are run."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from partsight_training import golden
from partsight_training.check_export import check
from partsight_training.config import REPOSITORY, ResizeConfig
from partsight_training.drawings import draw
from partsight_training.second_look import SecondLook, View, pool, views
from partsight_training.serving import ServedModel
from partsight_training.transforms import resize

FIXTURES = REPOSITORY / "crates" / "inference" / "tests" / "fixtures" / "resize"
VIEWS = (View(1.0, True), View(0.7, False), View(0.7, True))
LOOK = SecondLook(0.9, 0.5, 2.0, 3.0, -1.0, VIEWS)
SHIPPED = REPOSITORY / "models" / "partsight-50"
MARKS = "confidence_below = 0.9\nknown_score_below = 0.5\n"
SECTION = f"""
[second_look]
{MARKS}logit_scale = 1.0
known_scale = 1.0
known_bias = 0.0
[[second_look.views]]
centre = 1.0
mirrored = true
[[second_look.views]]
centre = 0.7
mirrored = false
"""


@pytest.mark.parametrize("name", ["wide", "tall", "tiny", "pixel"])
def test_views_are_those_that_the_program_is_compared_with(name: str) -> None:
    config = ResizeConfig("squash", "bilinear", width=24, height=20)
    expected = np.asarray(Image.open(FIXTURES / f"{name}-views.png")).reshape(3, 20, 24, 3)
    with Image.open(FIXTURES / f"{name}.png") as picture:
        np.testing.assert_array_equal(views(picture.convert("RGB"), LOOK, config), expected)


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (31, 700), (640, 427)])
def test_a_mirrored_whole_is_the_first_look_mirrored(size: tuple[int, int]) -> None:
    config = ResizeConfig("squash", "bilinear")
    picture = draw("rim").resize(size)
    seen = views(picture, LOOK, config)
    assert (seen.shape, seen.dtype) == ((3, 224, 224, 3), np.uint8)
    np.testing.assert_array_equal(seen[0, :, ::-1], resize(picture, config))
    np.testing.assert_array_equal(seen[2, :, ::-1], seen[1])


def test_every_look_weighs_the_same() -> None:
    embedding = np.array([[3.0, 0.0], [0.0, 1.0]], np.float32)  # [k, d], by direction alone
    logits = np.array([[1.0, 4.0], [3.0, 0.0]], np.float32)  # [k, c]
    known = np.array([0.5, 1.5], np.float32)  # [k]
    pooled = pool((embedding, logits, known), LOOK)
    np.testing.assert_allclose(pooled[0], np.sqrt([0.5, 0.5]), rtol=1e-6)
    np.testing.assert_allclose(pooled[1], [4.0, 4.0])
    np.testing.assert_allclose(pooled[2], 2.0)
    assert {values.dtype for values in pooled} == {np.dtype(np.float32)}


def test_many_photographs_are_pooled_at_once() -> None:
    rng = np.random.default_rng(0)
    outputs = tuple(rng.normal(0, 1, shape) for shape in ((5, 4, 6), (5, 4, 3), (5, 4)))
    together = pool(outputs, LOOK)
    for row in range(5):
        alone = pool(tuple(values[row] for values in outputs), LOOK)
        for several, one in zip(together, alone, strict=True):
            np.testing.assert_allclose(several[row], one, rtol=1e-6)


def test_looks_that_cancel_each_other_out_stay_finite() -> None:
    opposite = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert pool((opposite, opposite, np.zeros(2)), LOOK)[0].tolist() == [0.0, 0.0]


def test_either_mark_asks_for_a_second_look() -> None:
    confidence = np.array([0.95, 0.85, 0.95, 0.9])
    known_score = np.array([0.8, 0.8, 0.45, 0.5])
    assert LOOK.is_needed(confidence, known_score).tolist() == [False, True, True, False]


@pytest.fixture
def twice(tmp_path: Path) -> Path:
    """The shipped model without its golden files, made to look twice as the tests want it."""
    folder = tmp_path / "twice"
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns("golden"))
    manifest = folder / "model.toml"
    # Whatever it says of a second look itself stands between two other sections, or at the end.
    own = r"(?ms)^\[second_look\]$.*?(?=^\[(?!\[second_look)|\Z)"
    manifest.write_text(re.sub(own, "", manifest.read_text(encoding="utf-8")) + SECTION)
    return folder


class CountedModel(ServedModel):
    """Counts the pictures that the network sees."""

    n_runs = 0

    def run(self, tensor: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        self.n_runs += len(tensor)
        return super().run(tensor)


@pytest.mark.parametrize(("below", "expected"), [(0.0, 1), (1.0, 3)])
def test_a_sure_picture_is_run_once_and_an_unsure_one_as_often_as_the_manifest_says(
    twice: Path, below: float, expected: int
) -> None:
    manifest = twice / "model.toml"
    marks = f"confidence_below = 0.0\nknown_score_below = {below}\n"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(MARKS, marks))
    model = CountedModel(twice)
    seen = model.recognise(draw("meadow"))
    assert (model.n_runs, seen.looks) == (expected, 1 if expected == 1 else 2)
    assert seen.logits.shape == (len(model.labels),)
    assert np.linalg.norm(seen.embedding) == pytest.approx(1, abs=1e-5)


def test_golden_files_hold_both_looks_and_pass_their_own_check(
    twice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golden, "GOLDEN", ("meadow",))
    golden.write_golden(twice)
    path = twice / "golden" / "meadow.json"
    expected = json.loads(path.read_text(encoding="utf-8"))
    first = ServedModel(twice).look_once(draw("meadow"))
    np.testing.assert_allclose(expected["logits"], first.logits, atol=1e-6)
    assert expected["second_look"]["logits"] != expected["logits"]
    assert "meadow" in check(twice)[0]
    expected["second_look"]["known"] += 1
    path.write_text(json.dumps(expected), encoding="utf-8")
    with pytest.raises(AssertionError, match="second look: known"):
        check(twice)
