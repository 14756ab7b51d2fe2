"""Photographs of parts, cut out where their background is plain."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from scipy import ndimage

from partsight_training.cutout import cut_out

PART_SIDE = 320  # px of the longer side that a part is kept at: no composed part is much longer
SECOND_PIECE = 0.12  # of the largest piece's area: from there on a cut-out may be several parts
LIGHT = 215  # grey level from which on a background can be a white sheet


@dataclass(frozen=True)
class Part:
    """A photograph of one part."""

    pixels: np.ndarray  # u8 [h, w, 3]
    opacity: np.ndarray | None  # u8 [h, w], or None where it could not be cut out
    is_squashed: bool  # the width to height of the photograph is lost


def read_part(path: Path, is_squashed: bool) -> Part | None:
    """Read a photograph of one part, and cut it out if its background is plain.

    None where what is cut out has several large pieces: four spark plugs, or one whose white middle
    was lost in the background.
    """
    pixels = _read(path)
    opacity = cut_out(pixels)
    if opacity is not None and len(_pieces(opacity)) > 1:
        return None
    return Part(pixels, opacity, is_squashed)


def read_pieces(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read a photograph, u8 `[h, w, 3]`, and the boxes f32 `[n, 4]` of its cut-out pieces in px."""
    pixels = _read(path)
    opacity = cut_out(pixels)
    if opacity is None:
        raise ValueError(f"nothing can be cut out of `{path}`")
    return pixels, _pieces(opacity)


def _read(path: Path) -> np.ndarray:
    image = Image.open(path).convert("RGB")
    image.thumbnail((PART_SIDE, PART_SIDE), Image.Resampling.BILINEAR)
    return np.asarray(image)


def _pieces(opacity: np.ndarray) -> np.ndarray:
    """Boxes f32 `[n, 4]` of the large pieces of a cut-out, in px."""
    pieces, _ = ndimage.label(opacity > 127)
    areas = np.bincount(pieces.ravel())[1:]
    slices = ndimage.find_objects(pieces)
    return np.array(
        [
            [across.start, down.start, across.stop, down.stop]
            for area, (down, across) in zip(areas, slices, strict=True)
            if area > SECOND_PIECE * areas.max()
        ],
        np.float32,
    )


def tone_of(part: Part) -> np.ndarray | None:
    """The colour f32 `[3]` of a light background, or None where there is none."""
    if part.opacity is None or (part.opacity < 10).mean() < 0.02:
        return None
    tone = np.median(part.pixels[part.opacity < 10], axis=0).astype(np.float32)
    return tone if tone.min() >= LIGHT else None


def bounds_of(opacity: np.ndarray) -> np.ndarray:
    """Left, top, right and bottom of what is more than half opaque, in px."""
    shown = opacity > 127
    across, down = np.flatnonzero(shown.any(axis=0)), np.flatnonzero(shown.any(axis=1))
    if not len(across):
        return np.array([0, 0, opacity.shape[1], opacity.shape[0]])
    return np.array([across[0], down[0], across[-1] + 1, down[-1] + 1])
