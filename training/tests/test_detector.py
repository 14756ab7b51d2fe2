"""The part detector on made-up maps; skipped where PyTorch is not installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is installed by `make train` only")

from partsight_training import train_detector  # noqa: E402
from partsight_training.detected import Choice, count  # noqa: E402
from partsight_training.detector import (  # noqa: E402
    STRIDE,
    Detector,
    export,
    target,
    write_trunk,
)
from partsight_training.network import Network  # noqa: E402
from partsight_training.scenes import Scene  # noqa: E402


class Squares:
    """Composes pictures of one or two squares."""

    def seed(self, seed: tuple[int, ...]) -> None:
        self.random = np.random.default_rng(seed)

    def scene(self, size: tuple[int, int]) -> Scene:
        assert size == (128, 96)
        return scene(self.random)


def scene(random: np.random.Generator) -> Scene:
    """One or two bright squares on a dark ground of 128 x 96 px, each in a half of its own."""
    pixels = random.integers(0, 40, (96, 128, 3)).astype(np.uint8)
    boxes = []
    for half in range(int(random.integers(1, 3))):
        side = int(random.integers(32, 56))
        left = half * 64 + int(random.integers(0, 64 - side))
        top = int(random.integers(0, 96 - side))
        pixels[top : top + side, left : left + side] = random.integers(180, 255, 3)
        boxes.append([left, top, left + side, top + side])
    return Scene(pixels, np.array(boxes, np.float32), True)


def test_only_what_follows_the_first_blocks_learns() -> None:
    detector = Detector(Network(8, 2)).train()
    assert not any(weight.requires_grad for weight in detector.trunk.first.parameters())
    assert all(weight.requires_grad for weight in detector.trunk.coarse.parameters())
    norms = [m for m in detector.trunk.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    assert norms and not any(norm.training for norm in norms)
    assert detector.head.fine_norm.training


def test_a_target_gives_the_boxes_back() -> None:
    boxes = np.array([[0, 0, 128, 96], [32, 16, 80, 64]], np.float32)
    wanted = target(boxes, 6, 8)
    for left, top, right, bottom in boxes:
        y, x = int((top + bottom) / 2 / STRIDE), int((left + right) / 2 / STRIDE)
        assert wanted.score[y, x] == 1
    # The smaller box lies on the middle of the larger one and counts there.
    y, x = 2, 3
    middle = (np.array([x, y, x, y]) + 0.5) * STRIDE
    reach = wanted.distance[:, y, x] * STRIDE * np.array([-1, -1, 1, 1])
    assert middle + reach == pytest.approx(boxes[1])
    assert wanted.weight[y, x] > 0 and wanted.weight[0, 0] == 0
    assert target(np.zeros((0, 4), np.float32), 6, 8).score.max() == 0


def test_it_learns_to_find_squares_and_the_graph_says_nearly_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train_detector, "SIZES", ((128, 96),))
    monkeypatch.setattr(train_detector, "AVERAGE_DECAY", 0.9)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    detector = Detector(Network(8, 2))
    train_detector.fit(detector, Squares(), 8 * 300, batch_size=8, rate=4.0)
    random = np.random.default_rng(2)
    fresh = [scene(random) for _ in range(30)]
    trunk = tmp_path / "trunk.onnx"
    write_trunk(detector.trunk, [one.pixels for one in fresh], trunk)
    session = ort.InferenceSession(export(onnx.load(trunk), detector.head).SerializeToString())
    counts = []
    for one in fresh:
        image = train_detector.to_tensor(one.pixels[None])
        output = session.run(["score", "sides"], {"image": image})
        assert output[0].shape == (1, 1, 6, 8) and output[1].shape == (1, 4, 6, 8)
        with torch.no_grad():
            logits, _ = detector(torch.from_numpy(image))
        assert output[0][:, 0] == pytest.approx(torch.sigmoid(logits).numpy(), abs=0.25)
        found = train_detector.found(output, Choice(0.3))
        counts.append(count(found.boxes, train_detector.shares(one)))
    parts, found_parts, false = (
        sum(getattr(c, n) for c in counts) for n in ("parts", "found", "false")
    )
    assert found_parts > 0.7 * parts and false < 0.3 * parts, (parts, found_parts, false)


def test_a_run_that_goes_on_sees_other_scenes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_detector, "SIZES", ((128, 96),))
    first, again, further = (
        next(iter(train_detector.Batches(Squares(), 1, before))).pixels for before in (0, 0, 48_000)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, further)


class Everywhere:
    """A detector that sees a part in every cell, equally surely."""

    def run(self, _names: list[str], _inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        return [np.full((1, 1, 6, 8), 0.32, np.float32), np.full((1, 4, 6, 8), 16, np.float32)]


def test_the_least_score_is_the_one_with_the_fewest_mistakes() -> None:
    nothing = Scene(np.zeros((96, 128, 3), np.uint8), np.zeros((0, 4), np.float32), True)
    choice, counts = train_detector.choose(Everywhere(), [nothing])
    assert counts[0.3].false > 0 and counts[0.35].false == 0
    assert choice.least_score == 0.35
