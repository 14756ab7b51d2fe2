"""From a picture to the network's input: the serving transform and the training views.

`resize` and `to_tensor` are the serving transform. The Rust side repeats them and is tied to them
by the golden files, so a change here needs new golden files.
"""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

from partsight_training.config import AugmentConfig, ResizeConfig

MEAN = (0.485, 0.456, 0.406)  # ImageNet, RGB, of values in 0..=1; the starting weights expect it
STD = (0.229, 0.224, 0.225)

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
    size = (config.width, config.height)
    filter_ = _FILTERS[config.filter]
    if config.mode == "squash":
        return np.asarray(image.resize(size, filter_))
    if config.mode == "center-crop":
        scale = config.shortest_side / min(image.size)
        scaled = tuple(max(config.shortest_side, round(side * scale)) for side in image.size)
        left = (scaled[0] - config.width) // 2
        top = (scaled[1] - config.height) // 2
        box = (left, top, left + config.width, top + config.height)
        return np.asarray(image.resize(scaled, filter_).crop(box))
    if config.mode == "letterbox":
        scale = min(config.width / image.width, config.height / image.height)
        inner = tuple(max(1, round(side * scale)) for side in image.size)
        canvas = Image.new("RGB", size, (config.pad,) * 3)
        offset = ((config.width - inner[0]) // 2, (config.height - inner[1]) // 2)
        canvas.paste(image.resize(inner, filter_), offset)
        return np.asarray(canvas)
    raise ValueError(f"unknown resize mode `{config.mode}`")


def to_tensor(pixels: np.ndarray) -> np.ndarray:
    """Scale and normalise u8 `[n, h, w, 3]` to f32 `[n, 3, h, w]`: ((u8 / 255) - mean) / std."""
    scaled = pixels.astype(np.float32) / np.float32(255)  # [n, h, w, 3] in 0..=1
    normalised = (scaled - np.float32(MEAN)) / np.float32(STD)  # [n, h, w, 3] about -2.2..=2.7
    return np.ascontiguousarray(normalised.transpose(0, 3, 1, 2))  # [n, 3, h, w]


def random_view(image: Image.Image, config: AugmentConfig, rng: np.random.Generator) -> Image.Image:
    """One altered copy of a training picture: mirrored, reframed, stretched, recoloured.

    The training photographs are cropped tightly to the part and users' photographs are not, so the
    frame is mostly made larger: the border takes the colour of the picture's own edge. Returns a
    picture of the same size.
    """
    if rng.random() < 0.5:
        image = ImageOps.mirror(image)
    zoom = rng.uniform(config.min_zoom, config.max_zoom)
    stretch = config.max_stretch ** rng.uniform(-0.5, 0.5)  # sqrt each way: w/h within max_stretch
    inner = (
        max(8, round(image.width * zoom * stretch)),
        max(8, round(image.height * zoom / stretch)),
    )
    shift = [
        round(rng.uniform(0, 1) * (side - part))
        for side, part in zip(image.size, inner, strict=True)
    ]
    canvas = Image.new("RGB", image.size, _edge_colour(image))
    canvas.paste(image.resize(inner, Image.Resampling.BILINEAR), tuple(shift))
    for enhancer in (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color):
        canvas = enhancer(canvas).enhance(1 + rng.uniform(-config.colour, config.colour))
    return canvas


def _edge_colour(image: Image.Image) -> tuple[int, int, int]:
    """Median colour of the outermost pixels, each channel in 0..=255."""
    pixels = np.asarray(image)
    edge = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])  # [2w + 2h, 3]
    red, green, blue = (int(value) for value in np.median(edge, axis=0))
    return red, green, blue
