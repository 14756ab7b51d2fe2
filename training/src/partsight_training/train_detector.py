"""Train the part detector on pictures that are composed of photographs of one part.

    OMP_NUM_THREADS=1 PYTHONPATH=src python -m partsight_training.train_detector --photos FOLDER

Needs PyTorch (`make train` installs it), 3 GB of memory and five minutes of one core. Reads the
folders train, field-train, kinds and negatives; every other photograph of negatives is left to
`benches/examples/several_parts.rs`. Writes `models/detector`.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from PIL import Image

from partsight_training.config import REPOSITORY
from partsight_training.data import read_split
from partsight_training.detected import Choice, Count, Parts, count, fitted, parts_of
from partsight_training.detector import STRIDE, Head, cut_trunk, export, loss, target
from partsight_training.drawings import draw
from partsight_training.export import OPSET
from partsight_training.scenes import Composer, Scene, read_part
from partsight_training.transforms import MEAN, STD, to_tensor

VERSION = "1.0.0"
LONGER_SIDE = (
    640  # px: a part of an eighth of the picture is 80 px wide, which the network knows parts at
)
SIZES = (*[(640, 480)] * 3, (480, 640), (640, 640), (640, 320))  # (width, height), in turn
SCENES, HELD_OUT_SCENES = 800, 200
EVERY_TRAIN = 5  # of the folder train every fifth photograph: many show nearly the same
HELD_OUT_PARTS, HELD_OUT_GROUNDS = 12, 4  # one in so many is only on held-out scenes
EPOCHS, BATCH, RATE, DECAY = 9, 8, 4e-3, 1e-2
BOX_WEIGHT = 2.0  # of the boxes' loss
INEXACT_WEIGHT = 0.3  # of the box of a photograph whose part could not be cut out
SEED = 20261125
FALSE_WEIGHT = 2.0  # of a box that shows no part, against a part that is missed
LEAST_SCORES = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)  # the least score is one of them


class Trunk:
    """The frozen network, on one thread."""

    def __init__(self, graph: onnx.ModelProto) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(
            graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    def maps(self, pixels: np.ndarray) -> list[np.ndarray]:
        """Of a picture u8 `[h, w, 3]`: f16 `[c, h / 16, w / 16]` and `[c, h / 32, w / 32]`."""
        found = self.session.run(None, {"image": to_tensor(pixels[None])})
        return [values[0].astype(np.float16) for values in found]


def main() -> None:
    """Compose, train, choose the least score, write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--photos", type=Path, default=os.environ.get("PARTSIGHT_PHOTOS"))
    arguments.add_argument("--model", type=Path, default=REPOSITORY / "models/partsight-50")
    arguments.add_argument("--out", type=Path, default=REPOSITORY / "models/detector")
    arguments.add_argument("--scenes", type=int, default=SCENES, help="that are learnt from")
    given = arguments.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    graph = cut_trunk(given.model / "model.onnx")
    learning, held_out = composers(given.photos)
    trunk = Trunk(graph)
    scenes = [prepared(trunk, scene) for scene in drawn(held_out, HELD_OUT_SCENES)]
    head = fit([prepared(trunk, scene) for scene in drawn(learning, given.scenes)])
    choice, counts = choose(head, scenes)
    detector = export(graph, head)
    write(given.out, detector, given.model, given.scenes, choice, counts)
    write_golden(given.out / "golden", detector, choice)


def composers(photos: Path) -> tuple[Composer, Composer]:
    """Of the scenes that are learnt from, and of others with other photographs."""
    paths = [(path, True) for path in read_split(photos, "train").paths[::EVERY_TRAIN]]
    paths += [
        (path, False)
        for name in ("field-train", "kinds")
        for path in read_split(photos, name).paths
    ]
    parts = [read_part(path, is_squashed) for path, is_squashed in paths]
    grounds = [read_ground(path) for path in read_split(photos, "negatives").paths[::2]]
    is_held_out = [index % HELD_OUT_PARTS == 0 for index in range(len(parts))]
    is_their_ground = [index % HELD_OUT_GROUNDS == 0 for index in range(len(grounds))]

    def composer(wanted: bool, seed: int) -> Composer:
        return Composer(
            [part for part, held in zip(parts, is_held_out, strict=True) if held == wanted],
            [
                ground
                for ground, held in zip(grounds, is_their_ground, strict=True)
                if held == wanted
            ],
            seed,
        )

    return composer(False, SEED), composer(True, SEED + 1)


def read_ground(path: Path) -> np.ndarray:
    """A photograph without a part, u8 `[h, w, 3]`."""
    image = Image.open(path).convert("RGB")
    image.thumbnail((LONGER_SIDE, LONGER_SIDE), Image.Resampling.BILINEAR)
    return np.asarray(image)


def drawn(composer: Composer, n_scenes: int) -> Iterator[Scene]:
    """So many scenes, in all sizes."""
    started = time.process_time()
    for index in range(n_scenes):
        yield composer.scene(SIZES[index % len(SIZES)])
        if (index + 1) % 200 == 0:
            print(f"{index + 1} scenes, {time.process_time() - started:.0f} s", flush=True)


def prepared(trunk: Trunk, scene: Scene) -> tuple[list[np.ndarray], Scene]:
    """The network's maps of a scene; its pixels are needed no more."""
    maps = trunk.maps(scene.pixels)
    return maps, Scene(np.zeros((0, 0, 3), np.uint8), scene.boxes, scene.is_exact)


def fit(scenes: list[tuple[list[np.ndarray], Scene]]) -> Head:
    """The head, trained."""
    fine, coarse = (maps.shape[0] for maps in scenes[0][0])
    # Convolutions of single channels take half as long so.
    head = Head(fine, coarse).to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(head.parameters(), RATE / 2, weight_decay=DECAY)
    by_size: dict[tuple[int, ...], list[int]] = {}
    targets = []
    for index, (maps, scene) in enumerate(scenes):
        by_size.setdefault(maps[0].shape, []).append(index)
        targets.append(target(scene.boxes, *maps[0].shape[1:]))
    n_batches = sum(max(1, len(own) // BATCH) for own in by_size.values())
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, RATE, total_steps=EPOCHS * n_batches, pct_start=0.1
    )
    random = np.random.default_rng(SEED)
    started = time.process_time()
    for epoch in range(EPOCHS):
        batches = [
            batch
            for own in by_size.values()
            for batch in np.array_split(random.permutation(own), max(1, len(own) // BATCH))
        ]
        losses = []
        for at in random.permutation(len(batches)):
            batch = batches[at]
            maps = [stacked([scenes[index][0][which] for index in batch]) for which in (0, 1)]
            exact = [1.0 if scenes[index][1].is_exact else INEXACT_WEIGHT for index in batch]
            score, distance, weight = (
                stacked([getattr(targets[index], name) for index in batch])
                for name in ("score", "distance", "weight")
            )
            weight = weight * torch.tensor(exact)[:, None, None]
            if random.random() < 0.5:
                # The maps of a mirrored picture are nearly the mirrored maps, and twice as many pictures are not cheap.
                maps = [values.flip(-1) for values in maps]
                score, weight = score.flip(-1), weight.flip(-1)
                distance = distance.flip(-1)[:, [2, 1, 0, 3]]
            score_loss, box_loss = loss(*head(*maps), score, distance, weight)
            optimizer.zero_grad()
            (score_loss + BOX_WEIGHT * box_loss).backward()
            optimizer.step()
            schedule.step()
            losses.append((score_loss.item(), box_loss.item()))
        means = ", ".join(f"{value:.3f}" for value in np.mean(losses, axis=0))
        print(f"epoch {epoch + 1}: {means}, {time.process_time() - started:.0f} s", flush=True)
    return head.eval()


def stacked(arrays: list[np.ndarray]) -> torch.Tensor:
    """Arrays of one shape as f32 `[n, ...]`."""
    stack = torch.from_numpy(np.stack(arrays)).float()
    return stack.contiguous(memory_format=torch.channels_last) if stack.dim() == 4 else stack


def choose(
    head: Head, scenes: list[tuple[list[np.ndarray], Scene]]
) -> tuple[Choice, dict[float, Count]]:
    """The least score with the fewest mistakes, false boxes weighing more than missed parts."""
    counts = {}
    for least in LEAST_SCORES:
        each = [
            count(found(head, maps, Choice(least)).boxes, shares(scene, maps[0].shape))
            for maps, scene in scenes
        ]
        columns = ("parts", "found", "false")
        counts[least] = Count(*(sum(getattr(one, name) for one in each) for name in columns))
        print(least, counts[least])

    def mistakes(least: float) -> float:
        of = counts[least]
        return of.parts - of.found + FALSE_WEIGHT * of.false

    return Choice(min(counts, key=mistakes)), counts


def found(head: Head, maps: list[np.ndarray], choice: Choice) -> Parts:
    """What the head finds on one picture."""
    with torch.no_grad():
        logits, log_distance = head(*(torch.from_numpy(values[None]).float() for values in maps))
    score, sides = torch.sigmoid(logits)[0].numpy(), log_distance.exp()[0].numpy() * STRIDE
    return parts_of(score, sides, STRIDE, choice)


def shares(scene: Scene, shape: tuple[int, ...]) -> np.ndarray:
    """The boxes of a scene as shares of its sides, by the shape `[c, h, w]` of its finer map."""
    return scene.boxes / (np.array([shape[2], shape[1]] * 2) * STRIDE)


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
source = "A head on the frozen network of `{model.name}` (SHA-256 {trunk}), trained on {scenes:,} pictures composed of photographs of one part."
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
    session = ort.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    image = to_tensor(fitted(picture, LONGER_SIDE)[None])
    score, sides = session.run(["score", "sides"], {"image": image})
    parts = parts_of(score[0, 0], sides[0], STRIDE, choice)
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
