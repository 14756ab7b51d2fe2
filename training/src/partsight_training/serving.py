"""The whole of serving in Python: a picture in, the verdict's numbers out.

Reads only the model folder, as serving does, and is what the golden files are written from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

from partsight_training.calibrate import Calibration, Thresholds
from partsight_training.config import ResizeConfig
from partsight_training.manifest import read_manifest
from partsight_training.model import open_session, probabilities
from partsight_training.second_look import Outputs, SecondLook, pool, views
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
    looks: int = 1  # 2 where the embedding and the logits are those of all views


class ServedModel:
    """A model folder, opened."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        manifest = read_manifest(folder)
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
