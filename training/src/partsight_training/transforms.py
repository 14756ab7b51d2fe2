"""From a picture to the network's input, as in serving.

The Rust side repeats them and is tied to them
by the golden files, so a change here needs new golden files.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from partsight_training.config import ResizeConfig

MEAN = (0.5, 0.5, 0.5)  # RGB, of values in 0..=1: -1..=1 is what the starting weights expect
STD = (0.5, 0.5, 0.5)

_FILTERS = {
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos3": Image.Resampling.LANCZOS,
}


def resize(image: Image.Image, config: ResizeConfig) -> np.ndarray:
    """Bring an RGB picture of any size to the input size.

    Returns u8 `[height, width, 3]`. Pillow's convolution widens its support when it shrinks, so
    fine texture is averaged instead of aliased.
    """
    if config.mode != "squash":
        raise ValueError(f"unknown resize mode `{config.mode}`")
    filter_ = _FILTERS[config.filter]
    if config.through:
        image = image.resize((config.through, config.through), filter_)
    return np.asarray(image.resize((config.width, config.height), filter_))


def to_tensor(pixels: np.ndarray) -> np.ndarray:
    """Scale and normalise u8 `[n, h, w, 3]` to f32 `[n, 3, h, w]`: ((u8 / 255) - mean) / std."""
    scaled = pixels.astype(np.float32) / np.float32(255)  # [n, h, w, 3] in 0..=1
    normalised = (scaled - np.float32(MEAN)) / np.float32(STD)  # [n, h, w, 3] about -2.2..=2.7
    return np.ascontiguousarray(normalised.transpose(0, 3, 1, 2))  # [n, 3, h, w]
