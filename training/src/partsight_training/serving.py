"""The whole of serving in Python: a picture in, the verdict's numbers out.

Reads only the model folder, as serving does, and is what the golden files are written from.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from partsight_training.calibrate import Calibration, Thresholds
from partsight_training.config import ResizeConfig
from partsight_training.model import open_session, probabilities
from partsight_training.transforms import resize, to_tensor


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
        labels = folder / manifest["classes"]["labels"]
        self.labels = labels.read_text(encoding="utf-8").splitlines()
        self.session = open_session(folder / manifest["file"]["path"], threads)

    def run(self, tensor: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Embeddings `[n, d]`, logits `[n, c]` and known `[n]` of f32 `[n, 3, h, w]`."""
        embedding, logits, known = self.session.run(
            ["embedding", "logits", "known"], {self.manifest["input"]["name"]: tensor}
        )
        return embedding, logits, known

    def recognise(self, picture: Image.Image) -> Recognition:
        """Everything about one RGB picture of any size."""
        pixels = resize(picture, self.resize)
        tensor = to_tensor(pixels[None])  # [1, 3, h, w]
        embedding, logits, known = self.run(tensor)
        confidence = probabilities(logits, self.calibration.temperature).max(axis=1)
        score = self.calibration.known_score(known.astype(np.float64))
        return Recognition(
            pixels=pixels,
            tensor=tensor[0],
            embedding=embedding[0],
            logits=logits[0],
            known=float(known[0]),
            label=self.labels[int(logits[0].argmax())],
            confidence=float(confidence[0]),
            known_score=float(score[0]),
            verdict=str(self.thresholds.verdicts(score, confidence)[0]),
        )
