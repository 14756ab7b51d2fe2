"""Composed scenes of made-up parts, and what is counted as found on them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from partsight_training.detected import Choice, Count, count, fitted, parts_of
from partsight_training.parts import Part, read_part
from partsight_training.scenes import MOST_PARTS, Composer, Scene, read_several

SIZE = (320, 240)
GREEN, RED = (30, 170, 40), (200, 40, 30)


def disc() -> Part:
    """A green disc of 80 px, cut out of its ground."""
    y, x = np.mgrid[0:100, 0:100]
    is_disc = (x - 50) ** 2 + (y - 50) ** 2 < 40**2
    pixels = np.where(is_disc[..., None], GREEN, (255, 255, 255)).astype(np.uint8)
    return Part(pixels, (is_disc * 255).astype(np.uint8), is_squashed=False)


def frame() -> Part:
    """A red photograph that nothing can be cut out of."""
    return Part(np.full((60, 90, 3), RED, np.uint8), None, is_squashed=False)


@pytest.fixture(scope="module")
def scenes() -> list:
    ground = np.full((200, 300, 3), 120, np.uint8)
    composer = Composer([disc(), frame()], [ground], seed=3)
    return [composer.scene(SIZE) for _ in range(60)]


def test_each_box_is_filled_by_a_part(scenes: list) -> None:
    n_boxes = 0
    for scene in scenes:
        assert scene.pixels.shape == (SIZE[1], SIZE[0], 3)
        for left, top, right, bottom in scene.boxes:
            assert 0 <= left < right <= SIZE[0]
            assert 0 <= top < bottom <= SIZE[1]
            x, y = int((left + right) / 2), int((top + bottom) / 2)
            red, green, blue = scene.pixels[y, x].astype(int)
            # Grounds are grey or nearly so, and no part is.
            assert max(red, green) - blue > 30 or abs(red - green) > 30
            n_boxes += 1
    assert n_boxes > 100
    counts = {len(scene.boxes) for scene in scenes}
    assert 0 in counts and 1 in counts and max(counts) <= MOST_PARTS


def test_the_same_seed_gives_the_same_scenes() -> None:
    def drawn(seed: int) -> np.ndarray:
        ground = np.full((200, 300, 3), 120, np.uint8)
        composer = Composer([disc(), frame()], [ground], seed)
        return np.stack([composer.scene(SIZE).pixels for _ in range(4)])

    assert np.array_equal(drawn(5), drawn(5))
    assert not np.array_equal(drawn(5), drawn(6))


def test_a_catalogue_picture_is_cut_out_and_a_photograph_is_not(tmp_path) -> None:  # noqa: ANN001
    Image.fromarray(disc().pixels).save(tmp_path / "disc.png")
    random = np.random.default_rng(1)
    Image.fromarray(random.integers(0, 256, (400, 600, 3), np.uint8)).save(tmp_path / "rough.png")
    opacity = read_part(tmp_path / "disc.png", is_squashed=True).opacity
    assert opacity[50, 50] == 255 and opacity[3, 3] == 0
    rough = read_part(tmp_path / "rough.png", is_squashed=False)
    assert rough.opacity is None and max(rough.pixels.shape) == 320


def test_a_picture_of_two_discs_is_no_photograph_of_one_part(tmp_path) -> None:  # noqa: ANN001
    Image.fromarray(np.hstack([disc().pixels] * 2)).save(tmp_path / "discs.png")
    assert read_part(tmp_path / "discs.png", is_squashed=False) is None
    scene = read_several(tmp_path / "discs.png")
    assert scene.boxes == pytest.approx(
        np.array([[11, 11, 90, 90], [111, 11, 190, 90]], np.float32), abs=2
    )
    random = np.random.default_rng(1)
    Image.fromarray(random.integers(0, 256, (400, 600, 3), np.uint8)).save(tmp_path / "rough.png")
    with pytest.raises(ValueError, match=r"rough\.png"):
        read_several(tmp_path / "rough.png")


def test_photographs_of_several_parts_keep_their_boxes() -> None:
    pixels = np.hstack([disc().pixels] * 2)
    boxes = np.array([[10, 10, 90, 90], [110, 10, 190, 90]], np.float32)
    composer = Composer(
        [disc(), frame()], [np.full((200, 300, 3), 120, np.uint8)], 3, [Scene(pixels, boxes, True)]
    )
    found = [composer.scene(SIZE) for _ in range(80)]
    wide = np.array([16, 24, 144, 216])
    shown = [
        scene for scene in found if len(scene.boxes) == 2 and np.allclose(scene.boxes[0], wide)
    ]
    assert shown
    for scene in shown:
        green = scene.pixels[120, 80].astype(int)
        assert green[1] - green[0] > 60


def test_peaks_become_boxes_and_each_part_is_told_once() -> None:
    score = np.full((6, 10), 0.01, np.float32)
    sides = np.ones((4, 6, 10), np.float32)
    for (y, x), value, reach in (
        ((3, 2), 0.9, (24, 8, 40, 16)),
        ((3, 4), 0.8, (56, 8, 8, 16)),  # the same box, seen from its right
        ((1, 8), 0.3, (8, 8, 8, 8)),
        ((4, 8), 0.6, (8, 8, 99, 8)),
    ):
        score[y, x] = value
        sides[:, y, x] = reach
    found = parts_of(score, sides, 16, Choice(least_score=0.4))
    expected = [[16 / 160, 48 / 96, 80 / 160, 72 / 96], [128 / 160, 64 / 96, 1, 80 / 96]]
    assert found.boxes == pytest.approx(np.array(expected), abs=1e-6)
    assert found.scores == pytest.approx([0.9, 0.6])


def test_parts_are_counted_as_found_missed_and_false() -> None:
    parts = np.array([[0, 0, 0.4, 0.4], [0.5, 0.5, 1, 1]])
    found = np.array([[0, 0, 0.4, 0.3], [0.1, 0, 0.4, 0.4], [0.5, 0, 1, 0.4]])
    assert count(found, parts) == Count(parts=2, found=1, false=2)
    assert count(np.zeros((0, 4)), parts) == Count(2, 0, 0)


def test_pictures_keep_their_aspect_up_to_a_multiple() -> None:
    for size, expected in (
        ((1280, 960), (480, 640)),
        ((300, 1200), (640, 160)),
        ((2000, 5), (32, 640)),
    ):
        assert fitted(Image.new("RGB", size), 640).shape[:2] == expected, size
