"""Fine-tune one member: from the common start to weights that will be averaged with others."""

from __future__ import annotations

import io
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime as ort
import torch
from torch.nn import functional as F

from partsight_training.augment import Augmenter
from partsight_training.collection import draw_epoch
from partsight_training.config import MemberConfig
from partsight_training.network import Network, fold

PROGRESS_STEPS = 25  # about a minute and a half on one thread
IMPOSSIBLE = -1e4  # a logit that no type wins with, and that times zero is zero


@dataclass(frozen=True)
class TrainingSet:
    """Everything a member learns from, in memory."""

    pixels: torch.Tensor  # u8 [n, 3, h, w]
    opacity: torch.Tensor  # u8 [n, 1, h, w]: where the part is; 255 everywhere when unknown
    classes: torch.Tensor  # i64 [n]
    others: torch.Tensor  # u8 [m, 3, h, w]: photographs without a known part, also used as grounds
    is_scarce: torch.Tensor  # bool [n]: shown several times an epoch where its type has few

    def to(self, device: torch.device) -> TrainingSet:
        """The photographs on the device that trains; what is drawn from stays on the processor."""
        pictures = (part.to(device) for part in (self.pixels, self.opacity))
        return TrainingSet(*pictures, self.classes, self.others.to(device), self.is_scarce)


class Front:
    """The first blocks, frozen: what they detect, edges and textures, is the same for car parts.

    Their activations are the largest of the network, so that leaving them as they are spares
    more than half of the time. On a processor they run folded in ONNX Runtime.
    """

    def __init__(self, network: Network, blocks: int, device: torch.device, size: int) -> None:
        self.device = device
        self.layers = fold(network.blocks[:blocks]).to(device, memory_format=torch.channels_last)
        self.session: ort.InferenceSession | None = None
        if device.type == "cpu" and blocks:
            file = io.BytesIO()
            torch.onnx.export(
                self.layers,
                (torch.zeros(2, 3, size, size),),
                file,
                dynamo=False,
                opset_version=17,
                input_names=["image"],
                output_names=["front"],
                dynamic_axes={
                    "image": {0: "n", 2: "h", 3: "w"},
                    "front": {0: "n", 2: "h", 3: "w"},
                },
            )
            options = ort.SessionOptions()
            options.intra_op_num_threads = torch.get_num_threads()
            self.session = ort.InferenceSession(file.getvalue(), options)

    @torch.no_grad()
    def __call__(self, images: torch.Tensor) -> torch.Tensor:
        """Activations of images f32 `[n, 3, size, size]` after the frozen blocks."""
        if self.session is None:
            with torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda"):
                return self.layers(images)
        output = self.session.run(None, {"image": images.numpy()})[0]
        return torch.from_numpy(output).contiguous(memory_format=torch.channels_last)


def finetune(
    start: Network, data: TrainingSet, config: MemberConfig, seed: int, out: Path
) -> dict[str, torch.Tensor]:
    """Train a copy of `start`; gives the moving average of its weights and writes it to `out`.

    `out/member.pt` holds the weights after every epoch, `out/before-final-size.pt` those before the
    last ones at another size, `out/curve.json` a row of loss, accuracy on
    the altered training photographs, learning rate and seconds for each hundred steps.
    `out/progress.pt` holds all that an interrupted run goes on from, to the same weights as without
    the interruption.
    """
    out.mkdir(parents=True, exist_ok=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    # Half precision is a gain only where the processor has instructions for it.
    half = device.type == "cuda" or torch.cpu._is_amx_tile_supported()
    torch.manual_seed(seed)
    network = Network(start.projection.out_features, start.head.out_features)
    network.load_state_dict(start.state_dict())
    front = Front(network, config.frozen_blocks, device, config.size)
    network = network.to(device, memory_format=torch.channels_last)
    for parameter in network.blocks[: config.frozen_blocks].parameters():
        parameter.requires_grad_(False)
    data = data.to(device)
    augmenter = Augmenter(config.augment, data.others, seed)
    order = np.random.default_rng(seed)

    classes, is_scarce = data.classes.numpy(), data.is_scarce.numpy()
    told_apart = _told_apart(data, start.head.out_features)
    n = len(draw_epoch(classes, is_scarce, config, np.random.default_rng(seed)))
    per_batch = config.batch
    steps = config.epochs * (n // per_batch)
    n_others = round(per_batch * config.others_share)
    decay, plain = [], []
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            (plain if parameter.ndim == 1 else decay).append((name, parameter))

    def group(pairs: list, weight_decay: float, head: bool) -> dict[str, object]:
        chosen = [p for name, p in pairs if name.startswith(("head", "projection")) == head]
        rate = config.learning_rate * (config.head_factor if head else 1)
        return {"params": chosen, "weight_decay": weight_decay, "peak": rate, "lr": rate}

    groups = [
        group(pairs, weight_decay, head)
        for pairs, weight_decay in ((decay, config.weight_decay), (plain, 0.0))
        for head in (False, True)
    ]
    optimizer = torch.optim.AdamW([g for g in groups if g["params"]])
    moving = {name: value.detach().clone() for name, value in network.state_dict().items()}
    curve: list[dict[str, float]] = []
    started, seen, step = time.monotonic(), [0.0, 0.0, 0], 0
    first_epoch, first_view, shuffled = 0, 0, None
    progress = out / "progress.pt"
    if progress.exists():
        saved = torch.load(progress, weights_only=True)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        _follow(moving, saved["moving"], 0.0)
        curve, seen, step = saved["curve"], saved["seen"], saved["step"]
        first_epoch, first_view = saved["epoch"], saved["next_view"]
        shuffled = saved["shuffled"].numpy()
        order.bit_generator.state = saved["order"]
        augmenter.load_state(saved["augmenter"])
        torch.set_rng_state(saved["torch"])
        started -= saved["seconds"]
        print(f"-- {out.name} goes on after {step} of {steps} steps", flush=True)
    else:
        _write(moving, curve, out)  # of no epochs, a member is the start itself
    for epoch in range(first_epoch, config.epochs):
        if shuffled is None:
            shuffled = draw_epoch(classes, is_scarce, config, order)
        network.train()
        network.blocks[: config.frozen_blocks].eval()
        size = config.size
        if config.final_size and epoch >= config.epochs - config.final_epochs:
            size = config.final_size
            if epoch == config.epochs - config.final_epochs:
                _write(moving, curve, out, "before-final-size.pt")
        for first in range(first_view, n - per_batch + 1, per_batch):
            chosen = torch.from_numpy(shuffled[first : first + per_batch])
            on_device = chosen.to(device)
            images = augmenter.parts(data.pixels[on_device], data.opacity[on_device], size)
            if n_others:
                picked = torch.from_numpy(order.integers(len(data.others), size=n_others))
                others = data.others[picked.to(device)]
                images = torch.cat([images, augmenter.others(others, size)])
            wanted = data.classes[chosen].to(device)
            possible = told_apart[data.is_scarce[chosen].long()].to(device)  # [b, c]
            factor = _rate(step, steps, config.warmup)
            for entry in optimizer.param_groups:
                entry["lr"] = entry["peak"] * factor
            hidden = front(images.contiguous(memory_format=torch.channels_last))
            with torch.autocast(device.type, dtype=torch.bfloat16, enabled=half):
                features = network.features(hidden, config.frozen_blocks)
            embedding = F.normalize(network.projection(features.float()), dim=1)
            logits = network.head(embedding)
            loss = _cross_entropy(
                _with_margin(logits[:per_batch], wanted, config.margin),
                _smoothed(wanted, possible, config.label_smoothing),
                possible,
            )
            if n_others:
                # What is none of the types should look like all of them alike (outlier exposure:
                # Hendrycks et al., 2019).
                flat = -F.log_softmax(logits[per_batch:], dim=1).mean()
                loss = loss + config.others_weight * flat
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            step += 1
            _follow(moving, network.state_dict(), min(config.average_decay, step / (step + 10)))
            right = (logits[:per_batch].argmax(1) == wanted).float().mean()
            seen = [seen[0] + loss.detach(), seen[1] + right, seen[2] + 1]
            if step % 100 == 0 or step == steps:
                row = {
                    "epoch": round(epoch + (first + per_batch) / n, 2),
                    "loss": round(float(seen[0]) / seen[2], 4),
                    "accuracy": round(float(seen[1]) / seen[2], 4),
                    "rate": round(config.learning_rate * factor, 8),
                    "seconds": round(time.monotonic() - started),
                }
                curve.append(row)
                print(out.name, row, flush=True)
                seen = [0.0, 0.0, 0]
            if step % PROGRESS_STEPS == 0 and step < steps:
                _save(
                    {
                        "network": network.state_dict(),
                        "optimizer": optimizer.state_dict(),
                        "moving": moving,
                        "curve": curve,
                        "seen": [float(seen[0]), float(seen[1]), seen[2]],
                        "step": step,
                        "epoch": epoch,
                        "next_view": first + per_batch,
                        "shuffled": torch.from_numpy(shuffled),
                        "order": order.bit_generator.state,
                        "augmenter": augmenter.state(),
                        "torch": torch.get_rng_state(),
                        "seconds": time.monotonic() - started,
                    },
                    progress,
                )
        shuffled, first_view = None, 0
        _write(moving, curve, out)
    progress.unlink(missing_ok=True)
    return {name: value.cpu() for name, value in moving.items()}


def _told_apart(data: TrainingSet, types: int) -> torch.Tensor:
    """What a photograph is told apart from, bool `[2, types]`: a plentiful one, a scarce one.

    A plentiful photograph, a catalogue's, from those alone that have such photographs. Types that
    are shown by scarce photographs only, as users take them, would else be recognised by that.
    """
    rows = torch.ones(2, types, dtype=torch.bool)
    if not data.is_scarce.all():
        rows[0] = False
        rows[0, data.classes[~data.is_scarce]] = True
    return rows


def _smoothed(wanted: torch.Tensor, possible: torch.Tensor, smoothing: float) -> torch.Tensor:
    """Target probabilities f32 `[n, c]`: what is smoothed away is shared by the possible types."""
    flat = possible.float() / possible.sum(1, keepdim=True)
    return torch.lerp(F.one_hot(wanted, possible.shape[1]).float(), flat, smoothing)


def _cross_entropy(
    logits: torch.Tensor, target: torch.Tensor, possible: torch.Tensor
) -> torch.Tensor:
    """Mean cross-entropy of `[n, c]` against target probabilities, among the possible types."""
    log_odds = logits.masked_fill(~possible, IMPOSSIBLE).log_softmax(1)
    return -(target * log_odds).sum(1).mean()


def _with_margin(logits: torch.Tensor, wanted: torch.Tensor, margin: float) -> torch.Tensor:
    """Logits with `margin` taken off the right one, so that it must win clearly (CosFace, 2018)."""
    if margin == 0:
        return logits
    return logits - margin * F.one_hot(wanted, logits.shape[1])


def _rate(step: int, steps: int, warmup: int) -> float:
    """Factor of the learning rate, 0..=1: a linear rise, then half a cosine."""
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup)))


@torch.no_grad()
def _follow(moving: dict[str, torch.Tensor], now: dict[str, torch.Tensor], decay: float) -> None:
    for name, value in moving.items():
        if value.is_floating_point():
            value.lerp_(now[name], 1 - decay)
        else:
            value.copy_(now[name])


def _write(
    moving: dict[str, torch.Tensor],
    curve: list[dict[str, float]],
    out: Path,
    name: str = "member.pt",
) -> None:
    _save({key: value.cpu() for key, value in moving.items()}, out / name)
    (out / "curve.json").write_text(json.dumps(curve) + "\n", encoding="utf-8")


def _save(state: dict[str, object], path: Path) -> None:
    part = path.with_name(f"{path.name}.part")
    torch.save(state, part)
    part.replace(path)
