"""What parts lie on: photographs of other things, sheets, boards, and printed cartons on them."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy import ndimage

LETTERS = string.ascii_uppercase + string.digits + " -."
SHARE_WITH_CARTONS = 0.3  # of the grounds: printed cartons and signs, which are no parts


class Grounds:
    """Random grounds, drawn from one generator so that a run can be repeated."""

    def __init__(self, photographs: Sequence[np.ndarray], random: np.random.Generator) -> None:
        """`photographs` u8 `[h, w, 3]` show no part."""
        self.photographs, self.random = photographs, random

    def ground(self, size: tuple[int, int]) -> np.ndarray:
        """A ground of `size` (width, height), f32 `[h, w, 3]` in 0..=255 or somewhat beyond."""
        ground = self._ground(size).astype(np.float32)
        return self._cartons(ground) if self.random.random() < SHARE_WITH_CARTONS else ground

    def _ground(self, size: tuple[int, int]) -> np.ndarray:
        """A photograph, a sheet, boards; or two of them with an edge between."""
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
            photo = self.photographs[self.random.integers(len(self.photographs))]
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

    def _cartons(self, canvas: np.ndarray) -> np.ndarray:
        """Rectangles of one colour with a few words on them, as on cartons, labels and signs."""
        image = Image.fromarray(np.clip(canvas, 0, 255).astype(np.uint8))
        for _ in range(int(self.random.integers(1, 5))):
            width, height = (int(side * self.random.uniform(0.08, 0.45)) for side in image.size)
            carton = Image.new("RGB", (width, height), self._colour())
            draw = ImageDraw.Draw(carton)
            for _ in range(int(self.random.integers(1, 4))):
                letters = self.random.choice(list(LETTERS), int(self.random.integers(2, 12)))
                font = ImageFont.load_default(int(self.random.uniform(0.1, 0.6) * height) + 6)
                at = self.random.uniform(-0.1, 0.7, 2) * (width, height)
                draw.text(tuple(at), "".join(letters), fill=self._colour(), font=font)
            opaque = Image.new("L", carton.size, 255)
            turn = self.random.uniform(-20, 20) if self.random.random() < 0.5 else 0.0
            carton, opaque = (one.rotate(turn, expand=True) for one in (carton, opaque))
            left, top = (self.random.uniform(-0.1, 0.9, 2) * image.size).astype(int)
            image.paste(carton, (int(left), int(top)), opaque)
        return np.asarray(image).astype(np.float32)

    def _colour(self) -> tuple[int, ...]:
        return tuple(int(value) for value in self.random.integers(0, 256, 3))
