"""Which photograph serves what: learning, choosing, or showing what no type of the model is.

The folders `train`, `field-train` and `kinds` are learnt from. Of `kinds`, a type with enough
photographs becomes one of the model's, and a share of its photographs is kept back to choose and to
calibrate; where the manifest of the photographs names sources, whole sources are. All other folders
of `kinds`, and `other-parts`, are types that the model is not to know.
"""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from partsight_training.config import REPOSITORY, Config, MemberConfig
from partsight_training.data import Split, read_split

KNOWN_SPLITS = ("valid", "field-valid", "field-valid2", "kinds-valid")  # to choose and calibrate
UNKNOWN_SPLITS = ("negatives", "other-parts")
LABELS_OF_FOLDERS = REPOSITORY / "training" / "kinds.toml"


@dataclass(frozen=True)
class Collection:
    """The photographs of one run."""

    splits: dict[str, Split]  # `train`, those of `KNOWN_SPLITS` that are there, `UNKNOWN_SPLITS`
    labels: list[str]  # of the types that the model knows, sorted
    is_scarce: np.ndarray  # bool, one for each photograph of `train`: not from the folder `train`
    parts: dict[str, np.ndarray]  # of `UNKNOWN_SPLITS`: 0 shown to the network, 1 fits, 2 measures

    @property
    def known(self) -> tuple[str, ...]:
        """The splits of known types that no network learns from."""
        return tuple(name for name in KNOWN_SPLITS if name in self.splits)

    def narrowed(self, labels: list[str]) -> Collection:
        """The photographs of a model that knows `labels` alone, of those that its network learnt.

        Those of the other types that the network learnt are parts of other types, shown to it.
        """
        train = self.splits["train"]
        kept = np.isin(train.labels, labels)
        learnt = [train.rows(~kept)]
        splits = {"train": train.rows(kept)}
        for name in self.known:
            is_own = np.isin(self.splits[name].labels, labels)
            learnt.append(self.splits[name].rows(~is_own))
            if is_own.any():
                splits[name] = self.splits[name].rows(is_own)
        others = self.splits["other-parts"]
        shown = np.zeros(sum(len(split) for split in learnt), np.int64)
        splits |= {
            "negatives": self.splits["negatives"],
            "other-parts": _joined("other-parts", [others, *learnt]),
        }
        parts = {**self.parts, "other-parts": np.concatenate([self.parts["other-parts"], shown])}
        return Collection(splits, labels, self.is_scarce[kept], parts)

    def classes(self, name: str) -> np.ndarray:
        """Index of each photograph's label, i64 `[n]`."""
        return self.splits[name].classes(self.labels)

    def third(self, part: int) -> dict[str, np.ndarray]:
        """Masks of one third of the photographs of other things."""
        return {name: parts == part for name, parts in self.parts.items()}


def read_collection(photos: Path, config: Config) -> Collection:
    """The photographs of the model, the same for the same seed."""
    learnt = read_learnt(photos, config)
    if config.kinds.known:
        return learnt
    known = set(_with_labels(read_split(photos, "train")).labels)
    return learnt.narrowed([label for label in learnt.labels if label in known])


def read_learnt(photos: Path, config: Config) -> Collection:
    """The photographs of the network, which may learn more types than the model then knows."""
    folders = {path.name for path in photos.iterdir() if path.is_dir()}
    read = {
        name: _with_labels(read_split(photos, name))
        for name in ("train", "field-train", *KNOWN_SPLITS[:3], *UNKNOWN_SPLITS, "kinds")
        if name in folders
    }
    known = set(read["train"].labels)
    sources = _sources(photos)
    strange = [read["other-parts"]]
    splits = {name: read[name] for name in ("valid", "field-valid", "field-valid2") if name in read}
    learnt = [read["train"]] + [read[name] for name in ("field-train",) if name in read]
    if "kinds" in read:
        counts = Counter(read["kinds"].labels)
        most = {label for label, n in counts.items() if n >= config.kinds.least_photographs}
        known |= most - set(config.kinds.left_out)
        kinds = read["kinds"].only(known)
        kept_back = keep_back(kinds, sources, config.kinds.kept_back, config.seed)
        learnt.append(kinds.rows(~kept_back))
        splits["kinds-valid"] = Split("kinds-valid", *kinds.rows(kept_back).columns())
        strange.append(read["kinds"])
    labels = sorted(known)
    train = _joined("train", [split.only(labels) for split in learnt])
    splits = {name: split.only(labels) for name, split in splits.items()}
    splits = {name: split for name, split in splits.items() if len(split)}
    # What the model knows by now is none of the others any more.
    others = _joined("other-parts", [split.only(set(split.labels) - known) for split in strange])
    splits |= {"train": train, "negatives": read["negatives"], "other-parts": others}
    parts = {
        "negatives": thirds(len(splits["negatives"]), config.seed),
        "other-parts": thirds_of_types(others, config.seed, config.kinds.shown),
    }
    is_scarce = np.arange(len(train)) >= len(learnt[0].only(labels))
    return Collection(splits, labels, is_scarce, parts)


def draw_epoch(
    classes: np.ndarray, is_scarce: np.ndarray, config: MemberConfig, rng: np.random.Generator
) -> np.ndarray:
    """The photographs of one epoch in a random order, i64 `[m]`, indexes into `[n]`.

    Each type gets `config.per_type` views: first its scarce photographs, each up to
    `config.repeats` times, then others drawn at random; fewer where it has not as many.
    """
    if not config.per_type:
        return rng.permutation(len(classes))
    drawn = []
    for type_ in np.unique(classes):
        own = np.flatnonzero(classes == type_)
        scarce = np.concatenate(
            [rng.permutation(own[is_scarce[own]]) for _ in range(config.repeats)]
        )
        plenty = rng.permutation(own[~is_scarce[own]])
        drawn.append(np.concatenate([scarce, plenty])[: config.per_type])
    return rng.permutation(np.concatenate(drawn))


def keep_back(split: Split, sources: dict[str, str], share: float, seed: int) -> np.ndarray:
    """Masks about `share` of the photographs of each label, bool `[n]`, whole sources if possible.

    Of one source alone, single photographs are kept back, and at least one. A source that holds
    more than half of a label's photographs is learnt from.
    """
    rng = np.random.default_rng(seed)
    names = np.array([sources.get(_key(path), "") for path in split.paths])
    mask = np.zeros(len(split), bool)
    labels = np.array(split.labels)
    for label in sorted(set(split.labels)):
        rows = np.flatnonzero(labels == label)
        wanted = max(1, round(share * len(rows)))
        of_source = {name: rows[names[rows] == name] for name in sorted(set(names[rows]))}
        small = [name for name, own in of_source.items() if 2 * len(own) <= len(rows)]
        kept: list[int] = []
        for name in rng.permutation(small) if small else ():
            own = of_source[str(name)]
            if len(kept) < wanted and len(kept) + len(own) <= 2 * wanted:
                kept += own.tolist()
        mask[kept or rng.permutation(rows)[:wanted]] = True
    return mask


def thirds(count: int, seed: int) -> np.ndarray:
    """A random part 0, 1 or 2 for each photograph, i64 `[n]`, the same for the same seed."""
    parts = np.zeros(count, np.int64)
    for part, chosen in enumerate(
        np.array_split(np.random.default_rng(seed).permutation(count), 3)
    ):
        parts[chosen] = part
    return parts


def thirds_of_types(split: Split, seed: int, shown: Iterable[str] = ()) -> np.ndarray:
    """A part 0, 1 or 2 for each photograph, i64 `[n]`: whole types, so that what fits or measures
    is of types that the network has not seen; those `shown` to it are in part 0. Of fewer than
    three types, single photographs."""
    names = sorted(set(split.labels))
    if len(names) < 3:
        return thirds(len(split), seed)
    part = dict(zip(names, thirds(len(names), seed).tolist(), strict=True))
    part |= dict.fromkeys(set(shown) & set(names), 0)
    return np.array([part[label] for label in split.labels])


def _with_labels(split: Split) -> Split:
    folders = tomllib.loads(LABELS_OF_FOLDERS.read_text(encoding="utf-8"))
    return Split(split.name, split.paths, tuple(folders.get(name, name) for name in split.labels))


def _joined(name: str, splits: list[Split]) -> Split:
    columns = [split.columns() for split in splits]
    paths, labels = (
        tuple(value for part in column for value in part) for column in zip(*columns, strict=True)
    )
    return Split(name, paths, labels)


def _sources(photos: Path) -> dict[str, str]:
    """Source of each photograph by its path in `photos`; empty where no manifest is."""
    manifest = photos / "MANIFEST.csv"
    if not manifest.exists():
        return {}
    with manifest.open(encoding="utf-8", newline="") as file:
        return {row["path"]: row["source"] for row in csv.DictReader(file)}


def _key(path: Path) -> str:
    return "/".join(path.parts[-3:])
