"""The common start of every member: the starting weights with a fitted head."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from partsight_training.config import Config
from partsight_training.data import embed_pixels
from partsight_training.model import Backbone, embed
from partsight_training.network import Network, fold, load_pretrained, write_onnx


def make_start(config: Config, weights: Path, pixels: np.ndarray, classes: np.ndarray) -> Network:
    """A network that computes the starting weights' features, and on them the best linear answer.

    `pixels` u8 `[n, h, w, 3]` and `classes` i64 `[n]` are the training photographs. The projection
    is the principal components of their features, so that the embedding keeps what the features
    tell apart; the head is a logistic regression on the unit-length embedding. Starting with a
    fitted head keeps the first steps from tearing the features apart (Kumar et al., 2022).
    """
    network = Network(config.network.dimension, int(classes.max()) + 1)
    load_pretrained(network, weights / config.starting_weights)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "start.onnx"
        pooled = [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()]
        size = (config.resize.width, config.resize.height)
        write_onnx(torch.nn.Sequential(fold(network.blocks), *pooled), size, path)
        features = embed_pixels(pixels, Backbone(path))  # [n, 1280]
    mean, components = principal_components(features, config.network.dimension)
    fitted = LogisticRegression(
        C=config.head.inverse_regularisation, max_iter=config.head.max_iterations
    ).fit(embed((features - mean) @ components.T), classes)
    with torch.no_grad():
        network.projection.weight.copy_(torch.from_numpy(components))
        network.projection.bias.copy_(torch.from_numpy(-components @ mean))
        network.head.weight.copy_(torch.from_numpy(fitted.coef_))
        network.head.bias.copy_(torch.from_numpy(fitted.intercept_))
    return network


def principal_components(features: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean f32 `[d]` and the first components f32 `[count, d]` of features `[n, d]`."""
    mean = features.mean(axis=0)
    centred = (features - mean).astype(np.float64)
    _, vectors = np.linalg.eigh(centred.T @ centred)  # ascending
    return mean, np.ascontiguousarray(vectors[:, ::-1][:, :count].T.astype(np.float32))
