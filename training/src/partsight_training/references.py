"""Measures teaching: parts that are shown to the model by references instead of learnt.

usage: python -m partsight_training.references --config FILE --model DIR

Types that the network never saw (the fitting third of the other parts) are taught by 1, 3 or 5 of
their photographs, fifteen at a time, and asked for by the rest, beside photographs of the types
that it has learnt. The factors that fit best are written into `[references]` of `model.toml`, with
the figures of `figures.py`. The background, which stands for everyday things, is written beside
the prototypes. What is right is printed of each half of the strange types, with factors that were
fitted on the other half.

The poison check is measured on types that the network was shown as none of its own, with
photographs of learnt types among those that teach them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from partsight_training.calibrate import fit_known_scales
from partsight_training.collection import Collection, read_collection
from partsight_training.config import load_config, photos_dir
from partsight_training.figures import (
    LEARNT_OFFSET,
    NEAREST,
    SIMILARITIES,
)
from partsight_training.manifest import write_manifest
from partsight_training.reference_space import (
    PROTOTYPES,
    Photos,
    Space,
    embed,
    joined,
    similarity,
    unit,
    write_background,
)
from partsight_training.serving import ServedModel

SEEDS, SHOTS = 3, (1, 3, 5)
TAUGHT_TOGETHER = 15  # strange types of one shop
POISONED_SHOTS = 5  # photographs that teach a type, some of them of other parts
TRAIN_OF_TYPE, NEGATIVES = 12, 150  # photographs that are embedded
# Share of the photographs of known types in what is fitted: shops photograph them more often.
KNOWN_SHARE = 0.8
# Share of the found photographs of taught parts that are called no part, as of the learnt ones
# (`known_called_not_a_part` of a configuration).
TAUGHT_CALLED_NOT_A_PART = 0.03
OF_FITTING_THIRDS = "of the fitting thirds alone"  # what the card looks for in `fitted_on`


# Episodes of strange types; see `strange_types`.
Runs = list[tuple["Episode", np.ndarray]]


@dataclass(frozen=True)
class Factors:
    """Of the logit of a taught label; see `answers`."""

    score_scale: float  # of the similarity
    model_known_scale: float  # of the logit of the model's own known score, above 0; taken off
    score_bias: float


@dataclass(frozen=True)
class KnownFactors:
    """Of the logit of "shows the part of the references"."""

    known_scale: float  # of the similarity to the references
    background_scale: float  # of the similarity to the background, which is taken off
    known_bias: float

    def known_score(self, similar: np.ndarray, background: np.ndarray) -> np.ndarray:
        """Known scores `[n]` in 0..1 of cosines `[n]` to the references and the background."""
        logits = self.known_scale * similar - self.background_scale * background + self.known_bias
        return expit(logits)


@dataclass(frozen=True)
class Episode:
    """Photographs to answer, when some labels are taught."""

    logits: np.ndarray  # [n, c] of the classes
    known: np.ndarray  # [n]: logit of the model's own known score
    background: np.ndarray  # [n]: cosine to the nearest of the background
    similarity: np.ndarray  # [n, t] to each taught label
    truth: np.ndarray  # [n]: 0..c a class, c..c+t a taught label


def is_refused(taught: list[Photos], of: int, at: int, model: ServedModel) -> bool:
    """The poison check on photograph `at` of those that teach type `of`."""
    own, others = taught[of], taught[:of] + taught[of + 1 :]
    embedding, alone = own.embedding[at], len(own.labels) == 1
    to_own = -1.0 if alone else embedding @ centre(np.delete(own.embedding, at, axis=0))
    nearest_other = max((embedding @ centre(other.embedding) for other in others), default=-1.0)
    if not alone and nearest_other > to_own:
        return True
    thresholds = model.thresholds
    return bool(
        to_own < SIMILARITIES["own"]
        and expit(own.known[at]) >= thresholds.identified_known_score
        and softmax(own.logits[at]).max() >= thresholds.identified_confidence
    )


def centre(embeddings: np.ndarray) -> np.ndarray:
    """Mean direction `[d]` of embeddings `[n, d]`."""
    return unit(embeddings.mean(axis=0))


def keep_all(taught: list[Photos]) -> list[Photos]:
    """The photographs that teach, as they were given."""
    return taught


def strange_types(
    model: ServedModel,
    strange: Photos,
    known: Photos,
    everyday: Photos,
    shots: int,
    seed: int,
    change: Callable[[list[Photos]], list[Photos]] = keep_all,
) -> Iterator[tuple[Episode, np.ndarray]]:
    """Episodes with types that the model never learnt, fifteen at a time, taught by `shots` of
    their photographs, as `change` leaves them, and asked for by the rest, beside `known`
    photographs; and the `features_of_nearest` of the `everyday` photographs."""
    names, n_photos = np.unique(strange.labels, return_counts=True)
    rng = np.random.default_rng(seed)
    names = rng.permutation(names[n_photos > shots])
    for first in range(0, len(names), TAUGHT_TOGETHER):
        types = list(names[first : first + TAUGHT_TOGETHER])
        taught, asked = [], []
        for name in types:
            rows = rng.permutation(np.flatnonzero(strange.labels == name))
            taught.append(strange[rows[:shots]])
            asked.append(strange[rows[shots:]])
        references = [photos.embedding for photos in change(taught)]
        every = joined([*asked, known])
        place = {label: index for index, label in enumerate([*model.labels, *types])}
        yield (
            Episode(
                every.logits,
                every.known,
                every.background,
                similarity(every.embedding, references),
                np.array([place[label] for label in every.labels]),
            ),
            features_of_nearest(everyday, references),
        )


def features_of_nearest(photos: Photos, references: list[np.ndarray]) -> np.ndarray:
    """What the known score of references rests on, `[n, 2]`: the similarity to the nearest taught
    type and to the nearest of the background."""
    nearest = similarity(photos.embedding, references).max(axis=1)
    return np.stack([nearest, photos.background], axis=1)


def answers(episode: Episode, factors: Factors) -> np.ndarray:
    """Logits `[n, c + t]` of the fused answer."""
    taught = factors.score_scale * episode.similarity + factors.score_bias
    # What the model does not know speaks for no taught part either: only the similarity does.
    taught = taught - factors.model_known_scale * np.maximum(episode.known, 0)[:, None]
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
        (13.0, 1.0, -4.0),
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
        asked = [embed(model, space, splits[name]) for name in collection.known]
        self.train = embed(model, space, splits["train"], TRAIN_OF_TYPE)
        self.strange = embed(model, space, splits["other-parts"].rows(fitting["other-parts"]))
        of_shown = splits["other-parts"].rows(collection.third(0)["other-parts"])
        self.shown = embed(model, space, of_shown)
        everyday = splits["negatives"].rows(fitting["negatives"])
        self.negatives = embed(model, space, everyday, NEGATIVES)
        self.known = joined(asked)
        self.factors, self.known_factors = self._fit(self.strange)

    def _episodes(
        self,
        strange: Photos,
        seeds: range,
        shots: tuple[int, ...] = SHOTS,
        change: Callable[[list[Photos]], list[Photos]] = keep_all,
    ) -> Runs:
        return [
            run
            for n, seed in product(shots, seeds)
            for run in strange_types(
                self.model, strange, self.known, self.negatives, n, seed, change
            )
        ]

    def _fit(self, strange: Photos) -> tuple[Factors, KnownFactors]:
        runs = self._episodes(strange, range(SEEDS))
        factors = fit_factors([episode for episode, _ in runs])
        return factors, self._fit_known(runs, self._episodes(self.shown, range(SEEDS)), factors)

    def _fit_known(self, runs: Runs, shown: Runs, factors: Factors) -> KnownFactors:
        own = []
        for episode, _ in runs:
            # The known score of references counts only where a taught part is the answer.
            found = answers(episode, factors).argmax(axis=1) == episode.truth
            rows = np.flatnonzero(is_taught(episode) & found)
            similar = episode.similarity[rows, episode.truth[rows] - episode.logits.shape[1]]
            own.append(np.stack([similar, episode.background[rows]], axis=1))
        # Whether it is another type of part, the odds say. Types that the network was shown as none
        # of its own lie near everyday things, which it was shown as such too; their own photographs
        # say nothing, because it has seen them.
        everyday = [features for _, features in [*runs, *shown]]
        sides = [np.concatenate(side) for side in (own, everyday)]
        sizes = [len(side) for side in sides]
        (known_scale, background_scale), known_bias = fit_known_scales(
            np.concatenate(sides),
            np.repeat([True, False], sizes),
            np.repeat([0.5 / size for size in sizes], sizes),  # both sides weigh the same
            missed=TAUGHT_CALLED_NOT_A_PART,
            score=self.model.thresholds.not_a_part_below,
        )
        return KnownFactors(known_scale, -background_scale, known_bias)

    def fitted_on(self) -> str:
        """The photographs behind the factors, in words."""
        n_strange = len(np.unique(self.strange.labels))
        shots = f"{', '.join(map(str, SHOTS[:-1]))} or {SHOTS[-1]}"
        return (
            f"{len(self.strange.labels)} photographs of {n_strange} types that the network never "
            f"saw, up to {TAUGHT_TOGETHER} at a time taught by {shots} of them, beside "
            f"{len(self.known.labels)} photographs of learnt types, which weigh "
            f"{KNOWN_SHARE:.0%}; the known score on the same and on "
            f"{len(self.negatives.labels)} everyday photographs; photographs of other things are "
            f"{OF_FITTING_THIRDS}, but the references of "
            f"{len(np.unique(self.shown.labels))} further types beside the everyday photographs, "
            "and the background, are of photographs that the network was trained with."
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
        for n_poisoned, check in product((0, 1, 2), (False, True)):
            rng, flags = np.random.default_rng(0), []
            change = partial(self._spoilt, n_poisoned=n_poisoned, check=check, rng=rng, flags=flags)
            runs = self._episodes(self.shown, range(SEEDS), (POISONED_SHOTS,), change)
            if not runs:
                continue
            share, taught = right([episode for episode, _ in runs], self.factors)
            found = f", refused {np.mean(flags):.3f} of the poison" if flags else ""
            checked = "with the check" if check else "without     "
            yield (
                f"{n_poisoned} of {POISONED_SHOTS} poisoned, {checked}: "
                f"right {share:.3f}, taught {taught:.3f}{found}"
            )

    def _spoilt(
        self,
        taught: list[Photos],
        n_poisoned: int,
        check: bool,
        rng: np.random.Generator,
        flags: list[bool],
    ) -> list[Photos]:
        """The photographs that teach, with `n_poisoned` of each type replaced by those of learnt
        types, as the poison check leaves them; whether it refused each of these is put into
        `flags`."""
        spoilt = []
        for own in taught:
            wrong = self.train[rng.choice(len(self.train.labels), n_poisoned, replace=False)]
            spoilt.append(joined([own[np.arange(len(own.labels) - n_poisoned)], wrong]))
        if not check:
            return spoilt
        kept = []
        for of, own in enumerate(spoilt):
            every = range(len(own.labels))
            refused = np.array([is_refused(spoilt, of, at, self.model) for at in every])
            flags += list(refused[len(own.labels) - n_poisoned :])
            kept.append(own[np.flatnonzero(~refused)] if not refused.all() else own[np.arange(1)])
        return kept

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
        known = self.known_factors.known_score(similar, episode.background)
        claimed = (
            (best >= n_classes)
            & (np.exp(logits.max(axis=1)) >= self.model.thresholds.identified_confidence)
            & (known >= self.model.thresholds.identified_known_score)
        )
        hit = best == episode.truth
        precise = hit[claimed].mean() if claimed.any() else np.nan
        return hit[taught].mean(), hit[~taught].mean(), claimed[taught].mean(), precise


def write_references(folder: Path, collection: Collection) -> Teaching:
    """Fit teaching for the model in `folder`; write its manifest's sections and the background."""
    model = ServedModel(folder)
    write_background(model, folder, collection)
    teaching = Teaching(model, Space.of(folder), collection)
    content = (folder / PROTOTYPES).read_bytes()
    factors = asdict(teaching.factors) | {"learnt_offset": LEARNT_OFFSET}
    known = {key: round(value, 6) for key, value in asdict(teaching.known_factors).items()}
    model.manifest["references"] = {
        "prototypes": PROTOTYPES,
        "sha256": sha256(content).hexdigest(),
        "size_bytes": len(content),
        "nearest": NEAREST,
        **factors,
        **known,
        "fitted_on": teaching.fitted_on(),
        "similarities": SIMILARITIES,
    }
    write_manifest(folder, model.manifest)
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
