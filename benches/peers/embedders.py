"""Photographs embedded by CLIP ViT-B/32: `partsight scan`, fastembed-rs and transformers on PyTorch.

usage: embedders.py PROGRAM PHOTOS [--fastembed BINARY --onnxruntime LIBRARY] [--rounds N] [--folder FOLDER]

PROGRAM is a `partsight` with the feature `candle`, PHOTOS a folder of JPEG files, BINARY of `peers/fastembed`. The weights
have the true size and random values (seed 1), which cost as much as learnt ones; they are made in FOLDER once, as
safetensors and as an ONNX graph. All take turns in each round, so that a busy machine slows all. What a photograph takes is
the difference between a run over all photographs and one over every fifth, so that no start counts. Needs torch,
transformers, onnx and Pillow.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# As the published model has it.
PREPROCESSOR = {
    "crop_size": {"height": 224, "width": 224},
    "do_center_crop": True,
    "do_convert_rgb": True,
    "do_normalize": True,
    "do_rescale": True,
    "do_resize": True,
    "image_mean": [0.48145466, 0.4578275, 0.40821073],
    "image_processor_type": "CLIPImageProcessor",
    "image_std": [0.26862954, 0.26130258, 0.27577711],
    "resample": 3,
    "rescale_factor": 1 / 255,
    "size": {"shortest_edge": 224},
}
BATCH = 16


def make_models(folder: Path) -> tuple[Path, Path]:
    """CLIP ViT-B/32 as Hugging Face keeps it, and its vision tower as an ONNX graph."""
    safetensors, onnx = folder / "safetensors", folder / "onnx"
    if (onnx / "preprocessor_config.json").is_file():
        return safetensors, onnx
    import torch  # noqa: PLC0415
    from transformers import CLIPConfig, CLIPModel  # noqa: PLC0415

    torch.manual_seed(1)
    model = CLIPModel(CLIPConfig()).eval()
    model.save_pretrained(safetensors)

    class Vision(torch.nn.Module):
        def forward(self, pixels: torch.Tensor) -> torch.Tensor:
            return model.visual_projection(model.vision_model(pixel_values=pixels).pooler_output)

    onnx.mkdir(parents=True, exist_ok=True)
    names = {"input_names": ["pixel_values"], "output_names": ["image_embeds"]}
    axes = {"pixel_values": {0: "batch"}, "image_embeds": {0: "batch"}}
    blank = torch.zeros(1, 3, 224, 224)
    path = str(onnx / "vision_model.onnx")
    torch.onnx.export(Vision(), (blank,), path, **names, dynamic_axes=axes, opset_version=17, dynamo=False)
    for place in (safetensors, onnx):
        shutil.copy(safetensors / "config.json", onnx / "config.json")
        (place / "preprocessor_config.json").write_text(json.dumps(PREPROCESSOR))
    return safetensors, onnx


def transformers_run(folder: str, photos: str) -> None:
    """The usual lines of Python; run as a process of its own."""
    import torch  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415
    from transformers import CLIPImageProcessor, CLIPVisionModelWithProjection  # noqa: PLC0415

    model = CLIPVisionModelWithProjection.from_pretrained(folder).eval()
    processor = CLIPImageProcessor.from_pretrained(folder)
    paths = sorted(Path(photos).iterdir())
    with torch.inference_mode():
        for at in range(0, len(paths), BATCH):
            images = [Image.open(path).convert("RGB") for path in paths[at : at + BATCH]]
            model(**processor(images=images, return_tensors="pt"))


def timed(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds on the clock and of processor time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, text=True)
    seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stderr[-500:]}")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    if sys.argv[1:2] == ["--transformers"]:
        transformers_run(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("photos", type=Path)
    parser.add_argument("--fastembed", type=Path)
    parser.add_argument("--onnxruntime", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "partsight-clip")
    arguments = parser.parse_args()
    safetensors, onnx = make_models(arguments.folder)

    with tempfile.TemporaryDirectory(prefix="partsight-embedders.") as place:
        files = sorted(path for path in arguments.photos.iterdir() if path.suffix.lower() in (".jpg", ".jpeg"))
        folders = {}
        for name, chosen in (("all", files), ("few", files[::5])):
            folders[name] = Path(place) / name
            folders[name].mkdir()
            for path in chosen:
                shutil.copy(path, folders[name] / path.name)
        # Two types of three photographs are all that an import needs.
        types = Path(place) / "types"
        for index, path in enumerate(files[:6]):
            folder = types / ("rim", "starter")[index % 2]
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / path.name)
        environment = {**os.environ, "PARTSIGHT_DATA_DIR": f"{place}/data", "PARTSIGHT_READ_TEXT": "false"}
        if arguments.onnxruntime:
            environment |= dict.fromkeys(("PARTSIGHT_ONNXRUNTIME", "ORT_DYLIB_PATH"), str(arguments.onnxruntime))
        program = str(arguments.program.resolve())
        ways = {}
        for name, folder, engine in (("ours, safetensors", safetensors, "candle"), ("ours, ONNX", onnx, "onnx")):
            model = engine
            timed([program, "models", "import", str(folder), "--name", model, "--photos", str(types), "--engine", engine],
                  environment)
            ways[name] = [program, "scan", "{}", "--model", model, "--format", "jsonl"]
        if arguments.fastembed:
            ways["fastembed"] = [str(arguments.fastembed.resolve()), str(onnx), "{}"]
        ways["transformers, PyTorch"] = [sys.executable, __file__, "--transformers", str(safetensors), "{}"]

        measured: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        n = len(files) - len(files[::5])
        for _ in range(arguments.rounds):
            for name, command in ways.items():
                few, every = (
                    timed([part.format(folders[which]) for part in command], environment) for which in ("few", "all")
                )
                measured[name].append(tuple(1000 * (more - less) / n for more, less in zip(every, few, strict=True)))
    ours = statistics.median(clock for clock, _ in measured["ours, safetensors"])
    print(f"{n} photographs, medians of {arguments.rounds} rounds: ms each on the clock, of processor time, clock of ours")
    for name, rounds in measured.items():
        clock, processor = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"{name:24}{clock:8.1f}{processor:8.1f}{clock / ours:8.2f}")


if __name__ == "__main__":
    main()
