"""The part detector on made-up maps; skipped where PyTorch is not installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

torch = pytest.importorskip("torch", reason="PyTorch is installed by `make train` only")

from partsight_training import train_detector  # noqa: E402
from partsight_training.detected import Choice, count  # noqa: E402
from partsight_training.detector import STRIDE, Head, cut_trunk, export, target  # noqa: E402
from partsight_training.scenes import Scene  # noqa: E402

FINE, COARSE = 8, 6  # channels


def model(folder: Path) -> Path:
    """A graph with a map of 1/16 and one of 1/32 of the sides, and a vector behind them."""
    random = np.random.default_rng(0)
    weights = {
        "fine_weight": random.normal(size=(FINE, 3, 16, 16)).astype(np.float32) / 16,
        "coarse_weight": random.normal(size=(COARSE, FINE, 2, 2)).astype(np.float32),
        "unused": np.zeros((4, COARSE), np.float32),
    }
    nodes = [
        helper.make_node("Conv", ["image", "fine_weight"], ["fine"], strides=[16, 16]),
        helper.make_node("Conv", ["fine", "coarse_weight"], ["coarse"], strides=[2, 2]),
        helper.make_node("GlobalAveragePool", ["coarse"], ["pooled"]),
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, 64, 64])],
        [helper.make_tensor_value_info("pooled", TensorProto.FLOAT, ["n", COARSE, 1, 1])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


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


def test_the_trunk_is_cut_and_takes_any_size(tmp_path: Path) -> None:
    trunk = cut_trunk(model(tmp_path), ("fine", "coarse"))
    assert {tensor.name for tensor in trunk.graph.initializer} == {"fine_weight", "coarse_weight"}
    maps = train_detector.Trunk(trunk).maps(np.zeros((96, 128, 3), np.uint8))
    assert [values.shape for values in maps] == [(FINE, 6, 8), (COARSE, 3, 4)]


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


def test_it_learns_to_find_squares_and_the_graph_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train_detector, "EPOCHS", 25)
    monkeypatch.setattr(train_detector, "BATCH", 8)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    trunk = cut_trunk(model(tmp_path), ("fine", "coarse"))
    network = train_detector.Trunk(trunk)
    random = np.random.default_rng(1)
    learning = [train_detector.prepared(network, scene(random)) for _ in range(120)]
    head = train_detector.fit(learning)
    fresh = [scene(random) for _ in range(30)]
    counts = []
    session = ort.InferenceSession(export(trunk, head).SerializeToString())
    for one in fresh:
        maps, _ = train_detector.prepared(network, one)
        found = train_detector.found(head, maps, Choice(0.3))
        counts.append(count(found.boxes, one.boxes / np.array([128, 96, 128, 96])))
        score, sides = session.run(None, {"image": train_detector.to_tensor(one.pixels[None])})
        assert score.shape == (1, 1, 6, 8) and sides.shape == (1, 4, 6, 8)
        with torch.no_grad():
            logits, distance = head(*(torch.from_numpy(m[None]).float() for m in maps))
        # The maps are f16 here and f32 there.
        assert score[:, 0] == pytest.approx(torch.sigmoid(logits).numpy(), abs=0.02)
        assert sides == pytest.approx(distance.exp().numpy() * STRIDE, rel=0.05, abs=0.5)
    parts, found_parts, false = (
        sum(getattr(c, n) for c in counts) for n in ("parts", "found", "false")
    )
    assert found_parts > 0.7 * parts and false < 0.3 * parts, (parts, found_parts, false)


def test_the_least_score_is_the_one_with_the_fewest_mistakes() -> None:
    torch.manual_seed(0)
    head = Head(FINE, COARSE).eval()
    maps = [np.zeros((FINE, 6, 8), np.float16), np.zeros((COARSE, 3, 4), np.float16)]
    nothing = Scene(np.zeros((0, 0, 3), np.uint8), np.zeros((0, 4), np.float32), True)
    with torch.no_grad():
        head.out.bias[0] = float(np.log(0.32 / 0.68))  # every cell scores 0.32
    choice, counts = train_detector.choose(head, [(maps, nothing)])
    assert counts[0.3].false > 0 and counts[0.35].false == 0
    assert choice.least_score == 0.35
