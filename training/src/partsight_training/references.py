"""Measures teaching: parts that are shown to the model by references instead of learnt.

usage: python -m partsight_training.references --config FILE --model DIR

Types that the network never saw (the fitting third of the other parts) are taught by 1, 3 or 5 of
their photographs, fifteen at a time, and asked for by the rest, beside photographs of the types
that it has learnt. The factors that fit best are written into `[references]` of `model.toml`, with
the file of the classes' prototypes and the figures of `figures.py`. What is right is printed of
each half of the strange types, with factors that were fitted on the other half.

The poison check is measured on types of the model that are left out of its answers and taught by
training photographs instead, ten at a time.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from scipy.optimize import minimize
from scipy.special import expit, log_softmax

from partsight_training.calibrate import fit_known_slope
from partsight_training.collection import Collection, read_collection
from partsight_training.config import load_config, photos_dir
from partsight_training.data import Split, read_picture
from partsight_training.figures import (
    LEARNT_OFFSET,
    NEAREST,
    OWN_SIMILARITY,
    similarities_section,
)
from partsight_training.serving import ServedModel
from partsight_training.transforms import resize, to_tensor

HELD_OUT, SEEDS, SHOTS = 10, 3, (1, 3, 5)
TAUGHT_TOGETHER = 15  # strange types of one shop
TRAIN_OF_TYPE, NEGATIVES = 12, 150  # photographs that are embedded
# Share of the photographs of known types in what is fitted: shops photograph them more often.
KNOWN_SHARE = 0.8
# Share of the found photographs of taught parts that are called no part, as of the learnt ones
# (`known_called_not_a_part` of a configuration).
TAUGHT_CALLED_NOT_A_PART = 0.03
OF_FITTING_THIRDS = "of the fitting thirds alone"  # what the card looks for in `fitted_on`
PROTOTYPES = "prototypes.safetensors"  # file of the mean embedding of each class


@dataclass(frozen=True)
class Space:
    """Where a model's embeddings are compared: without what all of them have in common."""

    centre: np.ndarray  # f32 [d]: the mean of the prototypes
    classes: np.ndarray  # f32 [c, d]: the prototypes, placed

    @staticmethod
    def of(folder: Path) -> Space:
        """The space of a model folder."""
        prototypes = load_file(folder / PROTOTYPES)["prototypes"]  # f32 [c, d]
        centre = prototypes.mean(axis=0)
        return Space(centre, unit(prototypes - centre))

    def place(self, embedding: np.ndarray) -> np.ndarray:
        """Embeddings `[n, d]` without the centre, of length 1."""
        return unit(embedding - self.centre)


@dataclass(frozen=True)
class Photos:
    """What the model says of the photographs of some splits."""

    embedding: np.ndarray  # f32 [n, d], placed
    classes: np.ndarray  # f32 [n, c]: cosine to each class's prototype
    logits: np.ndarray  # f64 [n, c], divided by the temperature
    known: np.ndarray  # f64 [n], calibrated
    labels: np.ndarray  # str [n]

    def __getitem__(self, rows: np.ndarray) -> Photos:
        return Photos(*(getattr(self, column)[rows] for column in self.__annotations__))


@dataclass(frozen=True)
class Factors:
    """Of the logit of a taught label; see `answers`."""

    score_scale: float
    class_scale: float
    score_bias: float


@dataclass(frozen=True)
class Episode:
    """Photographs to answer, when some labels are taught."""

    logits: np.ndarray  # [n, c] of the classes that the model may answer
    class_similarity: np.ndarray  # [n]: cosine to the nearest prototype of those
    similarity: np.ndarray  # [n, t] to each taught label
    truth: np.ndarray  # [n]: 0..c a class, c..c+t a taught label


def unit(rows: np.ndarray) -> np.ndarray:
    """Vectors `[.., d]` brought to length 1."""
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def joined(parts: list[Photos]) -> Photos:
    """The photographs of several splits together."""
    return Photos(
        *(np.concatenate([getattr(p, column) for p in parts]) for column in Photos.__annotations__)
    )


def embed(model: ServedModel, space: Space, split: Split, most: int = 10**6) -> Photos:
    """Runs at most `most` photographs of each label, each looked at once."""
    rng = np.random.default_rng(0)
    rows = []
    for label in sorted(set(split.labels)):
        paths = [path for path, of in zip(split.paths, split.labels, strict=True) if of == label]
        for path in [paths[i] for i in rng.permutation(len(paths))[:most]]:
            tensor = to_tensor(resize(read_picture(path), model.resize)[None])
            embedding, logits, known = model.run(tensor)
            rows.append((embedding[0], logits[0], np.ravel(known)[0], label))
    embedding, logits, known, labels = (np.array(column) for column in zip(*rows, strict=True))
    calibration = model.calibration
    known = calibration.known_score(known)
    placed = space.place(embedding)
    return Photos(placed, placed @ space.classes.T, logits / calibration.temperature, known, labels)


def similarity(embedding: np.ndarray, references: list[np.ndarray]) -> np.ndarray:
    """Cosine `[n, t]` to the mean direction of the nearest references `[m, d]` of each label."""
    columns = []
    for own in references:
        cosines = embedding @ own.T
        nearest = np.argsort(-cosines, axis=1)[:, :NEAREST]
        total = np.take_along_axis(cosines, nearest, axis=1).sum(axis=1)
        columns.append(total / np.linalg.norm(own[nearest].sum(axis=1), axis=1))
    return np.stack(columns, axis=1)


def held_out(labels: list[str], seed: int) -> Iterator[list[str]]:
    """Ten labels at a time, of few at most half, each label once."""
    order = np.random.default_rng(seed).permutation(len(labels))
    size = min(HELD_OUT, max(1, len(labels) // 2))
    for first in range(0, len(labels), size):
        yield [labels[i] for i in order[first : first + size]]


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
) -> Iterator[tuple[Episode, list[bool]]]:
    """Episodes with some types taught, ten at a time, and which of the poisoned references were
    refused."""
    place = {label: index for index, label in enumerate(model.labels)}
    rng = np.random.default_rng(seed)
    for taught in held_out(model.labels, seed):
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
        yield episode(asked, kept, references, truth), refused


def episode(
    asked: Photos, kept: list[int], references: list[np.ndarray], truth: np.ndarray
) -> Episode:
    """`asked` photographs with `references` of each taught label beside the `kept` classes."""
    return Episode(
        asked.logits[:, kept],
        asked.classes[:, kept].max(axis=1),
        similarity(asked.embedding, references),
        truth,
    )


def strange_types(
    model: ServedModel, strange: Photos, known: Photos, shots: int, seed: int
) -> Iterator[tuple[Episode, np.ndarray]]:
    """Episodes with types that the model never saw, fifteen at a time, taught by `shots` of their
    photographs and asked for by the rest, beside `known` photographs; and, of the other strange
    photographs, the similarity to the nearest taught type."""
    names, n_photos = np.unique(strange.labels, return_counts=True)
    rng = np.random.default_rng(seed)
    names = rng.permutation(names[n_photos > shots])
    for first in range(0, len(names), TAUGHT_TOGETHER):
        taught = list(names[first : first + TAUGHT_TOGETHER])
        references, asked = [], []
        for name in taught:
            rows = rng.permutation(np.flatnonzero(strange.labels == name))
            references.append(strange.embedding[rows[:shots]])
            asked.append(rows[shots:])
        places = [
            len(model.labels) + taught.index(strange.labels[row]) for row in np.concatenate(asked)
        ]
        truth = [model.labels.index(label) for label in known.labels]
        every = joined([strange[np.concatenate(asked)], known])
        others = strange.embedding[~np.isin(strange.labels, taught)]
        yield (
            episode(every, list(range(len(model.labels))), references, np.array(places + truth)),
            similarity(others, references).max(axis=1) if len(others) else np.empty(0),
        )


def answers(episode: Episode, factors: Factors) -> np.ndarray:
    """Logits `[n, c + t]` of the fused answer."""
    taught = factors.score_scale * episode.similarity + factors.score_bias
    taught = taught - factors.class_scale * episode.class_similarity[:, None]
    return np.concatenate([log_softmax(episode.logits, axis=1), taught], axis=1)


def is_taught(episode: Episode) -> np.ndarray:
    """Which photographs `[n]` are of taught labels."""
    return episode.truth >= episode.logits.shape[1]


def log_loss(episodes: list[Episode], factors: Factors) -> float:
    """Negative log likelihood of the truth, known photographs weighing `KNOWN_SHARE` together."""
    losses = []
    for episode in episodes:
        own = -log_softmax(answers(episode, factors), axis=1)[
            np.arange(len(episode.truth)), episode.truth
        ]
        taught = is_taught(episode)
        losses.append((1 - KNOWN_SHARE) * own[taught].mean() + KNOWN_SHARE * own[~taught].mean())
    return float(np.mean(losses))


def fit_factors(episodes: list[Episode]) -> Factors:
    """The factors that make the truth most likely."""
    fitted = minimize(
        lambda factors: log_loss(episodes, Factors(*factors)),
        (13.0, 9.0, -1.0),
        method="Nelder-Mead",
        options={"maxiter": 200, "xatol": 0.01, "fatol": 1e-5},
    )
    return Factors(*(round(float(factor), 3) for factor in fitted.x))


def right(episodes: list[Episode], factors: Factors) -> tuple[float, float]:
    """Share right of all photographs, and of those of taught labels."""
    hits = [answers(e, factors).argmax(axis=1) == e.truth for e in episodes]
    taught = [hit[is_taught(e)] for hit, e in zip(hits, episodes, strict=True)]
    return float(np.concatenate(hits).mean()), float(np.concatenate(taught).mean())


class Teaching:
    """What teaching is worth with one model, and the factors that fit it best."""

    def __init__(self, model: ServedModel, space: Space, collection: Collection) -> None:
        """`collection` is the one that the model was trained with."""
        self.model = model
        # What measures the model fits nothing of it.
        splits, fitting = collection.splits, collection.third(1)
        self.asked = {name: embed(model, space, splits[name]) for name in collection.known}
        self.train = embed(model, space, splits["train"], TRAIN_OF_TYPE)
        self.strange = embed(model, space, splits["other-parts"].rows(fitting["other-parts"]))
        everyday = splits["negatives"].rows(fitting["negatives"])
        self.negatives = embed(model, space, everyday, NEGATIVES)
        self.known = joined(list(self.asked.values()))
        self.factors, self.known_scale, self.known_bias = self._fit(self.strange)

    def _episodes(
        self, strange: Photos, seeds: range, shots: tuple[int, ...] = SHOTS
    ) -> list[tuple[Episode, np.ndarray]]:
        return [
            run
            for n, seed in product(shots, seeds)
            for run in strange_types(self.model, strange, self.known, n, seed)
        ]

    def _fit(self, strange: Photos) -> tuple[Factors, float, float]:
        runs = self._episodes(strange, range(SEEDS))
        factors = fit_factors([episode for episode, _ in runs])
        own, others = [], []
        for episode, of_others in runs:
            # The known score of references counts only where a taught part is the answer.
            found = answers(episode, factors).argmax(axis=1) == episode.truth
            rows = np.flatnonzero(is_taught(episode) & found)
            own.append(episode.similarity[rows, episode.truth[rows] - episode.logits.shape[1]])
            others.append(of_others)
        # Everyday photographs are far from every part; the other strange types are the hard ones.
        positive, negative = np.concatenate(own), np.concatenate([*others, self._everyday(strange)])
        # Both sides weigh the same.
        sizes = (len(positive), len(negative))
        known_scale, known_bias = fit_known_slope(
            np.concatenate([positive, negative]),
            np.repeat([True, False], sizes),
            np.repeat([0.5 / size for size in sizes], sizes),
            lowest=float(np.quantile(positive, TAUGHT_CALLED_NOT_A_PART, method="lower")),
            score=self.model.thresholds.not_a_part_below,
        )
        return factors, known_scale, known_bias

    def _everyday(self, strange: Photos) -> np.ndarray:
        """Similarity of everyday photographs to the nearest of the strange types."""
        names = np.unique(strange.labels)
        references = [strange.embedding[strange.labels == name][: max(SHOTS)] for name in names]
        return similarity(self.negatives.embedding, references).max(axis=1)

    def fitted_on(self) -> str:
        """The photographs behind the factors, in words."""
        n_strange = len(np.unique(self.strange.labels))
        shots = f"{', '.join(map(str, SHOTS[:-1]))} or {SHOTS[-1]}"
        return (
            f"{len(self.strange.labels)} photographs of {n_strange} types that the network never "
            f"saw, up to {TAUGHT_TOGETHER} at a time taught by {shots} of them, beside "
            f"{len(self.known.labels)} photographs of learnt types, which weigh "
            f"{KNOWN_SHARE:.0%}; the known score on the same and "
            f"{len(self.negatives.labels)} everyday photographs; photographs of other things are "
            f"{OF_FITTING_THIRDS}."
        )

    def report(self) -> Iterator[str]:
        """Lines of what is right, by photographs shown, and with references put in to mislead."""
        names = np.random.default_rng(0).permutation(np.unique(self.strange.labels))
        halves = [np.isin(self.strange.labels, names[start::2]) for start in range(2)]
        if len(names) >= 4:
            fitted = [self._fit(self.strange[~half])[0] for half in halves]
            without = (self.known.logits.argmax(axis=1) == self._truth_of_known()).mean()
            yield f"learnt types without teaching: right {without:.3f}"
            for shots in SHOTS:
                parts = []
                for half, factors in zip(halves, fitted, strict=True):
                    runs = self._episodes(self.strange[half], range(SEEDS, 2 * SEEDS), (shots,))
                    parts += [self._shares(episode, factors) for episode, _ in runs]
                taught, known, claimed, precise = np.nanmean(parts, axis=0)
                yield (
                    f"types never seen, {shots} photographs each: taught right {taught:.3f}, "
                    f"learnt right {known:.3f}; identified as a taught part {claimed:.3f} of the "
                    f"taught, of those {precise:.3f} right"
                )
        for name, n_poisoned, check in product(self.asked, (0, 1, 2), (False, True)):
            runs = [
                run
                for seed in range(SEEDS)
                for run in taught_types(
                    self.model, self.train, self.asked[name], 5, seed, n_poisoned, check
                )
            ]
            share, taught = right([episode for episode, _ in runs], self.factors)
            flags = [flag for _, refused in runs for flag in refused]
            found = f", refused {np.mean(flags):.3f} of the poison" if flags and check else ""
            checked = "with the check" if check else "without     "
            yield (
                f"{name}, {n_poisoned} of 5 poisoned, {checked}: "
                f"right {share:.3f}, taught {taught:.3f}{found}"
            )

    def _truth_of_known(self) -> np.ndarray:
        return np.array([self.model.labels.index(label) for label in self.known.labels])

    def _shares(self, episode: Episode, factors: Factors) -> tuple[float, float, float, float]:
        """Right of taught and of known photographs; how many of the taught are identified as a
        taught part, and how many of all that are so are right."""
        logits = log_softmax(answers(episode, factors), axis=1)
        best, taught = logits.argmax(axis=1), is_taught(episode)
        n_classes = episode.logits.shape[1]
        column = np.maximum(best - n_classes, 0)
        similar = episode.similarity[np.arange(len(best)), column]
        known = expit(self.known_scale * similar + self.known_bias)
        claimed = (
            (best >= n_classes)
            & (np.exp(logits.max(axis=1)) >= self.model.thresholds.identified_confidence)
            & (known >= self.model.thresholds.identified_known_score)
        )
        hit = best == episode.truth
        precise = hit[claimed].mean() if claimed.any() else np.nan
        return hit[taught].mean(), hit[~taught].mean(), claimed[taught].mean(), precise


def with_references(manifest: str, section: str) -> str:
    """The text of a manifest with these `[references]` sections instead of earlier ones."""
    manifest = re.sub(r"^\[references(?:\.\w+)?\]\n(?:[^\[\n].*\n)*\n", "", manifest, flags=re.M)
    head, thresholds, rest = manifest.partition("[thresholds]\n")
    return f"{head}{section}\n{thresholds}{rest}"


def write_references(folder: Path, collection: Collection) -> Teaching:
    """Fit teaching for the model in `folder`; write its manifest's sections."""
    teaching = Teaching(ServedModel(folder), Space.of(folder), collection)
    factors = teaching.factors
    content = (folder / PROTOTYPES).read_bytes()
    section = f"""\
[references]
prototypes = "{PROTOTYPES}"
sha256 = "{sha256(content).hexdigest()}"
size_bytes = {len(content)}
nearest = {NEAREST}
score_scale = {factors.score_scale}
class_scale = {factors.class_scale}
score_bias = {factors.score_bias}
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
    parser.add_argument("--config", type=Path, required=True, help="of the run that made it")
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    arguments = parser.parse_args()
    collection = read_collection(photos_dir(), load_config(arguments.config))
    teaching = write_references(arguments.model, collection)
    print("\n".join(teaching.report()))


if __name__ == "__main__":
    main()
