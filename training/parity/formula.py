"""Weights and pixels that follow from a name and an index, the same in Python and in Rust.

Value i of a tensor is a hash of the tensor's name and i, spread evenly over [-1, 1), times a scale
that keeps activations near 1. Integer arithmetic and single f32 operations only, so both sides get
the same bits.
"""

from __future__ import annotations

import math

import numpy as np

FNV_OFFSET, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
LOGIT_SCALE, LOGIT_BIAS = 4.6, -12.9
EMBEDDINGS = (
    "position_embedding.weight",
    "token_embedding.weight",
    "class_embedding",
    "probe",
    "position_embeddings",
    "cls_token",
    "register_tokens",
)
"""Ends of the names of tensors that are added to tokens, or are tokens: large enough to show."""
IMAGE_CELL = 16
"""Pixels of one image come in cells of this side: noise of single pixels would average out."""


def name_hash(name: str) -> int:
    """FNV-1a, 64 bits."""
    value = FNV_OFFSET
    for byte in name.encode():
        value = (value ^ byte) * FNV_PRIME % 2**64
    return value


def uniform(name: str, indices: np.ndarray) -> np.ndarray:
    """The values in [-1, 1) at `indices`, u64 of any shape: 24 bits of SplitMix64's finaliser."""
    with np.errstate(over="ignore"):
        mixed = np.uint64(name_hash(name)) + indices * GOLDEN_GAMMA
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
    return (mixed >> np.uint64(40)).astype(np.float32) / np.float32(2**23) - np.float32(1)


def centre_and_scale(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """What the values lie around, and how far from it at most."""
    if name == "logit_scale":
        return LOGIT_SCALE, 0.0
    if name == "logit_bias":
        return LOGIT_BIAS, 0.0
    if name.endswith("bias"):
        return 0.0, 0.05
    if len(shape) == 1 and name.endswith("weight"):
        return 1.0, 0.1
    if name.endswith(EMBEDDINGS):
        return 0.0, 0.3
    return 0.0, math.sqrt(3 / math.prod(shape[1:]))


def weight(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The tensor of this name, f32."""
    centre, scale = centre_and_scale(name, shape)
    indices = np.arange(math.prod(shape), dtype=np.uint64)
    values = np.float32(centre) + np.float32(scale) * uniform(name, indices)
    return values.reshape(shape)


def image(number: int, size: int) -> np.ndarray:
    """A picture of coloured squares, normalised, f32 `[3, size, size]`."""
    channel, row, column = np.mgrid[0:3, 0:size, 0:size].astype(np.uint64)
    cell = np.uint64(IMAGE_CELL)
    indices = channel * np.uint64(10_000) + row // cell * np.uint64(100) + column // cell
    return np.float32(2) * uniform(f"image {number}", indices)
