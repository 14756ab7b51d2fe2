"""Measures teaching: parts that are shown to the model by references instead of learnt.

usage: python -m partsight_training.references [--model DIR]

Ten of the model's types at a time are left out of its answers and taught by training photographs
instead, and the types of `other-parts`, which it never saw, are taught by some of their own. The
factors that fit best are written into `[references]` of `model.toml`, with the file that they
belong to and the figures of `figures.py`; what is right with them is printed.

The model was trained on the photographs of the ten types as well, so its embedding tells them apart
better than it would types that are new to it; `other-parts` shows how it does with those, and
`unseen.py` how a model does that was trained without ten of the types.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from partsight_training.config import REPOSITORY, photos_dir
from partsight_training.data import read_picture, read_split
from partsight_training.figures import (
    LEARNT_OFFSET,
    NEAREST,
    OWN_SIMILARITY,
    similarities_section,
)
from partsight_training.serving import ServedModel
from partsight_training.transforms import resize, to_tensor

HELD_OUT, SEEDS, SHOTS = 10, 3, (1, 3, 5)
TRAIN_OF_TYPE, NEGATIVES = 12, 150  # photographs that are embedded
ASKED = ("valid", "field-valid")  # photographs to answer while types are taught
CENTRE = "reference-centre.bin"  # file of the embedding that is taken off all others


@dataclass(frozen=True)
class Photos:
    """What the model says of the photographs of one split."""

    embedding: np.ndarray  # f32 [n, d], centred, of length 1
    logits: np.ndarray  # f64 [n, c], divided by the temperature
    known: np.ndarray  # f64 [n], calibrated
    labels: np.ndarray  # str [n]


@dataclass(frozen=True)
class Episode:
    """Photographs to answer, when some labels are taught."""

    logits: np.ndarray  # [n, c] of the classes that the model may answer
    similarity: np.ndarray  # [n, t] to each taught label
    truth: np.ndarray  # [n]: 0..c a class, c..c+t a taught label


def embed(
    model: ServedModel,
    centre: np.ndarray,
    photos: Path,
    split: str,
    most: int,
    labels: Collection[str] | None = None,
) -> Photos:
    """Runs at most `most` photographs of each label, or of each of `labels`."""
    read = read_split(photos, split)
    rng = np.random.default_rng(0)
    rows = []
    for label in sorted(set(read.labels) if labels is None else set(read.labels) & set(labels)):
        paths = [path for path, of in zip(read.paths, read.labels, strict=True) if of == label]
        for path in [paths[i] for i in rng.permutation(len(paths))[:most]]:
            tensor = to_tensor(resize(read_picture(path), model.resize)[None])
            embedding, logits, known = model.run(tensor)
            rows.append((embedding[0], logits[0], np.ravel(known)[0], label))
    embedding, logits, known, labels = (np.array(column) for column in zip(*rows, strict=True))
    calibration = model.calibration
    known = 1 / (1 + np.exp(-(calibration.known_scale * known + calibration.known_bias)))
    centred = embedding - centre
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    return Photos(centred, logits / calibration.temperature, known, labels)


def centre_of(folder: Path) -> np.ndarray:
    """What all embeddings of a model have in common, f32 `[d]`: the mean of its prototypes."""
    prototypes = load_file(folder / "prototypes.safetensors")["prototypes"]  # f32 [c, d]
    return prototypes.mean(axis=0)


def similarity(embedding: np.ndarray, references: list[np.ndarray]) -> np.ndarray:
    """Mean cosine `[n, t]` to the nearest references `[m, d]` of each label."""
    nearest = [np.sort(embedding @ own.T, axis=1)[:, -NEAREST:].mean(axis=1) for own in references]
    return np.stack(nearest, axis=1)


def held_out(labels: list[str], seed: int) -> Iterator[list[str]]:
    """Ten labels at a time, each label once."""
    order = np.random.default_rng(seed).permutation(len(labels))
    for first in range(0, len(labels), HELD_OUT):
        yield [labels[i] for i in order[first : first + HELD_OUT]]


def is_refused(
    own: np.ndarray,
    others: list[np.ndarray],
    photo: int,
    train: Photos,
    row: int,
    kept: list[int],
    model: ServedModel,
) -> bool:
    """The poison check on `own[photo]`, which is `train` row `row`."""
    centre = lambda rows: rows.mean(axis=0) / np.linalg.norm(rows.mean(axis=0))  # noqa: E731
    to_own = own[photo] @ centre(np.delete(own, photo, axis=0)) if len(own) > 1 else -1.0
    nearest_other = max((own[photo] @ centre(other) for other in others), default=-1.0)
    if len(own) > 1 and nearest_other > to_own:
        return True
    probability = np.exp(train.logits[row, kept] - train.logits[row, kept].max())
    return bool(
        to_own < OWN_SIMILARITY
        and train.known[row] >= model.thresholds.identified_known_score
        and probability.max() / probability.sum() >= model.thresholds.identified_confidence
    )


def taught_types(
    model: ServedModel,
    train: Photos,
    asked: Photos,
    shots: int,
    seed: int,
    n_poisoned: int = 0,
    check: bool = False,
    groups: list[list[str]] | None = None,
) -> Iterator[tuple[Episode, list[bool]]]:
    """Episodes with some types taught, ten at a time or as `groups` has them, and which of the
    poisoned references were refused."""
    place = {label: index for index, label in enumerate(model.labels)}
    rng = np.random.default_rng(seed)
    for taught in held_out(model.labels, seed) if groups is None else groups:
        kept = [place[label] for label in model.labels if label not in taught]
        chosen = []
        for label in taught:
            rows = rng.permutation(np.flatnonzero(train.labels == label))[:shots]
            strangers = rng.permutation(np.flatnonzero(train.labels != label))[:n_poisoned]
            chosen.append(np.concatenate([rows[: shots - n_poisoned], strangers]))
        sets = [train.embedding[rows] for rows in chosen]
        refused, references = [], []
        for at, rows in enumerate(chosen):
            others = [other for index, other in enumerate(sets) if index != at]
            flags = [
                check and is_refused(sets[at], others, photo, train, row, kept, model)
                for photo, row in enumerate(rows)
            ]
            refused += flags[shots - n_poisoned :]
            good = np.flatnonzero(~np.array(flags))
            references.append(sets[at][good if len(good) else slice(1)])
        truth = np.array(
            [
                len(kept) + taught.index(label) if label in taught else kept.index(place[label])
                for label in asked.labels
            ]
        )
        yield (
            Episode(asked.logits[:, kept], similarity(asked.embedding, references), truth),
            refused,
        )


def strange_types(
    model: ServedModel, other: Photos, shots: int, seed: int
) -> tuple[Episode, list[np.ndarray]]:
    """The types that the model never saw, taught by some photographs and asked for the rest."""
    names, references, asked = sorted(set(other.labels)), [], []
    for index, name in enumerate(names):
        rows = np.random.default_rng(seed + index).permutation(np.flatnonzero(other.labels == name))
        references.append(other.embedding[rows[:shots]])
        asked.append(rows[shots:])
    truth = np.repeat(np.arange(len(names)), [len(rows) for rows in asked]) + len(model.labels)
    rows = np.concatenate(asked)
    return Episode(
        other.logits[rows], similarity(other.embedding[rows], references), truth
    ), references


def answers(episode: Episode, scale: float, bias: float) -> np.ndarray:
    """Logits `[n, c + t]` of the fused answer."""
    return np.concatenate([episode.logits, scale * episode.similarity + bias], axis=1)


def log_loss(episodes: list[Episode], scale: float, bias: float) -> float:
    """Mean negative log likelihood of the truth."""
    losses = []
    for episode in episodes:
        logits = answers(episode, scale, bias)
        largest = logits.max(axis=1)
        total = largest + np.log(np.exp(logits - largest[:, None]).sum(axis=1))
        losses.append(total - logits[np.arange(len(logits)), episode.truth])
    return float(np.concatenate(losses).mean())


def right(episodes: list[Episode], scale: float, bias: float) -> tuple[float, float]:
    """Share right of all photographs, and of those of taught labels."""
    hits = [answers(e, scale, bias).argmax(axis=1) == e.truth for e in episodes]
    taught = [hit[e.truth >= e.logits.shape[1]] for hit, e in zip(hits, episodes, strict=True)]
    return float(np.concatenate(hits).mean()), float(np.concatenate(taught).mean())


def fit_platt(positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """Scale and bias of the known score, by Newton's method; both sides weigh the same."""
    x = np.concatenate([positive, negative])
    y = np.concatenate([np.ones(len(positive)), np.zeros(len(negative))])
    weight = np.where(y == 1, 0.5 / len(positive), 0.5 / len(negative))
    inputs, fitted = np.stack([x, np.ones_like(x)], axis=1), np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-inputs @ fitted))
        gradient = inputs.T @ ((p - y) * weight)
        hessian = (inputs * (weight * p * (1 - p))[:, None]).T @ inputs
        fitted -= np.linalg.solve(hessian, gradient)
    return fitted


class Teaching:
    """What teaching is worth with one model, and the factors that fit it best."""

    def __init__(self, model: ServedModel, centre: np.ndarray, photos: Path) -> None:
        """`centre` f32 `[d]` is taken off every embedding; `photos` holds the splits."""
        self.model = model
        known = {"train": TRAIN_OF_TYPE, **dict.fromkeys(ASKED, 10**6)}
        strange = {"other-parts": 10**6, "negatives": NEGATIVES}
        self.splits = {
            name: embed(model, centre, photos, name, most, model.labels if name in known else None)
            for name, most in (known | strange).items()
        }
        self.episodes: dict[str, list[Episode]] = {}
        own, others = [], []
        for shots, seed in product(SHOTS, range(SEEDS)):
            for name in ASKED:
                runs = taught_types(model, self.splits["train"], self.splits[name], shots, seed)
                self.episodes.setdefault(f"{name}, {shots} photos", []).extend(e for e, _ in runs)
            episode, references = strange_types(model, self.splits["other-parts"], shots, seed)
            self.episodes.setdefault(f"other-parts, {shots} photos", []).append(episode)
            own.append(episode.similarity.max(axis=1))
            others.append(similarity(self.splits["negatives"].embedding, references).max(axis=1))
        self.score_scale, self.score_bias = min(
            product(range(4, 41, 2), range(-12, 14)), key=self._mean_loss
        )
        self.known_scale, self.known_bias = fit_platt(np.concatenate(own), np.concatenate(others))

    def _mean_loss(self, factors: tuple[float, float]) -> float:
        return float(np.mean([log_loss(group, *factors) for group in self.episodes.values()]))

    def fitted_on(self) -> str:
        """The photographs behind the factors, in words."""
        count = {name: len(split.labels) for name, split in self.splits.items()}
        shots = f"{', '.join(map(str, SHOTS[:-1]))} or {SHOTS[-1]}"
        strange = len(set(self.splits["other-parts"].labels))
        return (
            f"{count['valid']} catalogue and {count['field-valid']} field photographs with up to "
            f"{HELD_OUT} of the {len(self.model.labels)} types at a time taught by {shots} "
            f"training photographs instead of learnt, and {count['other-parts']} photographs of "
            f"{strange} other types taught likewise; the known score on those "
            f"{count['other-parts']} and "
            f"{count['negatives']} everyday photographs."
        )

    def report(self) -> Iterator[str]:
        """Lines of what is right, by photographs shown, and with references put in to mislead."""
        factors = self.score_scale, self.score_bias
        for name, episodes in self.episodes.items():
            share, taught = right(episodes, *factors)
            yield f"{name:26} right {share:.3f}, of what was taught {taught:.3f}"
        for name, n_poisoned, check in product(ASKED, (0, 1, 2), (False, True)):
            runs = [
                run
                for seed in range(SEEDS)
                for run in taught_types(
                    self.model, self.splits["train"], self.splits[name], 5, seed, n_poisoned, check
                )
            ]
            share, taught = right([episode for episode, _ in runs], *factors)
            flags = [flag for _, refused in runs for flag in refused]
            found = f", refused {np.mean(flags):.3f} of the poison" if flags and check else ""
            checked = "with the check" if check else "without     "
            yield (
                f"{name}, {n_poisoned} of 5 poisoned, {checked}: "
                f"right {share:.3f}, taught {taught:.3f}{found}"
            )


def with_references(manifest: str, section: str) -> str:
    """The text of a manifest with these `[references]` sections instead of earlier ones."""
    manifest = re.sub(r"^\[references(?:\.\w+)?\]\n(?:[^\[\n].*\n)*\n", "", manifest, flags=re.M)
    head, thresholds, rest = manifest.partition("[thresholds]\n")
    return f"{head}{section}\n{thresholds}{rest}"


def write_references(folder: Path, photos: Path) -> Teaching:
    """Fit teaching for the model in `folder`; write its centre and its manifest's sections."""
    centre = centre_of(folder)
    teaching = Teaching(ServedModel(folder), centre, photos)
    content = centre.astype("<f4").tobytes()
    (folder / CENTRE).write_bytes(content)
    section = f"""\
[references]
centre = "{CENTRE}"
sha256 = "{sha256(content).hexdigest()}"
size_bytes = {len(content)}
nearest = {NEAREST}
score_scale = {teaching.score_scale:.1f}
score_bias = {teaching.score_bias:.1f}
learnt_offset = {LEARNT_OFFSET}
known_scale = {teaching.known_scale:.6f}
known_bias = {teaching.known_bias:.6f}
fitted_on = "{teaching.fitted_on()}"

{similarities_section()}"""
    manifest = folder / "model.toml"
    text = with_references(manifest.read_text(encoding="utf-8"), section)
    manifest.write_text(text, encoding="utf-8")
    return teaching


def main() -> None:
    """Measures, writes and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, default=REPOSITORY / "models" / "partsight-50")
    teaching = write_references(parser.parse_args().model, photos_dir())
    print("\n".join(teaching.report()))


if __name__ == "__main__":
    main()
