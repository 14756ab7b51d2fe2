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

from partsight_training.grounds import Grounds
from partsight_training.parts import Part, bounds_of, read_pieces, tone_of

MOST_PARTS = 8
LEAST_SIDE = 28  # px of the shorter side of a pasted part
SHARE_WITHOUT_PART = 0.08  # of the scenes, to learn what is none
SHARE_OF_ONE = 0.2  # of the scenes: one photograph as it is
SHARE_OF_SEVERAL = 0.1  # of the scenes: one photograph of several parts as it is
SHARE_ON_WHITE = 0.3  # of the scenes: without a seam
SHARE_OF_SETS = 0.5  # of those on white: one part many times
SHARE_IN_A_FAN = 0.4  # of those: partly over each other
SHARE_IN_ROWS = 0.45  # of the scenes of several parts: laid out in rows, as on a shelf
SHARE_ALONE = 0.2  # of the scenes that parts are laid on: one part
SHARE_OF_ONE_KIND = 0.25  # of the scenes of several parts: one part many times, as in a crate
RECTANGLES = 0.2  # of the parts are photographs with their background


@dataclass(frozen=True)
class Scene:
    """A composed picture and what is on it."""

    pixels: np.ndarray  # u8 [h, w, 3]
    boxes: np.ndarray  # f32 [n, 4]: left, top, right, bottom in px
    is_exact: bool  # the boxes are the parts' own, not the frames of photographs


def read_several(path: Path) -> Scene:
    """Read a photograph whose cut-out pieces are one part each."""
    return Scene(*read_pieces(path), is_exact=True)


class Composer:
    """Random scenes, drawn from one generator so that a run can be repeated."""

    def __init__(
        self,
        parts: Sequence[Part],
        grounds: Sequence[np.ndarray],
        seed: int,
        several: Sequence[Scene] = (),
    ) -> None:
        """`grounds`: photographs u8 `[h, w, 3]` that show no part; `several`: of several parts."""
        self.several = several
        self.on_white = [part for part in parts if tone_of(part) is not None]
        self.free = [part for part in parts if part.opacity is not None]
        self.framed = [part for part in parts if part.opacity is None]
        self.grounds = Grounds(grounds, np.random.default_rng())
        self.seed(seed)

    def seed(self, seed: int | tuple[int, ...]) -> None:
        """Begin anew: the same seed gives the same scenes."""
        self.random = self.grounds.random = np.random.default_rng(seed)

    def scene(self, size: tuple[int, int]) -> Scene:
        """A scene of `size` (width, height) in px."""
        shares = [
            SHARE_OF_ONE,
            SHARE_OF_SEVERAL if self.several else 0.0,
            SHARE_ON_WHITE if self.on_white else 0.0,
            SHARE_WITHOUT_PART,
        ]
        kinds = (self._one, self._several, self._white, self._empty, self._laid_out)
        return kinds[self.random.choice(len(kinds), p=[*shares, 1 - sum(shares)])](size)

    def _empty(self, size: tuple[int, int]) -> Scene:
        """Nothing but ground."""
        return Scene(
            self._photographed(self.grounds.ground(size)), np.zeros((0, 4), np.float32), True
        )

    def _laid_out(self, size: tuple[int, int]) -> Scene:
        """Parts on any ground."""
        canvas = self.grounds.ground(size)
        may_touch = self.random.random() < 0.35
        places = self._places(size, may_touch)
        kind = self._part() if self.random.random() < SHARE_OF_ONE_KIND else None
        boxes: list[np.ndarray] = []
        for left, top, width, height in places:
            pixels, opacity = self._laid(kind or self._part(), width, height)
            box = self._paste(canvas, pixels, opacity, (left, top, width, height), boxes, may_touch)
            if box is not None:
                boxes.append(box)
        found = np.array(boxes, np.float32).reshape(-1, 4)
        return Scene(self._photographed(canvas), found, True)

    def _several(self, size: tuple[int, int]) -> Scene:
        """A photograph of several parts as it is."""
        found = self.several[self.random.integers(len(self.several))]
        scale = np.array([*size, *size]) / np.array([*found.pixels.shape[1::-1]] * 2)
        pixels = np.asarray(Image.fromarray(found.pixels).resize(size, Image.Resampling.BILINEAR))
        boxes = found.boxes * scale
        if self.random.random() < 0.5:
            pixels = pixels[:, ::-1]
            boxes = np.array([size[0], 0, size[0], 0]) + boxes[:, [2, 1, 0, 3]] * [-1, 1, -1, 1]
        return Scene(self._photographed(pixels.astype(np.float32)), boxes.astype(np.float32), True)

    def _white(self, size: tuple[int, int]) -> Scene:
        """Parts on white, without a seam: each darkens the sheet as it did its own background.

        On other grounds the seams of what is pasted tell where parts are; photographs have none.
        """
        sheet = np.float32(self.random.uniform(225, 255) - self.random.uniform(0, 12, 3))
        canvas = np.tile(sheet, (size[1], size[0], 1))
        kind = self._light() if self.random.random() < SHARE_OF_SETS else None
        in_a_fan = kind is not None and self.random.random() < SHARE_IN_A_FAN
        places = self._fan(size) if in_a_fan else self._places(size, may_touch=True)
        boxes: list[np.ndarray] = []
        for left, top, width, height in places:
            part = kind or self._light()
            image, mask = Image.fromarray(part.pixels), Image.fromarray(part.opacity)
            edges = bounds_of(part.opacity)
            # A little of the background around the part, with the shadow on it.
            edges = np.clip(edges + np.array([-4, -4, 4, 4]), 0, [*image.size, *image.size])
            image, mask = (one.crop(tuple(map(int, edges))) for one in (image, mask))
            aspect = math.exp(self.random.uniform(-0.4, 0.4)) if part.is_squashed else 1.0
            across, down = image.width * math.sqrt(aspect), image.height / math.sqrt(aspect)
            scale = min(width / across, height / down)
            to = (max(8, int(across * scale)), max(8, int(down * scale)))
            image, mask = (one.resize(to, Image.Resampling.BILINEAR) for one in (image, mask))
            if self.random.random() < 0.5:
                flip = Image.Transpose.FLIP_LEFT_RIGHT
                image, mask = image.transpose(flip), mask.transpose(flip)
            box = bounds_of(np.asarray(mask)) + np.array([left, top, left, top])
            most = 0.6 if in_a_fan else 0.3
            if min(to) < LEAST_SIDE * 0.6 or any(_covered(box, other) > most for other in boxes):
                continue
            under = canvas[top : top + to[1], left : left + to[0]]
            shade = np.clip(np.asarray(image) / tone_of(part), 0, 1)[
                : under.shape[0], : under.shape[1]
            ]
            share = np.asarray(mask)[: under.shape[0], : under.shape[1], None] / np.float32(255)
            under[:] = share * sheet * shade + (1 - share) * under * shade
            boxes.append(box)
        found = np.array(boxes, np.float32).reshape(-1, 4)
        return Scene(self._photographed(canvas), found, True)

    def _fan(self, size: tuple[int, int]) -> list[tuple[int, int, int, int]]:
        """Two to five places in a line, each partly over the one before."""
        n_parts = int(self.random.integers(2, 6))
        step = self.random.uniform(0.3, 0.9, 2) * self.random.choice([-1, 1], 2)
        if self.random.random() < 0.5:
            step[self.random.integers(2)] = 0.0
        fits = np.array(size) / (1 + (n_parts - 1) * np.abs(step))  # px of the largest sides
        sides = fits * self.random.uniform(0.5, 1.0)
        reach = sides * step * (n_parts - 1)
        room = np.array(size) - sides - np.abs(reach)
        first = self.random.uniform(0, 1, 2) * room + np.maximum(0, -reach)
        return [
            tuple(int(value) for value in (*(first + at * step * sides), *sides))
            for at in range(n_parts)
        ]

    def _light(self) -> Part:
        return self.on_white[self.random.integers(len(self.on_white))]

    def _places(self, size: tuple[int, int], may_touch: bool) -> list[tuple[int, int, int, int]]:
        is_alone = self.random.random() < SHARE_ALONE
        n_parts = 1 if is_alone else int(self.random.integers(2, MOST_PARTS + 1))
        if n_parts > 1 and self.random.random() < SHARE_IN_ROWS:
            return self._rows(size, n_parts, may_touch)
        return self._anywhere(size, n_parts)

    def _one(self, size: tuple[int, int]) -> Scene:
        """A photograph of one part; its box is the whole where the part can not be cut out."""
        width, height = size
        from_ = self.framed if self.random.random() < 0.75 and self.framed else self.free
        part = from_[self.random.integers(len(from_))]
        pixels = np.asarray(Image.fromarray(part.pixels).resize(size, Image.Resampling.BILINEAR))
        box = np.array([0, 0, width, height], np.float32)
        if part.opacity is not None:
            scale = np.array([width, height] * 2) / np.array(part.opacity.shape[::-1] * 2)
            box = (bounds_of(part.opacity) * scale).astype(np.float32)
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
            layers = layers.crop(tuple(int(edge) for edge in bounds_of(opacity)))
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
        box = bounds_of((opacity * 255).astype(np.uint8)) + np.array([left, top, left, top])
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


def _covered(one: np.ndarray, other: np.ndarray) -> float:
    """What two boxes share, as a share of the smaller one."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    if across <= 0 or down <= 0:
        return 0.0
    area = min((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return float(across * down / area)
