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
from partsight_training.model import EPSILON
from partsight_training.transforms import resize

# Embeddings f32 `[..., d]`, raw class logits f32 `[..., c]`, raw known logits f32 `[...]`.
Outputs = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class View:
    """A part of a photograph that is run as if it were the whole."""

    centre: float  # share of the width and of the height that is kept, 0 < centre <= 1
    mirrored: bool  # left to right, after the resize


@dataclass(frozen=True)
class SecondLook:
    """`[second_look]` of a manifest: when a photograph is looked at again, and how."""

    confidence_below: float  # of the best class, calibrated, 0..=1
    known_score_below: float  # calibrated, 0..=1
    logit_scale: float  # greater than 0
    known_scale: float  # greater than 0
    known_bias: float
    views: tuple[View, ...]  # 1 to 4

    @staticmethod
    def of(manifest: dict[str, Any]) -> SecondLook | None:
        """That of a parsed manifest; `None` for a model that looks once."""
        section = manifest.get("second_look")
        if section is None:
            return None
        return SecondLook(**{**section, "views": tuple(View(**view) for view in section["views"])})

    def is_needed(self, confidence: np.ndarray, known_score: np.ndarray) -> np.ndarray:
        """Whether photographs with these calibrated numbers are looked at again, bool `[...]`."""
        return (confidence < self.confidence_below) | (known_score < self.known_score_below)


def views(picture: Image.Image, second_look: SecondLook, config: ResizeConfig) -> np.ndarray:
    """The views of an upright RGB picture at the input size, u8 `[v, h, w, 3]`."""
    seen = []
    for view in second_look.views:
        width, height = (max(1, int(side * view.centre + 0.5)) for side in picture.size)
        left, top = (picture.width - width) // 2, (picture.height - height) // 2
        pixels = resize(picture.crop((left, top, left + width, top + height)), config)
        seen.append(pixels[:, ::-1] if view.mirrored else pixels)
    return np.stack(seen)


def pool(outputs: Outputs, second_look: SecondLook) -> Outputs:
    """One output a photograph from those of all looks at it, the first among them.

    Takes embeddings `[..., k, d]`, logits `[..., k, c]` and known `[..., k]` of `k` looks, which
    weigh the same, and gives `[..., d]`, `[..., c]` and `[...]`, computed in f64, as f32.
    """
    embedding, logits, known = (np.asarray(values, np.float64) for values in outputs)
    direction = _unit(_unit(embedding).mean(axis=-2))
    pooled = (
        direction,
        second_look.logit_scale * logits.mean(axis=-2),
        second_look.known_scale * known.mean(axis=-1) + second_look.known_bias,
    )
    embedding, logits, known = (np.asarray(values, np.float32) for values in pooled)
    return embedding, logits, known


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), EPSILON)
