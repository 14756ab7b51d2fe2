"""The PyTorch half on a tiny data set; skipped where PyTorch is not installed."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from PIL import Image

torch = pytest.importorskip("torch", reason="PyTorch is installed by `make train` only")

from conftest import Workspace  # noqa: E402
from partsight_training import finetune  # noqa: E402
from partsight_training.augment import Augmenter  # noqa: E402
from partsight_training.config import (  # noqa: E402
    AugmentConfig,
    MemberConfig,
    NetworkConfig,
    ResizeConfig,
)
from partsight_training.cutout import cut_out  # noqa: E402
from partsight_training.drawings import draw  # noqa: E402
from partsight_training.finetune import TrainingSet  # noqa: E402
from partsight_training.jpeg import compressed  # noqa: E402
from partsight_training.model import Backbone, embed  # noqa: E402
from partsight_training.network import (  # noqa: E402
    Convolution,
    Network,
    average,
    convolutions,
    fold,
    load_pretrained,
    write_onnx,
)
from partsight_training.quantise import quantise  # noqa: E402
from partsight_training.train import train  # noqa: E402
from partsight_training.transforms import to_tensor  # noqa: E402

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
    """Random weights, in the order that the starting weights have; returns the file's SHA-256."""
    state = {}
    for index, layer in enumerate(convolutions(random_network())):
        state[f"{index}.weight"] = layer.conv.weight.data
        state |= {f"{index}.norm.{name}": value for name, value in layer.norm.state_dict().items()}
    torch.save({**state, "_fc.weight": torch.zeros(1000, 1280)}, path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def images(count: int) -> torch.Tensor:
    return torch.randn(count, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(2))


def test_folding_keeps_the_function() -> None:
    network = random_network()
    with torch.no_grad():
        folded = fold(network.blocks)(images(3)).mean((2, 3))
        assert torch.allclose(folded, network.features(images(3)), atol=1e-4)
    assert not any(isinstance(m, torch.nn.BatchNorm2d) for m in fold(network.blocks).modules())


def test_starting_weights_keep_their_function_and_others_are_refused(tmp_path: Path) -> None:
    write_starting_weights(tmp_path / "random.pth")
    network = Network(8, 3)
    load_pretrained(network, tmp_path / "random.pth")
    with torch.no_grad():
        expected = random_network().features(images(2))
        assert torch.equal(network.eval().features(images(2)), expected)
    torch.save({"weight": torch.zeros(3)}, tmp_path / "other.pth")
    with pytest.raises(ValueError, match="does not hold the weights"):
        load_pretrained(network, tmp_path / "other.pth")


@pytest.mark.parametrize(("kernel", "sides"), [(3, (0, 1)), (5, (1, 2))])
def test_a_stride_pads_more_after_than_before(kernel: int, sides: tuple[int, int]) -> None:
    layer = Convolution(4, 4, kernel, stride=2, groups=4, act=False)
    picture = torch.randn(2, 4, 12, 12)
    padded = torch.nn.functional.pad(picture, (*sides, *sides))
    expected = torch.nn.functional.conv2d(padded, layer.conv.weight, stride=2, groups=4)
    for training in (True, False):
        layer.train(training)
        assert torch.allclose(layer._filtered(picture), expected, atol=1e-6)


def test_int8_answers_as_f32_does(tmp_path: Path) -> None:
    network, pixels = (
        random_network(),
        np.random.default_rng(0).integers(0, 256, (8, SIDE, SIDE, 3)),
    )
    pooled = [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()]
    full, small = tmp_path / "f32.onnx", tmp_path / "int8.onnx"
    write_onnx(torch.nn.Sequential(fold(network.blocks), *pooled), (SIDE, SIDE), full)
    quantise(full, small, pixels.astype(np.uint8))
    tensor = to_tensor(pixels.astype(np.uint8))
    one, other = embed(Backbone(full).features(tensor)), embed(Backbone(small).features(tensor))
    assert ((one * other).sum(axis=1) > 0.99).all()
    assert small.stat().st_size < full.stat().st_size / 3
    weights = [
        w for w in onnx.load(small).graph.initializer if w.data_type == onnx.TensorProto.INT8
    ]
    assert max(np.abs(numpy_helper.to_array(weight)).max() for weight in weights) <= 64
    assert not any(node.op_type == "Pad" for node in onnx.load(small).graph.node)


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


def test_a_picture_reads_as_from_a_jpeg() -> None:
    picture = draw("coil-spring").convert("RGB").resize((88, 56))
    pixels = np.array(picture)
    for quality in (15, 60, 90):
        file = io.BytesIO()
        picture.save(file, "JPEG", quality=quality)
        read = np.array(Image.open(file), dtype=np.float32)
        rgb = torch.from_numpy(pixels).permute(2, 0, 1)[None] / 255
        ours = compressed(rgb, torch.tensor([float(quality)]))[0].permute(1, 2, 0).numpy() * 255
        assert ours.shape == read.shape
        lost = np.abs(read - pixels).mean()
        assert np.abs(ours - read).mean() < lost / 3, "much nearer to the file than the picture is"


def test_catalogue_pictures_are_not_told_from_types_without_any() -> None:
    data = replace(
        tiny_training_set(), classes=torch.tensor([0, 1, 2, 2]), is_scarce=torch.arange(4) > 1
    )
    rows = finetune._told_apart(data, 3)
    assert rows.tolist() == [[True, True, False], [True, True, True]]
    logits = torch.tensor([[2.0, 1.0, 50.0]], requires_grad=True)
    possible = rows[:1]
    target = finetune._smoothed(torch.tensor([0]), possible, 0.1)
    torch.testing.assert_close(target, torch.tensor([[0.95, 0.05, 0.0]]))
    loss = finetune._cross_entropy(logits, target, possible)
    plain = torch.nn.functional.cross_entropy(logits[:, :2], torch.tensor([0]), label_smoothing=0.1)
    torch.testing.assert_close(loss, plain)
    loss.backward()
    assert logits.grad is not None
    assert logits.grad[0, 2] == 0


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
        starting_weights="random.pth",
        starting_weights_sha256=write_starting_weights(weights / "random.pth"),
        resize=ResizeConfig("squash", "bilinear", SIDE, SIDE),
        network=NetworkConfig(dimension=8, start_weight=0.1, int8_photographs=8),
        members=(
            MemberConfig("one", epochs=6, size=SIDE, augment=plain, **short),
            MemberConfig(
                "two", epochs=1, cycles=2, size=SIDE, augment=plain, frozen_blocks=0, **short
            ),
            MemberConfig("start", epochs=0, size=SIDE, weight=0.1),
        ),
    )
    out = tmp_path / "model"
    record = train(config, workspace.photos, weights, tmp_path / "cache", out)
    curve = record["backbone"]["members"][0]["curve"]
    assert curve[-1]["accuracy"] > 0.5, "three colours: a third is chance"
    assert curve[-1]["epoch"] > 5.8, "what does not fill a batch is left out"
    assert (out / "model.onnx").stat().st_size > 1_000_000
    folder = next((tmp_path / "cache" / "backbones").iterdir())
    start, same = (torch.load(folder / name) for name in ("start.pt", "start/member.pt"))
    assert all(torch.equal(start[name], same[name]) for name in start), "of no epochs"
    assert (folder / "two" / "cycle-1" / "member.pt").exists(), "what the second cycle began with"
    done = next((tmp_path / "cache" / "backbones").glob("*/one/done.json"))
    before = done.stat().st_mtime_ns
    again = train(config, workspace.photos, weights, tmp_path / "cache", tmp_path / "again")
    assert done.stat().st_mtime_ns == before, "a finished member is trained once"
    assert json.dumps(again["model"]) == json.dumps(record["model"])


def tiny_training_set() -> TrainingSet:
    pixels = torch.randint(
        0, 256, (40, 3, SIDE, SIDE), dtype=torch.uint8, generator=torch.Generator().manual_seed(3)
    )
    return TrainingSet(
        pixels=pixels,
        opacity=torch.full((40, 1, SIDE, SIDE), 255, dtype=torch.uint8),
        classes=torch.arange(40) % 3,
        others=pixels[:5],
        is_scarce=torch.zeros(40, dtype=torch.bool),
    )


@pytest.mark.parametrize("saves", [1, 2, 4])
def test_an_interrupted_run_comes_to_the_same_weights(
    saves: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, data = random_network(), tiny_training_set()
    member = MemberConfig("one", epochs=3, size=SIDE, batch=12, warmup=2, average_decay=0.8)
    whole = finetune.finetune(start, data, member, 7, tmp_path / "whole")
    monkeypatch.setattr(finetune, "PROGRESS_STEPS", 2)
    save, left = finetune._save, [saves]

    def save_and_stop(state: dict[str, object], path: Path) -> None:
        save(state, path)
        left[0] -= path.name == "progress.pt"
        if not left[0]:
            raise KeyboardInterrupt

    monkeypatch.setattr(finetune, "_save", save_and_stop)
    with pytest.raises(KeyboardInterrupt):
        finetune.finetune(start, data, member, 7, tmp_path / "parts")
    monkeypatch.setattr(finetune, "_save", save)
    resumed = finetune.finetune(start, data, member, 7, tmp_path / "parts")
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    assert not (tmp_path / "parts" / "progress.pt").exists()
