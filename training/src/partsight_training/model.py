"""The model in numpy: a backbone, unit-length embeddings, a class head and a known head.

The exported graph computes the same numbers; `check_export` holds the two together.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime as ort
from scipy.special import logsumexp, softmax

EPSILON = 1e-12  # keeps the embedding of an all-zero feature finite


class Backbone:
    """An ONNX network: `image` f32 `[n, 3, h, w]` in, features f32 `[n, d]` out."""

    def __init__(self, path: Path, threads: int = 2) -> None:
        self.path = path
        self.sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        self._session = open_session(path, threads)

    def features(self, tensor: np.ndarray) -> np.ndarray:
        """Features f32 `[n, d]`, not normalised."""
        return self._session.run(None, {self._session.get_inputs()[0].name: tensor})[0]


@dataclass(frozen=True)
class Head:
    """Weights of everything behind the backbone."""

    weight: np.ndarray  # f32 [c, d], over unit-length embeddings
    bias: np.ndarray  # f32 [c]
    prototypes: np.ndarray  # f32 [c, d], unit length: mean embedding of each class
    known_embedding: np.ndarray  # f32 [d]
    known_scalars: np.ndarray  # f32 [3]: weights of logsumexp, max logit, nearest prototype
    known_bias: float

    def logits(self, embedding: np.ndarray) -> np.ndarray:
        """Raw class logits f32 `[n, c]`."""
        return embedding @ self.weight.T + self.bias

    def known(self, embedding: np.ndarray) -> np.ndarray:
        """Raw logit f32 `[n]` of "the photograph shows one of the known types"."""
        scalars = known_scalars(embedding, self.logits(embedding), self.prototypes)  # [n, 3]
        return embedding @ self.known_embedding + scalars @ self.known_scalars + self.known_bias


def open_session(path: Path | bytes, threads: int = 1) -> ort.InferenceSession:
    """An ONNX Runtime CPU session that does not spin while it waits."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    source = path if isinstance(path, bytes) else str(path)
    return ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def embed(features: np.ndarray) -> np.ndarray:
    """Unit-length embeddings f32 `[.., d]` of features f32 `[.., d]`."""
    norm = np.sqrt((features * features).sum(axis=-1, keepdims=True))  # [.., 1]
    return (features / np.maximum(norm, EPSILON)).astype(np.float32)


def known_scalars(embedding: np.ndarray, logits: np.ndarray, prototypes: np.ndarray) -> np.ndarray:
    """Three signs of a known type, f32 `[.., 3]`: logsumexp, max logit, nearest prototype cosine.

    Of embeddings `[.., d]` and their logits `[.., c]`.
    """
    columns = [
        logsumexp(logits, axis=-1),
        logits.max(axis=-1),
        (embedding @ prototypes.T).max(axis=-1),
    ]
    return np.stack(columns, axis=-1).astype(np.float32)


def class_prototypes(embedding: np.ndarray, classes: np.ndarray, count: int) -> np.ndarray:
    """Unit-length mean embedding of each class, f32 `[count, d]`."""
    sums = np.stack([embedding[classes == index].sum(axis=0) for index in range(count)])
    return (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)


def probabilities(logits: np.ndarray, temperature: float) -> np.ndarray:
    """Class probabilities `[n, c]`, each row summing to 1: softmax(logits / temperature)."""
    return softmax(logits / temperature, axis=1)
