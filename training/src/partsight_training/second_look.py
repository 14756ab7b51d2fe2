"""The views of a second look, and what is made of their outputs, as in serving.

A view is a part of the upright photograph around its middle, as it is or mirrored. The program and
the browser repeat these functions and are tied to them by the golden files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from partsight_training.config import ResizeConfig
from partsight_training.transforms import resize


@dataclass(frozen=True)
class View:
    """One further view of a photograph."""

    centre: float  # share of width and of height that is kept, 0 < centre <= 1
    mirrored: bool


@dataclass(frozen=True)
class SecondLook:
    """`[second_look]` of a model's manifest: when a photograph is looked at again, and how."""

    confidence_below: float  # of the best type, calibrated, 0..=1
    known_score_below: float  # calibrated, 0..=1
    logit_scale: float
    known_scale: float
    known_bias: float
    views: tuple[View, ...]

    @staticmethod
    def of(manifest: dict[str, Any]) -> SecondLook | None:
        """The section of a parsed manifest, if it has one."""
        section = manifest.get("second_look")
        if section is None:
            return None
        views = tuple(View(**view) for view in section["views"])
        return SecondLook(**{**section, "views": views})

    def is_needed(self, confidence: float, known_score: float) -> bool:
        """Whether a first look with these calibrated numbers leaves the photograph unsure."""
        return confidence < self.confidence_below or known_score < self.known_score_below


def view_pixels(image: Image.Image, views: tuple[View, ...], config: ResizeConfig) -> np.ndarray:
    """The views of an RGB picture at the input size, u8 `[v, height, width, 3]`."""
    seen = []
    for view in views:
        width = max(1, int(image.width * view.centre + 0.5))
        height = max(1, int(image.height * view.centre + 0.5))
        left, top = (image.width - width) // 2, (image.height - height) // 2
        pixels = resize(image.crop((left, top, left + width, top + height)), config)
        seen.append(pixels[:, ::-1] if view.mirrored else pixels)
    return np.stack(seen)


def pool(
    embedding: np.ndarray, logits: np.ndarray, known: np.ndarray, look: SecondLook
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One embedding `[.., d]`, logits `[.., c]` and raw known logit `[..]` from those of all looks,
    the first included: `[.., v, d]`, `[.., v, c]` and `[.., v]`. Each look weighs the same."""
    mean = embedding.mean(axis=-2)
    return (
        mean / np.linalg.norm(mean, axis=-1, keepdims=True),
        look.logit_scale * logits.mean(axis=-2),
        look.known_scale * known.mean(axis=-1) + look.known_bias,
    )
