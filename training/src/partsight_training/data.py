"""The photographs: which there are, what they hash to, and their cached embeddings."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from partsight_training.config import ResizeConfig
from partsight_training.model import Backbone
from partsight_training.second_look import SecondLook, views
from partsight_training.transforms import resize, to_tensor

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

    def only(self, labels: Collection[str]) -> Split:
        """The photographs of these labels."""
        pairs = zip(self.paths, self.labels, strict=True)
        kept = [(path, label) for path, label in pairs if label in labels]
        return Split(self.name, tuple(path for path, _ in kept), tuple(label for _, label in kept))

    def rows(self, mask: np.ndarray) -> Split:
        """The photographs under a mask, bool `[n]`."""
        chosen = np.flatnonzero(mask)
        return Split(
            self.name, tuple(self.paths[i] for i in chosen), tuple(self.labels[i] for i in chosen)
        )

    def columns(self) -> tuple[tuple[Path, ...], tuple[str, ...]]:
        """Paths and labels."""
        return self.paths, self.labels

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


def load_pixels(split: Split, config: ResizeConfig, cache: Path) -> np.ndarray:
    """Every photograph as serving resizes it, u8 `[n, height, width, 3]`; cached on disk."""
    key = hashlib.sha256(f"{split.sha256()}{config}".encode()).hexdigest()[:20]
    path = cache / f"{split.name}-pixels-{key}.npy"
    if not path.exists():
        with ThreadPoolExecutor() as pool:  # Pillow decodes and resizes without Python's lock
            _save(np.stack(list(pool.map(partial(_resized, config=config), split.paths))), path)
    return np.load(path, mmap_mode="r")


def _resized(photo: Path, config: ResizeConfig) -> np.ndarray:
    return resize(read_picture(photo), config)


def embed_split(split: Split, backbone: Backbone, config: ResizeConfig, cache: Path) -> np.ndarray:
    """Raw backbone features of every photograph, f32 `[n, d]`; cached on disk."""
    key = hashlib.sha256(f"{split.sha256()}{backbone.sha256}{config}".encode()).hexdigest()[:20]
    path = cache / f"{split.name}-{key}.npy"
    if not path.exists():
        _save(embed_pixels(load_pixels(split, config, cache), backbone), path)
    return np.load(path)


def embed_views(
    split: Split, backbone: Backbone, config: ResizeConfig, look: SecondLook | None, cache: Path
) -> np.ndarray:
    """Raw features f32 `[n, 1 + v, d]` of every photograph and its views; cached on disk."""
    whole = embed_split(split, backbone, config, cache)[:, None]
    if look is None:
        return whole
    named = f"{split.sha256()}{backbone.sha256}{config}{look.views}"
    path = cache / f"{split.name}-views-{hashlib.sha256(named.encode()).hexdigest()[:20]}.npy"
    if not path.exists():
        seen = [
            backbone.features(to_tensor(views(read_picture(photo), look, config)))
            for photo in split.paths
        ]
        _save(np.stack(seen), path)
    return np.concatenate([whole, np.load(path)], axis=1)


def embed_pixels(pixels: np.ndarray, backbone: Backbone) -> np.ndarray:
    """Features f32 `[n, d]` of u8 `[n, h, w, 3]` pictures, a batch at a time."""
    return np.concatenate(
        [
            backbone.features(to_tensor(pixels[first : first + BATCH]))
            for first in range(0, len(pixels), BATCH)
        ]
    )


def _save(values: np.ndarray, path: Path) -> None:
    # Renamed when whole, so that an interrupted run leaves no half file behind.
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.stem}.part.npy")
    np.save(part, values)
    part.replace(path)
