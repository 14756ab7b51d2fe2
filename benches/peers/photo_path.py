"""Measures a photograph's way to raw scores beside the usual lines of Python: same files, same network, one thread.

usage: photo_path.py PHOTO_PATH PHOTOGRAPH [--rounds N]

PHOTO_PATH is our side: `cargo build --release -p partsight-benches --example photo_path`. PHOTOGRAPH is any JPEG of at
least 1280 x 720, cut to the middle and scaled to two sizes: 1280 x 720, and 4032 x 3024 (12.2 megapixels) with the
noise of a sensor added, both saved by Pillow at quality 90 and with colour at half the size, as phones do.
Python is Pillow (decode, turn, resize) and ONNX Runtime on the same `model.onnx`. Both take turns in each of the
rounds, so that a busy machine slows both; times are processor time, and the ratio is the median over the rounds.
"""

import argparse
import io
import json
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
from PIL import Image, ImageOps

MODEL = Path(__file__).parents[2] / "models" / "partsight-50"
SIZES = ((1280, 720), (4032, 3024))
# Standard deviation in levels of 255: what a phone leaves of it at the usual sensitivity.
NOISE = 3.0
# The scheduler's books are a few milliseconds behind.
LEAST_SECONDS = 0.2
STEPS = ("decode", "preprocess", "network", "whole")


def photograph(source: Image.Image, size: tuple[int, int]) -> bytes:
    """A JPEG of this size; the same bytes each time."""
    pixels = np.asarray(ImageOps.fit(source, size, Image.Resampling.BICUBIC), dtype=np.float32)
    if size != SIZES[0]:
        pixels = pixels + np.random.default_rng(7).normal(0, NOISE, (*pixels.shape[:2], 1))
    jpeg = io.BytesIO()
    Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(jpeg, "JPEG", quality=90, subsampling="4:2:0")
    return jpeg.getvalue()


def timed(run: Callable[[], object]) -> float:
    """Milliseconds of processor time that a run takes."""
    before = time.process_time()
    n_runs = 0
    while time.process_time() - before < LEAST_SECONDS:
        run()
        n_runs += 1
    return (time.process_time() - before) * 1000 / n_runs


class Ours:
    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, path: Path) -> dict[str, float]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class Python:
    def __init__(self) -> None:
        manifest = tomllib.loads((MODEL / "model.toml").read_text())
        self.size = manifest["input"]["width"], manifest["input"]["height"]
        self.mean = np.array(manifest["input"]["mean"], dtype=np.float32)
        self.std = np.array(manifest["input"]["std"], dtype=np.float32)
        self.input = manifest["input"]["name"]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            MODEL / manifest["file"]["path"], options, providers=["CPUExecutionProvider"]
        )

    @staticmethod
    def decode(data: bytes) -> Image.Image:
        return ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")

    def preprocess(self, image: Image.Image) -> np.ndarray:
        """f32 `[1, 3, h, w]`."""
        values = np.asarray(image.resize(self.size, Image.Resampling.BILINEAR), dtype=np.float32)
        return np.ascontiguousarray(((values / 255 - self.mean) / self.std).transpose(2, 0, 1)[None])

    def network(self, tensor: np.ndarray) -> list[np.ndarray]:
        return self.session.run(None, {self.input: tensor})

    def run(self, path: Path) -> dict[str, float]:
        data = path.read_bytes()
        image = self.decode(data)
        tensor = self.preprocess(image)
        return {
            "decode": timed(lambda: self.decode(data)),
            "preprocess": timed(lambda: self.preprocess(image)),
            "network": timed(lambda: self.network(tensor)),
            "whole": timed(lambda: self.network(self.preprocess(self.decode(data)))),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photo_path", type=Path)
    parser.add_argument("photograph", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()

    source = ImageOps.exif_transpose(Image.open(options.photograph)).convert("RGB")
    ours, python = Ours(options.photo_path), Python()
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder, f"{size[0]}.jpg")
            path.write_bytes(photograph(source, size))
            runs = [(ours.run(path), python.run(path)) for _ in range(options.rounds)]
            print(f"\n{size[0]} x {size[1]}, {path.stat().st_size:,} bytes, {options.rounds} rounds")
            print(f"{'ms of processor time':24}{'ours':>10}{'Python':>10}{'ratio':>10}")
            for step in STEPS:
                pairs = np.array([(mine[step], theirs[step]) for mine, theirs in runs])
                mine, theirs = np.median(pairs, axis=0)
                print(f"{step:24}{mine:10.2f}{theirs:10.2f}{np.median(pairs[:, 1] / pairs[:, 0]):10.2f}")
            whole_size = np.median([mine["decodeWholeSize"] for mine, _ in runs])
            print(f"{'decode at full size':24}{whole_size:10.2f}")
            print(f"ours decodes to {runs[0][0]['width']} x {runs[0][0]['height']}")


if __name__ == "__main__":
    main()
