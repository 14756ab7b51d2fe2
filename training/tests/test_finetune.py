"""The PyTorch half on a tiny data set; skipped where PyTorch is not installed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is installed by `make train` only")

from conftest import Workspace  # noqa: E402
from partsight_training.augment import Augmenter  # noqa: E402
from partsight_training.config import (  # noqa: E402
    AugmentConfig,
    MemberConfig,
    NetworkConfig,
    ResizeConfig,
)
from partsight_training.cutout import cut_out  # noqa: E402
from partsight_training.model import Backbone  # noqa: E402
from partsight_training.network import (  # noqa: E402
    Network,
    average,
    convolutions,
    fold,
    load_folded,
    restore_batch_norm,
)
from partsight_training.train import train  # noqa: E402

SIDE = 32  # px: the smallest that five halvings leave a pixel of


def random_network() -> Network:
    """Weights drawn at random, with batch norm that does something."""
    torch.manual_seed(1)
    network = Network(8, 3)
    for layer in convolutions(network):
        layer.norm.running_mean.normal_(0, 0.1)
        layer.norm.running_var.uniform_(0.5, 1.5)
        layer.norm.bias.data.normal_(0.1, 0.2)
    return network.eval()


def write_starting_weights(path: Path) -> str:
    """A folded MobileNetV2 of random weights as ONNX; returns the file's SHA-256."""
    model = torch.nn.Sequential(
        fold(random_network().blocks), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
    ).eval()
    torch.onnx.export(
        model,
        (torch.zeros(1, 3, SIDE, SIDE),),
        str(path),
        dynamo=False,
        opset_version=17,
        input_names=["image"],
        output_names=["embedding"],
        dynamic_axes={"image": {0: "n"}, "embedding": {0: "n"}},
    )
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def starting_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "random.onnx"
    write_starting_weights(path)
    return path


def images(count: int) -> torch.Tensor:
    return torch.randn(count, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(2))


def test_folding_keeps_the_function() -> None:
    network = random_network()
    with torch.no_grad():
        folded = fold(network.blocks)(images(3)).mean((2, 3))
        assert torch.allclose(folded, network.features(images(3)), atol=1e-4)
    assert not any(isinstance(m, torch.nn.BatchNorm2d) for m in fold(network.blocks).modules())


def test_batch_norm_put_back_keeps_the_function_and_normalises(starting_weights: Path) -> None:
    network = Network(8, 3)
    load_folded(network, starting_weights)
    expected = Backbone(starting_weights).features(images(4).numpy())
    with torch.no_grad():
        before = network.eval().features(images(4)).numpy()
        restore_batch_norm(network, [images(16)])
        after = network.eval().features(images(4)).numpy()
    np.testing.assert_allclose(before, expected, atol=1e-4)
    np.testing.assert_allclose(after, expected, atol=1e-3)
    first = convolutions(network)[0]
    with torch.no_grad():
        seen = first.conv(images(16))
    assert torch.allclose(first.norm.running_mean, seen.mean((0, 2, 3)), atol=1e-5)
    assert torch.allclose(
        first.norm.running_var, seen.var((0, 2, 3), unbiased=False), rtol=1e-3, atol=1e-5
    )


def test_the_average_of_weights_is_weighted() -> None:
    one, two = {"a": torch.zeros(2)}, {"a": torch.ones(2) * 4}
    assert average([one, two], [3.0, 1.0])["a"].tolist() == [1.0, 1.0]


def test_a_part_on_white_is_cut_out_and_a_busy_picture_is_not() -> None:
    picture = np.full((40, 40, 3), 250, np.uint8)
    picture[10:30, 12:28] = (40, 50, 60)
    opacity = cut_out(picture)
    assert opacity is not None
    assert opacity[20, 20] == 255
    assert opacity[3, 3] == 0
    noise = np.random.default_rng(0).integers(0, 256, (40, 40, 3), dtype=np.uint8)
    assert cut_out(noise) is None


def test_views_have_the_asked_size_and_repeat_with_the_seed() -> None:
    pixels = torch.randint(0, 256, (5, 3, 40, 40), dtype=torch.uint8)
    opacity = torch.full((5, 1, 40, 40), 255, dtype=torch.uint8)
    opacity[:, :, :20] = 0
    views = [
        Augmenter(AugmentConfig(), pixels, seed).parts(pixels, opacity, 24) for seed in (4, 4, 5)
    ]
    assert views[0].shape == (5, 3, 24, 24)
    assert torch.equal(views[0], views[1])
    assert not torch.equal(views[0], views[2])
    assert views[0].isfinite().all()


def test_fine_tuning_tells_colours_apart_and_resumes(workspace: Workspace, tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.mkdir()
    # The classes are colours, which the usual alterations take away.
    plain = AugmentConfig(
        paste=0, several=0, colour=0, grey=0, shadow=0, hide=0, blur=0, noise=0, jpeg=0
    )
    short = {"batch": 12, "warmup": 2, "average_decay": 0.8, "learning_rate": 2e-3}
    config = replace(
        workspace.config,
        starting_weights="random.onnx",
        starting_weights_sha256=write_starting_weights(weights / "random.onnx"),
        resize=ResizeConfig("squash", "bilinear", SIDE, SIDE),
        network=NetworkConfig(dimension=8, start_weight=0.1),
        members=(
            MemberConfig("one", epochs=6, size=SIDE, augment=plain, **short),
            MemberConfig("two", epochs=2, size=SIDE, augment=plain, frozen_blocks=0, **short),
        ),
    )
    out = tmp_path / "model"
    record = train(config, workspace.photos, weights, tmp_path / "cache", out)
    curve = record["backbone"]["members"][0]["curve"]
    assert curve[-1]["accuracy"] > 0.5, "three colours: a third is chance"
    assert curve[-1]["epoch"] == 6.0
    assert (out / "model.onnx").stat().st_size > 1_000_000
    done = next((tmp_path / "cache" / "backbones").glob("*/one/done.json"))
    before = done.stat().st_mtime_ns
    again = train(config, workspace.photos, weights, tmp_path / "cache", tmp_path / "again")
    assert done.stat().st_mtime_ns == before, "a finished member is trained once"
    assert json.dumps(again["model"]) == json.dumps(record["model"])
