"""Train the backbone: the start, its members, their average, and one ONNX file of it.

Needs PyTorch, unlike everything that comes after it.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch

from partsight_training.collection import Collection
from partsight_training.config import Config, MemberConfig, ResizeConfig
from partsight_training.cutout import cut_out
from partsight_training.data import Split, load_pixels
from partsight_training.finetune import TrainingSet, finetune
from partsight_training.network import Network, average, fold, to_numpy, write_onnx
from partsight_training.quantise import quantise
from partsight_training.start import make_start
from partsight_training.trained import TrainedBackbone

# More than there are members: no two cycles of any of them draw the same views.
SEEDS_APART = 1000
PICTURES_AT_ONCE = 64  # handed to one process
GPU_MEMBERS = 3  # trained at once on one GPU


def backbone_key(config: Config, data: dict[str, Split], exposed: dict[str, np.ndarray]) -> str:
    """Name of everything that decides the members; how they are averaged is free to change."""
    parts = {
        "seed": config.seed,
        "start": config.starting_weights_sha256,
        "dimension": config.network.dimension,
        "head": asdict(config.head),
        "resize": asdict(_as_it_is(config.resize)),
        "members": [{**asdict(member), "weight": None} for member in config.members],
        "data": {name: split.sha256() for name, split in data.items()},
        "exposed": {name: np.flatnonzero(mask).tolist() for name, mask in exposed.items()},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def train_backbone(
    config: Config, collection: Collection, weights: Path, cache: Path
) -> TrainedBackbone:
    """Train every member of `config` and average them; a member that is there already is kept.

    Interrupted, it goes on where it was.
    """
    splits, exposed, labels = collection.splits, collection.third(0), collection.labels
    folder = cache / "backbones" / backbone_key(config, splits, exposed)
    folder.mkdir(parents=True, exist_ok=True)
    resize = _as_it_is(config.resize)
    pixels = load_pixels(splits["train"], resize, cache)  # u8 [n, h, w, 3]
    classes = splits["train"].classes(labels)
    start_file = folder / "start.pt"
    if not start_file.exists():
        print("-- Fitting the first head", flush=True)
        _save(make_start(config, weights, pixels, classes).state_dict(), start_file)
    opacity_file = folder / "opacity.npy"
    if not opacity_file.exists():
        print("-- Cutting parts out of plain backgrounds", flush=True)
        _save_array(_opacity(pixels), opacity_file)
    others_file = folder / "others.npy"
    others = [load_pixels(splits[name], resize, cache)[mask] for name, mask in exposed.items()]
    _save_array(np.concatenate(others), others_file)

    pixels_file = folder / "pixels.npy"
    if not pixels_file.exists():
        _save_array(pixels, pixels_file)
    np.save(folder / "classes.npy", classes)
    np.save(folder / "is-scarce.npy", collection.is_scarce)
    todo = [m for m in config.members if not (folder / m.name / "done.json").exists()]
    if todo:
        print(f"-- Fine-tuning {', '.join(member.name for member in todo)}", flush=True)
        started = time.monotonic()
        # On a processor two members of one thread each get further than one of two threads.
        # On a GPU one fills the gaps of others.
        at_once = GPU_MEMBERS if torch.cuda.is_available() else os.cpu_count() or 1
        workers = min(len(todo), at_once)
        threads = max(1, (os.cpu_count() or 1) // workers)
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            jobs = [
                pool.submit(_member, folder, config, member, len(labels), threads)
                for member in todo
            ]
            for job in jobs:
                job.result()
        print(f"-- Fine-tuned in {(time.monotonic() - started) / 60:.0f} minutes", flush=True)

    network = average_members(config, folder, len(labels))
    path = folder / "backbone.onnx"
    export_features(network, config, path)
    if config.network.int8_photographs:
        print("-- Writing the convolutions as int8", flush=True)
        full, path = path, folder / "backbone-int8.onnx"
        quantise(full, path, calibration_pixels(config, pixels, config.network.int8_photographs))
    record = {
        "members": [
            {**asdict(member), "curve": _read(folder / member.name / "curve.json")}
            for member in config.members
        ],
        "cutOut": float((np.load(opacity_file).mean(axis=(1, 2)) < 254).mean().round(4)),
        "exposed": {name: int(mask.sum()) for name, mask in exposed.items()},
    }
    weight, bias = to_numpy(network.head.weight), to_numpy(network.head.bias)
    return TrainedBackbone(path, weight, bias, labels, record)


def average_members(config: Config, folder: Path, classes: int) -> Network:
    """The weighted mean of the start and every member, as the config says."""
    network = Network(config.network.dimension, classes)
    states = [torch.load(folder / "start.pt", weights_only=True)]
    weights = [config.network.start_weight]
    for member in config.members:
        states.append(torch.load(folder / member.name / "member.pt", weights_only=True))
        weights.append(member.weight)
    network.load_state_dict(average(states, weights))
    return network.eval()


def calibration_pixels(config: Config, pixels: np.ndarray, count: int) -> np.ndarray:
    """`count` of the photographs u8 `[n, h, w, 3]`, drawn at random, the same for the same seed."""
    drawn = np.random.default_rng(config.seed).permutation(len(pixels))
    return pixels[np.sort(drawn[:count])]


def export_features(network: Network, config: Config, path: Path) -> None:
    """Write image to projected features, batch norm folded, as one ONNX file with an open batch."""
    pooled = [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()]
    model = torch.nn.Sequential(fold(network.blocks), *pooled, network.projection)
    write_onnx(model, (config.resize.width, config.resize.height), path)


def _member(folder: Path, config: Config, member: MemberConfig, classes: int, threads: int) -> None:
    torch.set_num_threads(threads)
    pixels = np.load(folder / "pixels.npy", mmap_mode="r")
    others = np.load(folder / "others.npy")
    data = TrainingSet(
        pixels=_channels_first(pixels),
        opacity=torch.from_numpy(np.load(folder / "opacity.npy"))[:, None],
        classes=torch.from_numpy(np.load(folder / "classes.npy")),
        others=_channels_first(others),
        is_scarce=torch.from_numpy(np.load(folder / "is-scarce.npy")),
    )
    start = Network(config.network.dimension, classes)
    start.load_state_dict(torch.load(folder / "start.pt", weights_only=True))
    seed = config.seed + [m.name for m in config.members].index(member.name)
    for cycle in range(1, member.cycles + 1):
        out = folder / member.name
        if cycle < member.cycles:
            out = out / f"cycle-{cycle}"
        if not (out / "done.json").exists():
            finetune(start, data, member, seed + SEEDS_APART * (cycle - 1), out)
            (out / "done.json").write_text(json.dumps(asdict(member)) + "\n")
        start.load_state_dict(torch.load(out / "member.pt", weights_only=True))


def _opacity(pixels: np.ndarray) -> np.ndarray:
    full = np.full(pixels.shape[1:3], 255, np.uint8)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        found = pool.map(cut_out, pixels, chunksize=PICTURES_AT_ONCE)
        return np.stack([full if part is None else part for part in found])


def _channels_first(pixels: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(pixels.transpose(0, 3, 1, 2)))


def _as_it_is(resize: ResizeConfig) -> ResizeConfig:
    """Without the square in between: views are interpolated anyhow."""
    return replace(resize, through=0)


def _save(state: dict[str, torch.Tensor], path: Path) -> None:
    part = path.with_suffix(".part")
    torch.save(state, part)
    part.replace(path)


def _save_array(values: np.ndarray, path: Path) -> None:
    part = path.with_suffix(".part.npy")
    np.save(part, values)
    part.replace(path)


def _read(path: Path) -> object:
    return json.loads(path.read_text(encoding="utf-8"))
