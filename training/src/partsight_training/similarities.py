"""Measures the cosines that `figures.py` states, for a finished model.

usage: python -m partsight_training.similarities --config FILE --model DIR

Printed is how alike photographs of one part are, of different parts, of everyday things, and of the
same photograph encoded or altered anew; and what the learnt offset of references is worth.
Nothing is written: the figures are chosen by a person and say what they rest on.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from PIL import Image, ImageEnhance
from scipy.special import log_softmax

from partsight_training.collection import read_collection
from partsight_training.config import load_config, photos_dir
from partsight_training.data import read_picture
from partsight_training.reference_space import Photos, Space, joined, similarity, unit
from partsight_training.references import Teaching
from partsight_training.serving import ServedModel
from partsight_training.transforms import resize, to_tensor

OFFSETS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
COPIED, ALTERED = 200, 100  # photographs


def shares(values: np.ndarray) -> str:
    """Least, first percentiles and median of `[n]` values, in words."""
    least, one, five, median = np.quantile(values, [0, 0.01, 0.05, 0.5])
    return f"{len(values)}: least {least:.3f}, 1% {one:.3f}, 5% {five:.3f}, median {median:.3f}"


def of_one_part(strange: Photos) -> np.ndarray:
    """Cosine of each photograph with the mean direction of the others of its type."""
    found = []
    for name in np.unique(strange.labels):
        own = strange.embedding[strange.labels == name]
        if len(own) > 1:
            rest = own.sum(axis=0) - own
            found.append((own * unit(rest)).sum(axis=1))
    return np.concatenate(found)


def equal_errors(alike: np.ndarray, others: np.ndarray) -> float:
    """The value with as large a share of `alike` below it as of `others` above."""
    marks = np.unique(np.concatenate([alike, others]))
    below = np.searchsorted(np.sort(alike), marks) / len(alike)
    above = 1 - np.searchsorted(np.sort(others), marks) / len(others)
    return float(marks[np.abs(below - above).argmin()])


def encoded(picture: Image.Image, quality: int) -> Image.Image:
    """The picture as JPEG and read again."""
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=quality)
    return Image.open(file).convert("RGB")


def altered(picture: Image.Image) -> Iterator[tuple[str, Image.Image]]:
    """The same picture as people send it twice."""
    width, height = picture.size
    cut = (width // 50, height // 50, width - width // 50, height - height // 50)
    yield "compressed anew", encoded(picture, 75)
    yield "turned by a degree", picture.rotate(1, Image.Resampling.BICUBIC)
    yield "cut by 2%", picture.crop(cut)
    yield "a tenth darker", ImageEnhance.Brightness(picture).enhance(0.9)
    yield "half the size", picture.resize((max(1, width // 2), max(1, height // 2)))


def report(
    model: ServedModel, space: Space, teaching: Teaching, paths: list[Path]
) -> Iterator[str]:
    """Lines of what was measured; `paths` are photographs of known parts."""

    def embedded(pictures: list[Image.Image]) -> np.ndarray:
        pixels = [resize(picture, model.resize) for picture in pictures]
        return np.concatenate([model.run(to_tensor(one[None]))[0] for one in pixels])

    strange, known = teaching.strange, teaching.known
    alike = of_one_part(strange)
    yield f"of one type that was never seen, to the mean of the others: {shares(alike)}"
    names = np.unique(strange.labels)
    references = [strange.embedding[strange.labels == name][:5] for name in names]
    everyday = similarity(teaching.negatives.embedding, references).max(axis=1)
    yield f"similar, as many of either above and below: {equal_errors(alike, everyday):.3f}"

    rng = np.random.default_rng(0)
    chosen = [paths[i] for i in rng.permutation(len(paths))[:COPIED]]
    pictures = [read_picture(path) for path in chosen]
    once = embedded(pictures)
    again = embedded([encoded(picture, 75) for picture in pictures])
    copies = (space.place(once) * space.place(again)).sum(axis=1)
    yield f"the same file encoded anew, without the centre: {shares(copies)}"
    every = joined([known, strange, teaching.negatives]).embedding
    cosines = every @ every.T
    np.fill_diagonal(cosines, -1)
    top = np.sort(cosines.max(axis=1))[-5:]
    yield f"different photographs, without the centre, the most alike: {np.round(top, 3).tolist()}"
    for place, name in enumerate(name for name, _ in altered(pictures[0])):
        other = embedded([list(altered(picture))[place][1] for picture in pictures[:ALTERED]])
        yield f"{name}, as it is: {shares((once[:ALTERED] * other).sum(axis=1))}"
    raw = unit(once)
    alone = raw @ raw.T
    np.fill_diagonal(alone, -1)
    yield f"different photographs as they are, the most alike of {len(raw)}: {alone.max():.3f}"

    truth = np.array([model.labels.index(label) for label in known.labels])
    plain = (known.logits.argmax(axis=1) == truth).mean()
    yield f"learnt types without references: {plain:.4f}"
    for shots, offset in product((1, 3, 5), OFFSETS):
        right = [learnt_with_references(teaching, truth, shots, offset, seed) for seed in range(5)]
        yield f"learnt types, {shots} references each, {offset} taken off: {np.mean(right):.4f}"


def learnt_with_references(
    teaching: Teaching, truth: np.ndarray, shots: int, offset: float, seed: int
) -> float:
    """Share right of known photographs when every learnt type has references too."""
    rng, train, known = np.random.default_rng(seed), teaching.train, teaching.known
    references = [
        train.embedding[rng.permutation(np.flatnonzero(train.labels == label))[:shots]]
        for label in teaching.model.labels
    ]
    factors = teaching.factors
    taught = factors.score_scale * similarity(known.embedding, references) + factors.score_bias
    taught -= factors.model_known_scale * np.maximum(known.known, 0)[:, None] + offset
    logits = np.logaddexp(log_softmax(known.logits, axis=1), taught)
    return float((logits.argmax(axis=1) == truth).mean())


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--config", type=Path, required=True, help="of the run that made it")
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    arguments = parser.parse_args()
    collection = read_collection(photos_dir(), load_config(arguments.config))
    model, space = ServedModel(arguments.model), Space.of(arguments.model)
    paths = [path for name in collection.known for path in collection.splits[name].paths]
    for line in report(model, space, Teaching(model, space, collection), paths):
        print(line, flush=True)


if __name__ == "__main__":
    main()
