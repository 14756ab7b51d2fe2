"""Pictures of car parts drawn from scratch, for golden files and tests.

    python -m partsight_training.drawings --out FOLDER [--name brake-rotor] [--seed 1]

Photographs of others can not be shipped; these can. They are plain renderings on a light
background, good enough for the model to tell what they show.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

SIZE = (640, 427)  # px; neither square nor the input size, so that resizing is exercised
SCALE = 3  # drawn this much larger and averaged down, which smooths the edges


def brake_rotor(rng: np.random.Generator) -> Image.Image:
    """A vented disc seen nearly from the front: friction ring with holes, hat, five bolt holes."""
    canvas = _Canvas(rng)
    centre, radius = canvas.centre, canvas.height * 0.44
    tilt = 0.93  # height to width of the ellipse
    thickness = radius * 0.10
    canvas.shadow(centre, radius * 1.02, tilt)
    for step in range(24):  # the cut side of the disc, from back to front
        offset = thickness * (1 - step / 24)
        shade = 70 if 7 < step < 17 and step % 2 else 120 + 2 * step
        canvas.ellipse((centre[0] + offset, centre[1] + offset * 0.15), radius, tilt, shade)
    canvas.brushed_disc(centre, radius, tilt, low=140, high=232)
    for ring, share in enumerate((0.66, 0.76, 0.86)):
        for hole in range(12):
            angle = 2 * math.pi * (hole + ring / 3) / 12
            canvas.hole(_on_ellipse(centre, radius * share, tilt, angle), radius * 0.030, tilt)
    canvas.ellipse(centre, radius * 0.545, tilt, 78)
    canvas.brushed_disc(centre, radius * 0.525, tilt, low=120, high=205)
    canvas.ellipse(centre, radius * 0.47, tilt, 105)
    canvas.brushed_disc(centre, radius * 0.455, tilt, low=150, high=225)
    for bolt in range(5):
        angle = 2 * math.pi * bolt / 5 - math.pi / 2
        canvas.hole(_on_ellipse(centre, radius * 0.32, tilt, angle), radius * 0.045, tilt)
    canvas.hole(centre, radius * 0.185, tilt)
    return canvas.finish()


def coil_spring(rng: np.random.Generator) -> Image.Image:
    """A dark suspension spring standing upright: one lit wire wound along an axis."""
    canvas = _Canvas(rng)
    turns, samples = 6.5, 6500
    along = np.linspace(0, 1, samples)
    angle = 2 * math.pi * turns * along
    length, radius, wire = canvas.height * 0.78, canvas.height * 0.25, canvas.height * 0.029
    depth = np.cos(angle)  # > 0 faces the viewer
    x = canvas.centre[0] + radius * np.sin(angle)
    y = canvas.centre[1] + length / 2 - length * along + radius * 0.2 * depth
    canvas.shadow((canvas.centre[0], canvas.centre[1] + length * 0.53), radius * 1.2, 0.22)
    halves = np.split(np.arange(samples), np.flatnonzero(np.diff(depth > 0)) + 1)
    # Whole half turns, back ones first, so that a highlight is not covered by its own wire.
    for part in sorted(halves, key=lambda part: depth[part].mean() > 0):
        gain = 0.35 + 0.65 * (depth[part].mean() > 0)
        for ring, light in ((1.0, 26), (0.86, 44), (0.66, 66), (0.4, 104), (0.2, 160)):
            for index in part:
                side = 0.75 + 0.25 * depth[index]  # the wire darkens where it turns away
                spot = (x[index], y[index] - wire * 0.5 * (1 - ring))
                canvas.ellipse(spot, wire * ring, 1.0, round(light * gain * side))
    return canvas.finish()


def rim(rng: np.random.Generator) -> Image.Image:
    """An alloy wheel without a tyre: lip, five pairs of spokes, dark barrel, hub, lug holes."""
    canvas = _Canvas(rng)
    centre, radius, tilt = canvas.centre, canvas.height * 0.455, 0.97
    canvas.shadow(centre, radius * 1.02, tilt)
    canvas.ellipse((centre[0] + radius * 0.05, centre[1]), radius, tilt, 92)
    canvas.brushed_disc(centre, radius, tilt, low=165, high=245)
    canvas.ellipse(centre, radius * 0.93, tilt, 110)
    canvas.ellipse(centre, radius * 0.90, tilt, 46)
    canvas.ellipse((centre[0] + radius * 0.03, centre[1] + radius * 0.02), radius * 0.74, tilt, 30)
    for spoke in range(10):
        middle = 2 * math.pi * (spoke // 2) / 5 - math.pi / 2 + (0.19 if spoke % 2 else -0.19)
        for inset, shade in ((1.0, 128), (0.8, 214), (0.35, 236)):
            inner, outer = 0.15 * inset, 0.068 * inset
            corners = [
                _on_ellipse(centre, radius * 0.16, tilt, middle - inner * 2.2),
                _on_ellipse(centre, radius * 0.915, tilt, middle - outer * 1.5),
                _on_ellipse(centre, radius * 0.915, tilt, middle + outer * 1.5),
                _on_ellipse(centre, radius * 0.16, tilt, middle + inner * 2.2),
            ]
            canvas.draw.polygon(corners, fill=(shade, shade, min(255, shade + 3)))
    canvas.brushed_disc(centre, radius * 0.30, tilt, low=175, high=238)
    for bolt in range(5):
        angle = 2 * math.pi * bolt / 5 - math.pi / 2 + math.pi / 5
        canvas.hole(_on_ellipse(centre, radius * 0.205, tilt, angle), radius * 0.036, tilt)
    canvas.ellipse(centre, radius * 0.115, tilt, 120)
    canvas.brushed_disc(centre, radius * 0.105, tilt, low=60, high=120)
    return canvas.finish()


def meadow(rng: np.random.Generator) -> Image.Image:
    """No part at all: a sky, a lawn and a few flowers, for tests of the other verdicts."""
    width, height = SIZE
    rows = np.linspace(0, 1, height)[:, None]  # [h, 1]
    sky = np.stack([120 + 90 * rows, 170 + 60 * rows, 235 + 0 * rows], axis=-1)  # [h, 1, 3]
    image = Image.fromarray(np.broadcast_to(sky, (height, width, 3)).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, height * 0.6, width, height), fill=(86, 142, 60))
    for _ in range(900):
        x, y = rng.uniform(0, width), rng.uniform(height * 0.6, height)
        green = int(rng.uniform(90, 190))
        draw.line((x, y, x + rng.uniform(-4, 4), y - rng.uniform(4, 16)), fill=(50, green, 40))
    for _ in range(24):
        x, y, size = rng.uniform(0, width), rng.uniform(height * 0.65, height), rng.uniform(5, 12)
        colour = ((230, 70, 80), (245, 205, 60), (240, 240, 250))[rng.integers(3)]
        for petal in range(6):
            angle = petal * math.pi / 3
            _dot(draw, (x + size * math.cos(angle), y + size * math.sin(angle)), size * 0.6, colour)
        _dot(draw, (x, y), size * 0.5, (200, 140, 30))
    return image.filter(ImageFilter.GaussianBlur(0.7))


def double_exposure(rng: np.random.Generator) -> Image.Image:
    """The brake rotor and the rim in one picture: a round part, but which one is open."""
    return Image.blend(brake_rotor(rng).convert("RGB"), rim(rng).convert("RGB"), 0.4)


DRAWINGS: dict[str, Callable[[np.random.Generator], Image.Image]] = {
    "brake-rotor": brake_rotor,
    "coil-spring": coil_spring,
    "rim": rim,
    "meadow": meadow,
    "double-exposure": double_exposure,
}


def draw(name: str, seed: int = 1) -> Image.Image:
    """One drawing as RGB of `SIZE`; the same name and seed give the same pixels."""
    return DRAWINGS[name](np.random.default_rng(seed)).convert("RGB")


class _Canvas:
    """A large grey-level picture with the few strokes that the drawings share."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.width, self.height = SIZE[0] * SCALE, SIZE[1] * SCALE
        self.centre = (self.width / 2, self.height / 2)
        rows = np.linspace(0, 1, self.height)[:, None, None]
        backdrop = np.broadcast_to(252 - 14 * rows, (self.height, self.width, 3))
        self.image = Image.fromarray(backdrop.astype(np.uint8))
        self.draw = ImageDraw.Draw(self.image)

    def ellipse(self, centre: tuple[float, float], radius: float, tilt: float, shade: int) -> None:
        """A flat ellipse of one grey level, `tilt` as high as wide."""
        self.draw.ellipse(_box(centre, radius, tilt), fill=(shade, shade, min(255, shade + 2)))

    def hole(self, centre: tuple[float, float], radius: float, tilt: float) -> None:
        """A drilled hole: dark, with a lit lower edge."""
        self.ellipse(
            (centre[0] + radius * 0.1, centre[1] + radius * 0.12), radius * 1.12, tilt, 235
        )
        self.ellipse(centre, radius * 1.05, tilt, 96)
        self.ellipse(centre, radius * 0.92, tilt, 40)

    def brushed_disc(
        self, centre: tuple[float, float], radius: float, tilt: float, low: int, high: int
    ) -> None:
        """Turned metal: opposite bright and dark sectors, and fine rings."""
        left, top, right, bottom = (round(side) for side in _box(centre, radius, tilt))
        y, x = np.mgrid[top:bottom, left:right]  # [h, w] each
        dx, dy = x - centre[0], (y - centre[1]) / tilt
        angle, distance = np.arctan2(dy, dx), np.hypot(dx, dy) / radius
        sectors = 0.5 + 0.5 * np.cos(2 * (angle + 0.9)) * (0.75 + 0.25 * np.cos(4 * angle))
        grooves = self.rng.normal(0, 5, 400)[np.clip((distance * 300).astype(int), 0, 399)]
        grey = np.clip(low + (high - low) * sectors + grooves, 0, 255).astype(np.uint8)
        mask = Image.fromarray(((distance <= 1) * 255).astype(np.uint8))
        self.image.paste(Image.fromarray(np.stack([grey] * 3, axis=-1)), (left, top), mask)

    def shadow(self, centre: tuple[float, float], radius: float, tilt: float) -> None:
        """A soft shadow, low and to the right."""
        soft = Image.new("L", (self.width // 8, self.height // 8), 255)
        at = (centre[0] / 8 + radius * 0.006, centre[1] / 8 + radius * 0.008)
        ImageDraw.Draw(soft).ellipse(_box(at, radius / 8, tilt), fill=188)
        soft = soft.filter(ImageFilter.GaussianBlur(radius * 0.006)).resize(self.image.size)
        self.image.paste(ImageChops.multiply(self.image, soft.convert("RGB")))

    def finish(self) -> Image.Image:
        """The picture at its final size, with a little sensor noise."""
        small = self.image.resize(SIZE, Image.Resampling.BOX)
        noise = self.rng.normal(0, 1.5, (SIZE[1], SIZE[0], 1))
        return Image.fromarray(np.clip(np.asarray(small) + noise, 0, 255).astype(np.uint8))


def _box(
    centre: tuple[float, float], radius: float, tilt: float
) -> tuple[float, float, float, float]:
    return (
        centre[0] - radius,
        centre[1] - radius * tilt,
        centre[0] + radius,
        centre[1] + radius * tilt,
    )


def _on_ellipse(
    centre: tuple[float, float], radius: float, tilt: float, angle: float
) -> tuple[float, float]:
    return centre[0] + radius * math.cos(angle), centre[1] + radius * tilt * math.sin(angle)


def _dot(
    draw: ImageDraw.ImageDraw,
    centre: tuple[float, float],
    radius: float,
    colour: tuple[int, int, int],
) -> None:
    draw.ellipse(_box(centre, radius, 1.0), fill=colour)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Draw pictures of car parts.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", choices=sorted(DRAWINGS), action="append")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.name or DRAWINGS:
        draw(name, arguments.seed).save(arguments.out / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
