"""Shapes and ranges of the transforms, and the drawings' determinism."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from partsight_training.config import ResizeConfig, load_config, parse_config
from partsight_training.data import read_picture
from partsight_training.drawings import DRAWINGS, SIZE, draw
from partsight_training.fingerprint import fingerprint
from partsight_training.rollup import category_sums
from partsight_training.transforms import MEAN, STD, resize, to_tensor

CONFIG = Path(__file__).parents[1] / "configs" / "partsight-50.toml"


@pytest.mark.parametrize("size", [(1, 1), (31, 700), (640, 427), (224, 224)])
def test_resize_gives_the_input_size(size: tuple[int, int]) -> None:
    pixels = resize(Image.new("RGB", size, (10, 20, 30)), ResizeConfig("squash", "bilinear"))
    assert pixels.shape == (224, 224, 3)
    assert pixels.dtype == np.uint8
    assert pixels[112, 112].tolist() == [10, 20, 30]


def test_squash_keeps_a_picture_of_the_input_size_as_it_is() -> None:
    picture = Image.fromarray(
        np.random.default_rng(0).integers(0, 256, (224, 224, 3), dtype=np.uint8)
    )
    np.testing.assert_array_equal(
        resize(picture, ResizeConfig("squash", "bilinear")), np.asarray(picture)
    )


def test_squash_by_way_of_a_square_is_two_squashes() -> None:
    picture = draw("rim")
    square = picture.resize((240, 240), Image.Resampling.BILINEAR)
    np.testing.assert_array_equal(
        resize(picture, ResizeConfig("squash", "bilinear", through=240)),
        resize(square, ResizeConfig("squash", "bilinear")),
    )


def test_tensor_is_the_stated_formula_channel_first() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (2, 8, 8, 3), dtype=np.uint8)
    tensor = to_tensor(pixels)
    assert tensor.shape == (2, 3, 8, 8)
    assert tensor.dtype == np.float32
    expected = (pixels[1, 4, 5, 2] / 255 - MEAN[2]) / STD[2]
    assert tensor[1, 2, 4, 5] == pytest.approx(expected, abs=1e-5)
    assert tensor.min() >= -2.2
    assert tensor.max() <= 2.7


def test_a_fingerprint_survives_resizing_and_tells_pictures_apart() -> None:
    def mark(picture: Image.Image) -> np.ndarray:
        pixels = np.asarray(picture.convert("RGB").resize((224, 224)))
        return np.unpackbits(np.frombuffer(fingerprint(pixels), np.uint8))

    rim = draw("rim")
    assert mark(rim).shape == (240,)
    smaller = rim.resize((rim.width // 2, rim.height // 3))
    assert (mark(rim) != mark(smaller)).sum() <= 12
    assert (mark(rim) != mark(draw("meadow"))).sum() > 40


def test_a_fingerprint_has_the_stated_bits() -> None:
    pixels = np.zeros((32, 32, 3), np.uint8)
    pixels[0:2, 0:2] = 255  # the first block is lighter than its right neighbour
    pixels[30:32, 28:30] = 255  # and in the last row the last but one
    assert fingerprint(pixels) == bytes([0x80, *[0] * 28, 0x01])


def test_a_category_is_as_probable_as_its_types() -> None:
    probability = np.array([[0.4, 0.35, 0.25], [0.1, 0.2, 0.7]])
    sums, best = category_sums(probability, ["brake", "brake", "engine"])
    np.testing.assert_allclose(sums, [0.75, 0.7])
    assert best.tolist() == [0, 1]


def test_a_picture_is_read_upright_as_rgb(tmp_path: Path) -> None:
    picture = Image.new("L", (30, 20))
    exif = Image.Exif()
    exif[0x0112] = 6  # EXIF orientation: turn a quarter clockwise to see it upright
    picture.save(tmp_path / "turned.jpg", exif=exif)
    upright = read_picture(tmp_path / "turned.jpg")
    assert (upright.size, upright.mode) == ((20, 30), "RGB")


@pytest.mark.parametrize("name", sorted(DRAWINGS))
def test_a_drawing_is_the_same_every_time(name: str) -> None:
    assert draw(name).size == SIZE
    assert draw(name, 4).tobytes() == draw(name, 4).tobytes()


def test_the_committed_config_is_read_whole() -> None:
    assert load_config(CONFIG).resize.mode == "squash"


def test_an_unknown_setting_is_an_error() -> None:
    document = tomllib.loads(CONFIG.read_text())
    document["head"]["dropout"] = 0.5
    with pytest.raises(ValueError, match="dropout"):
        parse_config(document)
