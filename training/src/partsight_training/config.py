"""Every setting of a run, read from one committed TOML file.

Nothing else decides how a run behaves, except the three folders below, which differ by machine
and are therefore read from the environment.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class ResizeConfig:
    """How a photograph of any size becomes the network's input; serving repeats exactly this."""

    mode: str  # squash | center-crop | letterbox
    filter: str  # bilinear | bicubic | lanczos3
    width: int = 224  # px
    height: int = 224  # px
    shortest_side: int = 256  # px, only used by center-crop
    pad: int = 124  # grey level 0..=255, only used by letterbox


@dataclass(frozen=True)
class AugmentConfig:
    """How many altered copies of each training photograph are embedded, and how far they stray."""

    views: int  # random views per photograph beside the plain one
    min_zoom: float = 0.6  # size of the object's frame against the input, < 1 leaves a border
    max_zoom: float = 1.25  # > 1 cuts the edges off
    max_stretch: float = 1.4  # largest width to height distortion, either way
    colour: float = 0.25  # brightness, contrast and saturation change by up to this fraction


@dataclass(frozen=True)
class HeadConfig:
    """The multinomial logistic head over unit-length embeddings."""

    feature_power: float  # embeddings are raised to this power before they get unit length
    inverse_regularisation: float  # scikit-learn's C
    max_iterations: int = 400


@dataclass(frozen=True)
class KnownConfig:
    """The yes/no head that says whether a photograph shows one of the known types."""

    features: tuple[str, ...]  # any of: embedding, logsumexp, max-logit, prototype
    inverse_regularisation: float
    other_parts_weight: float  # weight of one photograph of another part against an everyday one
    field_share: float  # share of the known parts' weight that `field-valid` takes, 0..1


@dataclass(frozen=True)
class ThresholdConfig:
    """Wanted error rates; the thresholds follow from them and are never written by hand."""

    known_called_not_a_part: float  # largest share of known parts below not_a_part_below
    unknown_called_identified: float  # largest share of the fitting negatives called identified
    identified_precision: float  # smallest share of right answers among identified photographs


@dataclass(frozen=True)
class Config:
    """One run: the model's name, its seed and the settings of each stage."""

    name: str
    version: str
    created_on: str  # ISO date, written into the manifest
    seed: int
    folds: int  # cross-validation folds for every figure that needs unseen photographs
    starting_weights: str  # file name inside the weights folder
    starting_weights_sha256: str
    resize: ResizeConfig
    augment: AugmentConfig
    head: HeadConfig
    known: KnownConfig
    thresholds: ThresholdConfig


_SECTIONS: dict[str, type] = {
    "resize": ResizeConfig,
    "augment": AugmentConfig,
    "head": HeadConfig,
    "known": KnownConfig,
    "thresholds": ThresholdConfig,
}


def parse_config(document: dict[str, Any]) -> Config:
    """Build a `Config` from a parsed TOML document; an unknown key is an error, not ignored."""
    values: dict[str, Any] = {}
    for key, value in document.items():
        section = _SECTIONS.get(key)
        if section is None:
            values[key] = value
            continue
        unknown = set(value) - {field.name for field in fields(section)}
        if unknown:
            raise ValueError(f"unknown settings in [{key}]: {sorted(unknown)}")
        values[key] = section(
            **{k: tuple(v) if isinstance(v, list) else v for k, v in value.items()}
        )
    values["created_on"] = str(values["created_on"])
    return Config(**values)


def load_config(path: Path) -> Config:
    """Read a run's settings from a TOML file."""
    return parse_config(tomllib.loads(path.read_text(encoding="utf-8")))


def photos_dir() -> Path:
    """Folder of the photographs: `PARTSIGHT_PHOTOS`, else `shared/photos` beside the repository."""
    return Path(os.environ.get("PARTSIGHT_PHOTOS", REPOSITORY.parent / "shared" / "photos"))


def weights_dir() -> Path:
    """Folder of the weights to start from: `PARTSIGHT_WEIGHTS`, else `shared/weights`."""
    return Path(os.environ.get("PARTSIGHT_WEIGHTS", REPOSITORY.parent / "shared" / "weights"))


def cache_dir() -> Path:
    """Folder of embeddings kept between runs: `PARTSIGHT_TRAINING_CACHE`, else the user's cache."""
    default = Path.home() / ".cache" / "partsight" / "features"
    return Path(os.environ.get("PARTSIGHT_TRAINING_CACHE", default))
