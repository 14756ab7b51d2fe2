"""Pictures of several parts, composed of photographs of one: what the part detector learns from.

Nobody has drawn boxes on photographs of several parts. Here the boxes are known, because the parts
are put there: cut out where their background is plain, as rectangles where it is not.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from scipy import ndimage

from partsight_training.cutout import cut_out

PART_SIDE = 320  # px of the longer side that a part is kept at: no composed part is much longer
MOST_PARTS = 8
LEAST_SIDE = 28  # px of the shorter side of a pasted part
SHARE_WITHOUT_PART = 0.08  # of the scenes, to learn what is none
SHARE_OF_ONE = 0.2  # of the scenes: one photograph as it is
SHARE_IN_ROWS = 0.45  # of the scenes of several parts: laid out in rows, as on a shelf
SHARE_OF_ONE_KIND = 0.25  # of the scenes of several parts: one part many times, as in a crate
RECTANGLES = 0.2  # of the parts are photographs with their background


@dataclass(frozen=True)
class Part:
    """A photograph of one part."""

    pixels: np.ndarray  # u8 [h, w, 3]
    opacity: np.ndarray | None  # u8 [h, w], or None where it could not be cut out
    is_squashed: bool  # the width to height of the photograph is lost


@dataclass(frozen=True)
class Scene:
    """A composed picture and what is on it."""

    pixels: np.ndarray  # u8 [h, w, 3]
    boxes: np.ndarray  # f32 [n, 4]: left, top, right, bottom in px
    is_exact: bool  # the boxes are the parts' own, not the frames of photographs


def read_part(path: Path, is_squashed: bool) -> Part:
    """Read a photograph of one part, and cut it out if its background is plain."""
    image = Image.open(path).convert("RGB")
    image.thumbnail((PART_SIDE, PART_SIDE), Image.Resampling.BILINEAR)
    pixels = np.asarray(image)
    return Part(pixels, cut_out(pixels), is_squashed)


class Composer:
    """Random scenes, drawn from one generator so that a run can be repeated."""

    def __init__(self, parts: Sequence[Part], grounds: Sequence[np.ndarray], seed: int) -> None:
        """`grounds`: photographs u8 `[h, w, 3]` that show no part."""
        self.free = [part for part in parts if part.opacity is not None]
        self.framed = [part for part in parts if part.opacity is None]
        self.grounds = grounds
        self.random = np.random.default_rng(seed)

    def scene(self, size: tuple[int, int]) -> Scene:
        """A scene of `size` (width, height) in px."""
        what = self.random.random()
        if what < SHARE_OF_ONE:
            return self._one(size)
        canvas = self._ground(size).astype(np.float32)
        if what < SHARE_OF_ONE + SHARE_WITHOUT_PART:
            return Scene(self._photographed(canvas), np.zeros((0, 4), np.float32), True)
        n_parts = int(self.random.integers(1, MOST_PARTS + 1))
        in_rows = n_parts > 1 and self.random.random() < SHARE_IN_ROWS
        may_touch = self.random.random() < 0.35
        places = self._rows(size, n_parts, may_touch) if in_rows else self._anywhere(size, n_parts)
        kind = self._part() if self.random.random() < SHARE_OF_ONE_KIND else None
        boxes: list[np.ndarray] = []
        for left, top, width, height in places:
            pixels, opacity = self._laid(kind or self._part(), width, height)
            box = self._paste(canvas, pixels, opacity, (left, top, width, height), boxes, may_touch)
            if box is not None:
                boxes.append(box)
        found = np.array(boxes, np.float32).reshape(-1, 4)
        return Scene(self._photographed(canvas), found, True)

    def _one(self, size: tuple[int, int]) -> Scene:
        """A photograph of one part; its box is the whole where the part can not be cut out."""
        width, height = size
        from_ = self.framed if self.random.random() < 0.75 and self.framed else self.free
        part = from_[self.random.integers(len(from_))]
        pixels = np.asarray(Image.fromarray(part.pixels).resize(size, Image.Resampling.BILINEAR))
        box = np.array([0, 0, width, height], np.float32)
        if part.opacity is not None:
            scale = np.array([width, height] * 2) / np.array(part.opacity.shape[::-1] * 2)
            box = (_bounds(part.opacity) * scale).astype(np.float32)
        if self.random.random() < 0.5:
            pixels, box = (
                pixels[:, ::-1],
                np.array([width - box[2], box[1], width - box[0], box[3]]),
            )
        boxes = box[None].astype(np.float32)
        return Scene(self._photographed(pixels.astype(np.float32)), boxes, part.opacity is not None)

    def _rows(
        self, size: tuple[int, int], n_parts: int, may_touch: bool
    ) -> list[tuple[int, int, int, int]]:
        columns = int(
            self.random.integers(
                math.ceil(math.sqrt(n_parts) / 1.5), math.ceil(math.sqrt(n_parts)) + 2
            )
        )
        rows = math.ceil(n_parts / columns)
        width, height = size[0] // columns, size[1] // rows
        least = 0.9 if may_touch else 0.55
        places = []
        for index in range(n_parts):
            across, down = (int(side * self.random.uniform(least, 1.0)) for side in (width, height))
            left = index % columns * width + self.random.integers(width - across + 1)
            top = index // columns * height + self.random.integers(height - down + 1)
            places.append((int(left), int(top), across, down))
        return places

    def _anywhere(self, size: tuple[int, int], n_parts: int) -> list[tuple[int, int, int, int]]:
        usual = math.sqrt(size[0] * size[1] / n_parts) * self.random.uniform(0.5, 1.0)
        places = []
        for _ in range(n_parts):
            side = usual * math.exp(self.random.uniform(-0.5, 0.35))
            width, height = (int(np.clip(side, LEAST_SIDE, limit)) for limit in size)
            left = self.random.integers(size[0] - width + 1)
            top = self.random.integers(size[1] - height + 1)
            places.append((int(left), int(top), width, height))
        return places

    def _part(self) -> Part:
        from_ = self.framed if self.random.random() < RECTANGLES and self.framed else self.free
        return from_[self.random.integers(len(from_))]

    def _laid(self, part: Part, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
        """A part as it lies there, at most `width` x `height` px.

        Returns pixels f32 `[h, w, 3]` and opacity f32 `[h, w]` in 0..=1.
        """
        opacity = part.opacity
        if opacity is None:
            opacity = np.full(part.pixels.shape[:2], 255, np.uint8)
        layers = Image.fromarray(np.dstack([part.pixels, opacity]), "RGBA")
        if part.opacity is not None:
            layers = layers.crop(tuple(int(edge) for edge in _bounds(opacity)))
        aspect = math.exp(self.random.uniform(-0.5, 0.5)) if part.is_squashed else 1.0
        across, down = layers.width * math.sqrt(aspect), layers.height / math.sqrt(aspect)
        scale = min(width / across, height / down)
        layers = layers.resize(
            (max(8, int(across * scale)), max(8, int(down * scale))), Image.Resampling.BILINEAR
        )
        if self.random.random() < 0.5:
            layers = layers.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        if part.opacity is not None:
            kind = self.random.random()
            most = 180 if kind < 0.25 else 20 if kind < 0.7 else 0
            if most:
                layers = layers.rotate(
                    self.random.uniform(-most, most), Image.Resampling.BILINEAR, expand=True
                )
                layers.thumbnail((width, height), Image.Resampling.BILINEAR)
        array = np.asarray(layers).astype(np.float32)
        gain = math.exp(self.random.uniform(-0.35, 0.2))
        cast = np.exp(self.random.uniform(-0.08, 0.08, 3)).astype(np.float32)
        return array[..., :3] * gain * cast, array[..., 3] / 255

    def _paste(
        self,
        canvas: np.ndarray,
        pixels: np.ndarray,
        opacity: np.ndarray,
        place: tuple[int, int, int, int],
        boxes: list[np.ndarray],
        may_touch: bool,
    ) -> np.ndarray | None:
        """Lay a part on the canvas; None, and nothing is laid, where it would cover another."""
        height, width = opacity.shape
        if min(height, width) < LEAST_SIDE * 0.6:
            return None
        left = min(
            place[0] + int(self.random.integers(max(1, place[2] - width + 1))),
            canvas.shape[1] - width,
        )
        top = min(
            place[1] + int(self.random.integers(max(1, place[3] - height + 1))),
            canvas.shape[0] - height,
        )
        box = _bounds((opacity * 255).astype(np.uint8)) + np.array([left, top, left, top])
        if any(_covered(box, other) > (0.12 if may_touch else 0.0) for other in boxes):
            return None
        under = canvas[top : top + height, left : left + width]
        if opacity.min() < 0.5 and self.random.random() < 0.5:
            # The part's shadow on what it lies on.
            shift = self.random.integers(-8, 9, 2)
            shadow = ndimage.gaussian_filter(
                ndimage.shift(opacity, shift, order=0), self.random.uniform(2, 9)
            )
            under *= (1 - self.random.uniform(0.15, 0.6) * shadow)[..., None]
        under *= (1 - opacity)[..., None]
        under += pixels * opacity[..., None]
        return box

    def _ground(self, size: tuple[int, int]) -> np.ndarray:
        """What parts lie on: a photograph, a sheet, boards; or two of them with an edge between."""
        ground = self._one_ground(size)
        if self.random.random() < 0.25:
            other = self._one_ground(size)
            x, y = self.random.uniform(0.1, 0.9, 2) * size
            if self.random.random() < 0.5:
                ground[int(y) :] = other[int(y) :]
            else:
                across, down = self.random.uniform(0.2, 0.6, 2) * size
                area = (
                    slice(int(max(0, y - down)), int(y + down)),
                    slice(int(max(0, x - across)), int(x + across)),
                )
                ground[area] = other[area]
        return ground

    def _one_ground(self, size: tuple[int, int]) -> np.ndarray:
        width, height = size
        kind = self.random.random()
        if kind < 0.55:
            photo = self.grounds[self.random.integers(len(self.grounds))]
            share = math.sqrt(self.random.uniform(0.15, 1.0))
            down, across = (max(2, int(side * share)) for side in photo.shape[:2])
            top = self.random.integers(photo.shape[0] - down + 1)
            left = self.random.integers(photo.shape[1] - across + 1)
            crop = Image.fromarray(photo[top : top + down, left : left + across])
            pixels = np.asarray(crop.resize(size, Image.Resampling.BILINEAR)).astype(np.float32)
            return pixels[:, ::-1] if self.random.random() < 0.5 else pixels
        tone = self.random.uniform(25, 250)
        pixels = np.full((height, width, 3), tone, np.float32)
        pixels -= self.random.uniform(0, 45, 3) * self.random.random()
        slope = self.random.uniform(-40, 40, 2)
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        pixels += (slope[0] * x / width + slope[1] * y / height)[..., None]
        if kind > 0.75:
            # Boards or tiles: stripes of any width and direction, with a grain along them.
            angle = self.random.choice([0, math.pi / 2, self.random.uniform(0, math.pi)])
            along = x * math.cos(angle) + y * math.sin(angle)
            across = y * math.cos(angle) - x * math.sin(angle)
            wide = self.random.uniform(20, 160)
            tones = self.random.uniform(-22, 22, 512)
            pixels += tones[(along / wide).astype(int) % 512][..., None]
            pixels -= ((along % wide < 2) * self.random.uniform(0, 70))[..., None]
            grain = self.random.uniform(-12, 12, 4096)
            pixels += grain[(along * 1.3 + np.sin(across / 60) * 3).astype(int) % 4096][..., None]
        if self.random.random() < 0.5:
            # Stains and worn places.
            rough = self.random.normal(0, 1, (height // 16 + 2, width // 16 + 2))
            rough = ndimage.zoom(rough, 16, order=1)[:height, :width]
            pixels += (rough * self.random.uniform(2, 22))[..., None]
        return pixels

    def _photographed(self, pixels: np.ndarray) -> np.ndarray:
        """Light, blur, noise and compression."""
        pixels = pixels * math.exp(self.random.uniform(-0.25, 0.15))
        if self.random.random() < 0.2:
            sigma = self.random.uniform(0.4, 1.2)
            pixels = ndimage.gaussian_filter(pixels, (sigma, sigma, 0))
        if self.random.random() < 0.4:
            pixels = (
                pixels
                + self.random.normal(0, self.random.uniform(1, 8), pixels.shape[:2])[..., None]
            )
        image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
        file = io.BytesIO()
        image.save(file, "JPEG", quality=int(self.random.integers(50, 96)))
        return np.asarray(Image.open(file).convert("RGB"))


def _bounds(opacity: np.ndarray) -> np.ndarray:
    """Left, top, right and bottom of what is more than half opaque, in px."""
    shown = opacity > 127
    across, down = np.flatnonzero(shown.any(axis=0)), np.flatnonzero(shown.any(axis=1))
    if not len(across):
        return np.array([0, 0, opacity.shape[1], opacity.shape[0]])
    return np.array([across[0], down[0], across[-1] + 1, down[-1] + 1])


def _covered(one: np.ndarray, other: np.ndarray) -> float:
    """What two boxes share, as a share of the smaller one."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    if across <= 0 or down <= 0:
        return 0.0
    area = min((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return float(across * down / area)
