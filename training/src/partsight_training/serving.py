"""The whole of serving in Python: a picture in, the verdict's numbers out.

Reads only the model folder, as serving does, and is what the golden files are written from.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from partsight_training.calibrate import Calibration, Thresholds
from partsight_training.config import ResizeConfig
from partsight_training.model import EPSILON, open_session, probabilities
from partsight_training.transforms import resize, to_tensor

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


@dataclass(frozen=True)
class Recognition:
    """What the model says about one picture."""

    pixels: np.ndarray  # u8 [h, w, 3], after resizing
    tensor: np.ndarray  # f32 [3, h, w]
    embedding: np.ndarray  # f32 [d], unit length
    logits: np.ndarray  # f32 [c]
    known: float  # raw logit
    label: str
    confidence: float  # 0..=1
    known_score: float  # 0..=1
    verdict: str
    looks: int = 1  # 2 where the embedding and the logits are those of all views


class ServedModel:
    """A model folder, opened."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        manifest = tomllib.loads((folder / "model.toml").read_text(encoding="utf-8"))
        inputs = {"width": manifest["input"]["width"], "height": manifest["input"]["height"]}
        self.manifest = manifest
        self.resize = ResizeConfig(**inputs, **manifest["resize"])
        self.calibration = Calibration(
            **{key: manifest["calibration"][key] for key in Calibration.__annotations__}
        )
        self.thresholds = Thresholds(
            **{key: manifest["thresholds"][key] for key in Thresholds.__annotations__}
        )
        self.second_look = SecondLook.of(manifest)
        labels = folder / manifest["classes"]["labels"]
        self.labels = labels.read_text(encoding="utf-8").splitlines()
        self.session = open_session(folder / manifest["file"]["path"], threads)

    def run(self, tensor: np.ndarray) -> Outputs:
        """Embeddings `[n, d]`, logits `[n, c]` and known `[n]` of f32 `[n, 3, h, w]`."""
        embedding, logits, known = self.session.run(
            ["embedding", "logits", "known"], {self.manifest["input"]["name"]: tensor}
        )
        return embedding, logits, known

    def recognise(self, picture: Image.Image) -> Recognition:
        """Everything about one RGB picture of any size, looked at again where it is unsure."""
        first = self.look_once(picture)
        if self.second_look is None or not self.second_look.is_needed(
            np.float64(first.confidence), np.float64(first.known_score)
        ):
            return first
        return self.look_again(picture, first, self.second_look)

    def look_once(self, picture: Image.Image) -> Recognition:
        """What the whole picture alone gives."""
        pixels = resize(picture, self.resize)
        tensor = to_tensor(pixels[None])  # [1, 3, h, w]
        embedding, logits, known = self.run(tensor)
        return self._recognition(pixels, tensor[0], (embedding[0], logits[0], known[0]))

    def look_again(
        self, picture: Image.Image, first: Recognition, second_look: SecondLook
    ) -> Recognition:
        """What the first look at a picture and all views give together, needed or not."""
        # One at a time, so that no output depends on what else is in its batch.
        tensors = to_tensor(views(picture, second_look, self.resize))  # [v, 3, h, w]
        outputs = [self.run(tensor[None]) for tensor in tensors]
        looks = (
            np.stack([first.embedding, *(embedding[0] for embedding, _, _ in outputs)]),  # [k, d]
            np.stack([first.logits, *(logits[0] for _, logits, _ in outputs)]),  # [k, c]
            np.array([first.known, *(known[0] for _, _, known in outputs)]),  # [k]
        )
        pooled = self._recognition(first.pixels, first.tensor, pool(looks, second_look))
        return replace(pooled, looks=2)

    def _recognition(self, pixels: np.ndarray, tensor: np.ndarray, outputs: Outputs) -> Recognition:
        embedding, logits, known = outputs  # [d], [c], []
        confidence = probabilities(logits[None], self.calibration.temperature).max(axis=1)
        score = self.calibration.known_score(np.asarray([known], np.float64))
        return Recognition(
            pixels=pixels,
            tensor=tensor,
            embedding=embedding,
            logits=logits,
            known=float(known),
            label=self.labels[int(logits.argmax())],
            confidence=float(confidence[0]),
            known_score=float(score[0]),
            verdict=str(self.thresholds.verdicts(score, confidence)[0]),
        )
