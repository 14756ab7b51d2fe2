"""The photographs: which there are, what they hash to, and their cached embeddings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from partsight_training.config import AugmentConfig, ResizeConfig
from partsight_training.model import Backbone
from partsight_training.transforms import random_view, resize, to_tensor

BATCH = 32  # photographs embedded at once; larger batches gain nothing on two cores
EXTENSIONS = {".jpg", ".jpeg", ".png", ".webp"}


@dataclass(frozen=True)
class Split:
    """Photographs of one folder in a fixed order, with the name of the folder each lies in."""

    name: str
    paths: tuple[Path, ...]
    labels: tuple[str, ...]  # folder names, one per path

    def __len__(self) -> int:
        return len(self.paths)

    def sha256(self) -> str:
        """Hash of every label and file content, in order, so that a run can name its data."""
        digest = hashlib.sha256()
        for path, label in zip(self.paths, self.labels, strict=True):
            digest.update(label.encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()

    def classes(self, labels: list[str]) -> np.ndarray:
        """Index of each photograph's label in `labels`, i64 `[n]`."""
        return np.array([labels.index(label) for label in self.labels], dtype=np.int64)


def read_split(photos: Path, name: str) -> Split:
    """List `photos/name/<label>/<photograph>`, sorted by label and file name."""
    paths = sorted(
        path for path in (photos / name).glob("*/*") if path.suffix.lower() in EXTENSIONS
    )
    if not paths:
        raise FileNotFoundError(f"no photographs under `{photos / name}`")
    return Split(name, tuple(paths), tuple(path.parent.name for path in paths))


def read_picture(path: Path) -> Image.Image:
    """Decode a picture upright (EXIF orientation applied) as RGB."""
    with Image.open(path) as image:
        return ImageOps.exif_transpose(image).convert("RGB")


def embed_split(
    split: Split,
    backbone: Backbone,
    config: ResizeConfig,
    cache: Path,
    augment: AugmentConfig | None = None,
    view: int = 0,
    seed: int = 0,
) -> np.ndarray:
    """Raw backbone features of every photograph, f32 `[n, d]`, read from the cache where present.

    With `augment`, photograph `i` is altered by the generator seeded with (seed, view, i): a view
    is the same on every run, whatever else was embedded before it.
    """
    key = hashlib.sha256(
        f"{split.sha256()}{backbone.sha256}{config}{augment and _view_settings(augment)}"
        f"{(view, seed) if augment else ''}".encode()
    ).hexdigest()[:20]
    path = cache / f"{split.name}-{key}.npy"
    if path.exists():
        return np.load(path)

    def pixels() -> Iterator[np.ndarray]:
        for index, photo in enumerate(split.paths):
            picture = read_picture(photo)
            if augment is not None:
                picture = random_view(picture, augment, np.random.default_rng((seed, view, index)))
            yield resize(picture, config)

    features = embed_pixels(pixels(), backbone)
    cache.mkdir(parents=True, exist_ok=True)
    np.save(path, features)
    return features


def embed_pixels(pixels: Iterator[np.ndarray], backbone: Backbone) -> np.ndarray:
    """Features of u8 `[h, w, 3]` pictures, f32 `[n, d]`, a batch at a time."""
    batches: list[np.ndarray] = []
    waiting: list[np.ndarray] = []
    for picture in pixels:
        waiting.append(picture)
        if len(waiting) == BATCH:
            batches.append(backbone.features(to_tensor(np.stack(waiting))))
            waiting = []
    if waiting:
        batches.append(backbone.features(to_tensor(np.stack(waiting))))
    return np.concatenate(batches)


def _view_settings(augment: AugmentConfig) -> tuple[float, ...]:
    # The number of views is left out: asking for one more must not invalidate the earlier ones.
    return (augment.min_zoom, augment.max_zoom, augment.max_stretch, augment.colour)
