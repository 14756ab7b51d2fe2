"""Train the part detector on pictures that are composed of photographs of one part.

    PYTHONPATH=src python -m partsight_training.train_detector --photos FOLDER

Needs PyTorch and the finished members of `make train`, whose average it starts from, and a GPU for
ten minutes. Reads the folders train, field-train, kinds and negatives; every other photograph of
negatives is left to `benches/examples/several_parts.rs`. Writes `models/detector`.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import math
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from PIL import Image
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from partsight_training.backbone import average_members, backbone_key
from partsight_training.collection import read_learnt
from partsight_training.config import REPOSITORY, cache_dir, load_config, photos_dir
from partsight_training.data import read_split
from partsight_training.detected import Choice, Count, Parts, count, fitted, parts_of
from partsight_training.detector import STRIDE, Detector, export, loss, target, write_trunk
from partsight_training.drawings import draw
from partsight_training.export import OPSET
from partsight_training.parts import read_part
from partsight_training.scenes import Composer, Scene, read_several
from partsight_training.transforms import MEAN, STD, to_tensor

VERSION = "2.0.0"
LONGER_SIDE = (
    640  # px: a part of an eighth of the picture is 80 px wide, which the network knows parts at
)
SIZES = (*[(640, 480)] * 3, (480, 640), (640, 640), (640, 320))  # (width, height), in turn
SCENES, HELD_OUT_SCENES = 48_000, 400
# Photographs of these often show several that touch, which cannot be told from one part.
OFTEN_SEVERAL = {
    "bearing",
    "brake-pad",
    "brake-rotor",
    "bushing",
    "cabin-filter",
    "coilover",
    "cv-boot",
    "engine-valve",
    "flange",
    "glow-plug",
    "headlights",
    "o-ring",
    "oil-seal",
    "piston-ring",
    "taillights",
    "tyre",
    "wiper-blade",
}
EVERY_TRAIN = 5  # of the folder train every fifth photograph: many show nearly the same
HELD_OUT_PARTS, HELD_OUT_GROUNDS = 12, 4  # one in so many is only on held-out scenes
BATCH, WARMUP = 16, 200  # scenes, steps
TRUNK_RATE, HEAD_RATE, DECAY = 2e-4, 2e-3, 1e-2
RATE_OF_GOING_ON = 0.5  # a factor of both
AVERAGE_DECAY = 0.999  # of the moving average of the weights, which is what is kept
BOX_WEIGHT = 2.0  # of the boxes' loss
INEXACT_WEIGHT = 0.3  # of the box of a photograph whose part could not be cut out
INT8_SCENES = 100  # that show what values occur
SEED = 20261126
FALSE_WEIGHT = 2.0  # of a box that shows no part, against a part that is missed
LEAST_SCORES = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)  # the least score is one of them


@dataclass(frozen=True)
class Batch:
    """Scenes of one size and what the detector should say of them."""

    pixels: torch.Tensor  # u8 [n, h, w, 3]
    score: torch.Tensor  # f32 [n, h / 16, w / 16]
    distance: torch.Tensor  # f32 [n, 4, h / 16, w / 16]
    weight: torch.Tensor  # f32 [n, h / 16, w / 16]


class Batches(IterableDataset):
    """Composed as they are asked for; each worker has scenes of its own."""

    def __init__(self, composer: Composer, n_scenes: int, before: int = 0) -> None:
        """`n_scenes` a batch; a run that goes on from `before` scenes sees others than those."""
        self.composer, self.n_scenes, self.before = composer, n_scenes, before

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        at = worker.id if worker else 0
        self.composer.seed((SEED, self.before, at))
        while True:
            size = SIZES[at % len(SIZES)]
            yield batched([self.composer.scene(size) for _ in range(self.n_scenes)])
            at += 1


def batched(scenes: list[Scene]) -> Batch:
    """Scenes of one size with their targets."""
    rows, columns = (side // STRIDE for side in scenes[0].pixels.shape[:2])
    targets = [target(scene.boxes, rows, columns) for scene in scenes]
    exact = np.array([1.0 if scene.is_exact else INEXACT_WEIGHT for scene in scenes], np.float32)
    weight = np.stack([one.weight for one in targets]) * exact[:, None, None]
    arrays = (
        np.stack([scene.pixels for scene in scenes]),
        np.stack([one.score for one in targets]),
        np.stack([one.distance for one in targets]),
        weight,
    )
    return Batch(*map(torch.from_numpy, arrays))


def main() -> None:
    """Compose, train, choose the least score, write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--photos", type=Path, default=photos_dir())
    arguments.add_argument("--model", type=Path, default=REPOSITORY / "models/partsight-50")
    arguments.add_argument("--out", type=Path, default=REPOSITORY / "models/detector")
    arguments.add_argument("--scenes", type=int, default=SCENES, help="that are learnt from")
    arguments.add_argument("--batch", type=int, default=BATCH, help="scenes in a step")
    arguments.add_argument("--go-on", type=Path, help="from the `detector.pt` of a finished run")
    given = arguments.parse_args()
    torch.manual_seed(SEED)
    config = load_config(REPOSITORY / f"training/configs/{given.model.name}.toml")
    collection = read_learnt(given.photos, config)
    key = backbone_key(config, collection.splits, collection.third(0))
    members = cache_dir() / "backbones" / key
    detector = Detector(average_members(config, members, len(collection.labels)))
    before = 0  # scenes that it was trained on
    if given.go_on:
        earlier = torch.load(given.go_on, weights_only=True)
        detector.load_state_dict(earlier["weights"])
        before = earlier["scenes"]
    n_scenes = before + given.scenes
    learning, held_out = composers(given.photos)
    scenes = list(drawn(held_out, HELD_OUT_SCENES))
    rate = RATE_OF_GOING_ON if given.go_on else 1.0
    fit(detector, learning, given.scenes, given.batch, rate, before)
    torch.save({"weights": detector.state_dict(), "scenes": n_scenes}, members / "detector.pt")
    graph = written(detector, learning, given.out)
    choice, counts = choose(session_of(graph), scenes)
    write(given.out, graph, given.model, n_scenes, choice, counts)
    write_golden(given.out / "golden", graph, choice)


def composers(photos: Path) -> tuple[Composer, Composer]:
    """Of the scenes that are learnt from, and of others with other photographs."""
    paths = [(path, True) for path in read_split(photos, "train").paths[::EVERY_TRAIN]]
    paths += [
        (path, False)
        for name in ("field-train", "kinds")
        for path in read_split(photos, name).paths
    ]
    paths = [(path, squashed) for path, squashed in paths if path.parent.name not in OFTEN_SEVERAL]
    listed = (REPOSITORY / "training/several.txt").read_text(encoding="utf-8").split()
    read = [read_part(path, is_squashed) for path, is_squashed in paths]
    files = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path
        for name in ("train", "field-train", "kinds")
        for path in read_split(photos, name).paths
    }
    several = [read_several(files[sha256]) for sha256 in listed]
    grounds = [read_ground(path) for path in read_split(photos, "negatives").paths[::2]]
    parts = [(part, at % HELD_OUT_PARTS == 0) for at, part in enumerate(read) if part is not None]
    is_their_ground = [index % HELD_OUT_GROUNDS == 0 for index in range(len(grounds))]

    def composer(wanted: bool, seed: int) -> Composer:
        return Composer(
            [part for part, held in parts if held == wanted],
            [
                ground
                for ground, held in zip(grounds, is_their_ground, strict=True)
                if held == wanted
            ],
            seed,
            [one for at, one in enumerate(several) if (at % HELD_OUT_PARTS == 0) == wanted],
        )

    return composer(False, SEED), composer(True, SEED + 1)


def read_ground(path: Path) -> np.ndarray:
    """A photograph without a part, u8 `[h, w, 3]`."""
    image = Image.open(path).convert("RGB")
    image.thumbnail((LONGER_SIDE, LONGER_SIDE), Image.Resampling.BILINEAR)
    return np.asarray(image)


def drawn(composer: Composer, n_scenes: int) -> Iterator[Scene]:
    """So many scenes, in all sizes."""
    for index in range(n_scenes):
        yield composer.scene(SIZES[index % len(SIZES)])


def fit(
    detector: Detector,
    composer: Composer,
    n_scenes: int,
    batch_size: int = BATCH,
    rate: float = 1.0,
    before: int = 0,
) -> None:
    """Train the detector on `n_scenes` fresh scenes, on a GPU where there is one.

    `rate` is a factor of the learning rates; `before` are the scenes that it has seen already.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    detector.to(device, memory_format=torch.channels_last).train()
    groups = [
        {"params": list(part.parameters()), "lr": rate, "peak": rate}
        for part, rate in (
            (detector.trunk.fine, TRUNK_RATE),
            (detector.trunk.coarse, TRUNK_RATE),
            (detector.head, HEAD_RATE),
        )
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=DECAY)
    moving = {name: value.clone() for name, value in detector.state_dict().items()}
    workers = max(0, (os.cpu_count() or 1) - 1) if device.type == "cuda" else 0
    batches = DataLoader(
        Batches(composer, batch_size, before), batch_size=None, num_workers=workers
    )
    steps, started, losses = max(1, n_scenes // batch_size), time.monotonic(), []
    for step, batch in enumerate(islice(batches, steps)):
        for group in optimizer.param_groups:
            group["lr"] = rate * group["peak"] * rate_at(step, steps)
        image = batch.pixels.to(device).permute(0, 3, 1, 2).float().div_(127.5).sub_(1)
        wanted = (values.to(device) for values in (batch.score, batch.distance, batch.weight))
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            logits, log_distance = detector(image)
        score_loss, box_loss = loss(logits.float(), log_distance.float(), *wanted)
        optimizer.zero_grad(set_to_none=True)
        (score_loss + BOX_WEIGHT * box_loss).backward()
        torch.nn.utils.clip_grad_norm_(detector.parameters(), 5.0)
        optimizer.step()
        with torch.no_grad():
            decay = min(AVERAGE_DECAY, (step + 1) / (step + 10))
            for name, value in detector.state_dict().items():
                if value.is_floating_point():
                    moving[name].lerp_(value, 1 - decay)
        losses.append(torch.stack([score_loss.detach(), box_loss.detach()]))
        if (step + 1) % 200 == 0 or step + 1 == steps:
            means = ", ".join(f"{value:.3f}" for value in torch.stack(losses).mean(0).tolist())
            print(f"step {step + 1}: {means}, {time.monotonic() - started:.0f} s", flush=True)
            losses.clear()
    detector.load_state_dict(moving)
    detector.cpu().eval()


def rate_at(step: int, steps: int) -> float:
    """Factor of the learning rates, 0..=1: a linear rise, then half a cosine."""
    rise = min(WARMUP, steps // 10)
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, steps - rise)))


def written(detector: Detector, composer: Composer, out: Path) -> onnx.ModelProto:
    """The detector as one graph, its trunk in int8."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "trunk.onnx"
    write_trunk(detector.trunk, [scene.pixels for scene in drawn(composer, INT8_SCENES)], path)
    graph = export(onnx.load(path), detector.head)
    path.unlink()
    return graph


def session_of(graph: onnx.ModelProto) -> ort.InferenceSession:
    """The graph on the processor."""
    return ort.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])


def choose(session: ort.InferenceSession, scenes: list[Scene]) -> tuple[Choice, dict[float, Count]]:
    """The least score with the fewest mistakes, false boxes weighing more than missed parts."""
    outputs = [
        session.run(["score", "sides"], {"image": to_tensor(s.pixels[None])}) for s in scenes
    ]
    counts = {}
    for least in LEAST_SCORES:
        each = [
            count(found(output, Choice(least)).boxes, shares(scene))
            for output, scene in zip(outputs, scenes, strict=True)
        ]
        columns = ("parts", "found", "false")
        counts[least] = Count(*(sum(getattr(one, name) for one in each) for name in columns))
        print(least, counts[least])

    def mistakes(least: float) -> float:
        of = counts[least]
        return of.parts - of.found + FALSE_WEIGHT * of.false

    return Choice(min(counts, key=mistakes)), counts


def found(output: list[np.ndarray], choice: Choice) -> Parts:
    """What the detector finds on one picture, by its `score` and `sides`."""
    score, sides = output
    return parts_of(score[0, 0], sides[0], STRIDE, choice)


def shares(scene: Scene) -> np.ndarray:
    """The boxes of a scene as shares of its sides."""
    height, width = scene.pixels.shape[:2]
    return scene.boxes / np.array([width, height] * 2)


def write(
    out: Path,
    graph: onnx.ModelProto,
    model: Path,
    scenes: int,
    choice: Choice,
    counts: dict[float, Count],
) -> None:
    """The graph and its manifest."""
    out.mkdir(parents=True, exist_ok=True)
    content = graph.SerializeToString()
    (out / "detector.onnx").write_bytes(content)
    trunk = hashlib.sha256((model / "model.onnx").read_bytes()).hexdigest()
    measured = counts[choice.least_score]
    (out / "detector.toml").write_text(
        f"""\
# Made by training/src/partsight_training/train_detector.py.
name = "partsight-detector"
version = "{VERSION}"
description = "Finds car parts of any type on a photograph that shows several."
licence = "MIT OR Apache-2.0"
source = "The network of `{model.name}` (SHA-256 {trunk}) without its last layer, and a head, trained on {scenes:,} pictures composed of photographs of one part."
created_on = {datetime.date.today()}

[file]
path = "detector.onnx"
sha256 = "{hashlib.sha256(content).hexdigest()}"
size_bytes = {len(content)}
opset = {OPSET}

[input]
name = "image"
longer_side = {LONGER_SIDE}
side_multiple = 32
mean = {list(MEAN)}
std = {list(STD)}

[output]
score = "score"
sides = "sides"
stride = {STRIDE}

[choice]
least_score = {choice.least_score}
most_overlap = {choice.most_overlap}
most_containment = {choice.most_containment}

# On composed pictures of photographs that were kept back, which the least score was chosen on.
[measured]
pictures = {HELD_OUT_SCENES}
{"".join(f"{name} = {value}{chr(10)}" for name, value in asdict(measured).items())}""",
        encoding="utf-8",
    )
    print(json.dumps(asdict(measured)))


def write_golden(folder: Path, graph: onnx.ModelProto, choice: Choice) -> None:
    """A picture of three drawn parts on a table, and what is found on it, for serving to repeat."""
    folder.mkdir(exist_ok=True)
    picture = Image.new("RGB", (600, 240), (120, 124, 130))
    for left, name in ((20, "brake-rotor"), (220, "rim"), (420, "coil-spring")):
        picture.paste(draw(name).resize((160, 160), Image.Resampling.BILINEAR), (left, 40))
    picture.save(folder / "table.png", optimize=True)
    image = to_tensor(fitted(picture, LONGER_SIDE)[None])
    parts = found(session_of(graph).run(["score", "sides"], {"image": image}), choice)
    expected = [
        {
            "area": [round(float(value), 5) for value in (*box[:2], *(box[2:] - box[:2]))],
            "score": round(float(its_score), 5),
        }
        for box, its_score in zip(parts.boxes, parts.scores, strict=True)
    ]
    (folder / "table.json").write_text(json.dumps(expected, indent=2) + "\n", encoding="utf-8")
    print(f"golden: {len(expected)} parts")


if __name__ == "__main__":
    main()
