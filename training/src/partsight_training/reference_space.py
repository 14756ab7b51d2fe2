"""Where photographs are compared with those that teach a part: a model's reference space."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file
from scipy.cluster.vq import kmeans2

from partsight_training.collection import Collection
from partsight_training.data import Split, read_picture
from partsight_training.figures import NEAREST
from partsight_training.serving import ServedModel
from partsight_training.transforms import resize, to_tensor

# File of the mean embedding of each class as `prototypes`, and of the background.
PROTOTYPES = "prototypes.safetensors"
BACKGROUND = 16  # directions that stand for everyday things


@dataclass(frozen=True)
class Space:
    """Where a model's embeddings are compared: without what all of them have in common."""

    centre: np.ndarray  # f32 [d]: the mean of the prototypes
    background: np.ndarray  # f32 [b, d]: what everyday things look like, placed

    @staticmethod
    def of(folder: Path) -> Space:
        """The space of a model folder."""
        tensors = load_file(folder / PROTOTYPES)
        prototypes, background = tensors["prototypes"], tensors["background"]  # f32 [c, d], [b, d]
        centre = prototypes.mean(axis=0)
        return Space(centre, unit(background - centre))

    def place(self, embedding: np.ndarray) -> np.ndarray:
        """Embeddings `[n, d]` without the centre, of length 1."""
        return unit(embedding - self.centre)


@dataclass(frozen=True)
class Photos:
    """What the model says of the photographs of some splits."""

    embedding: np.ndarray  # f32 [n, d], placed
    background: np.ndarray  # f32 [n]: cosine to the nearest of the background
    logits: np.ndarray  # f64 [n, c], divided by the temperature
    known: np.ndarray  # f64 [n]: logit of the model's own known score
    labels: np.ndarray  # str [n]

    def __getitem__(self, rows: np.ndarray) -> Photos:
        return Photos(*(getattr(self, column)[rows] for column in self.__annotations__))


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
    known = calibration.known_logit(known)
    placed = space.place(embedding)
    background = (placed @ space.background.T).max(axis=1)
    logits = logits / calibration.temperature
    return Photos(placed, background, logits, known, labels)


def similarity(embedding: np.ndarray, references: list[np.ndarray]) -> np.ndarray:
    """Cosine `[n, t]` to the mean direction of the nearest references `[m, d]` of each label."""
    columns = []
    for own in references:
        cosines = embedding @ own.T
        nearest = np.argsort(-cosines, axis=1)[:, :NEAREST]
        total = np.take_along_axis(cosines, nearest, axis=1).sum(axis=1)
        columns.append(total / np.linalg.norm(own[nearest].sum(axis=1), axis=1))
    return np.stack(columns, axis=1)


def write_background(model: ServedModel, folder: Path, collection: Collection) -> None:
    """Writes the background beside the prototypes in `folder`: the directions around which the
    embeddings of the everyday photographs lie that the network was trained with."""
    shown = collection.splits["negatives"].rows(collection.third(0)["negatives"])
    pictures = (resize(read_picture(path), model.resize) for path in shown.paths)
    embeddings = np.concatenate([model.run(to_tensor(pixels[None]))[0] for pixels in pictures])
    count = min(BACKGROUND, len(embeddings))
    centres, _ = kmeans2(embeddings.astype(np.float64), count, minit="++", seed=0)
    tensors = load_file(folder / PROTOTYPES)
    tensors["background"] = unit(centres).astype(np.float32)
    save_file(tensors, folder / PROTOTYPES)
