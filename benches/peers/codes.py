"""Counts how many barcodes and matrix codes on photographs are decoded, ours beside zbar and zxing-cpp.

usage: codes.py FIND_CODES PHOTOGRAPHS [--each N] [--seed N] [--keep FOLDER]

FIND_CODES is our side: `cargo build --release -p partsight-benches --example find_codes`. PHOTOGRAPHS is a folder of
photographs of at least 500 pixels on the shorter side, searched in depth, on which the codes are printed.

Of each symbology N codes with random content are drawn by zxing-cpp's writer on a white label with its quiet zone, seen
at a slight slant, turned by any angle, lit from one side, blurred by a Gaussian of up to 0.7 modules, with the noise of a
sensor, and saved as JPEG. A module has 1.8 to 4.5 pixels on the photograph. All three see the same files; a code counts
where exactly its text is among the answers. zbar reads no DataMatrix. Times are processor time of one thread each, over
all files, decoding of the JPEG included.
"""

import argparse
import json
import random
import resource
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import zxingcpp
from pyzbar import pyzbar

LONGEST_SIDE = 1280
# Drawn at so many pixels a module, and warped at so many times the size of the photograph, then averaged: bars keep their
# widths.
DRAWN = 8
OVERSAMPLED = 4
UPPER = string.ascii_uppercase


def digits(random_: random.Random, n: int) -> str:
    return "".join(random_.choices(string.digits, k=n))


def with_check(number: str) -> str:
    """The number with the check digit of GS1."""
    total = sum(int(digit) * (3 if index % 2 == 0 else 1) for index, digit in enumerate(reversed(number)))
    return number + str(-total % 10)


def part_number(random_: random.Random) -> str:
    letters = "".join(random_.choices(UPPER, k=2))
    return f"{letters}{digits(random_, 5)}-{digits(random_, 3)}"


SYMBOLOGIES: dict[str, tuple[str, Callable[[random.Random], str]]] = {
    "EAN-13": ("EAN13", lambda r: with_check(f"4{digits(r, 11)}")),
    "EAN-8": ("EAN8", lambda r: with_check(digits(r, 7))),
    "UPC-A": ("UPCA", lambda r: with_check(digits(r, 11))),
    "Code 39": ("Code39", lambda r: part_number(r)[:9]),
    "Code 128": ("Code128", part_number),
    "ITF": ("ITF", lambda r: with_check(digits(r, 13))),
    "QR": ("QRCode", lambda r: f"https://parts.example/{part_number(r)}?lot={digits(r, 6)}"),
    "DataMatrix": ("DataMatrix", lambda r: f"{part_number(r)} {digits(r, 6)}"),
}
MATRIX = ("QR", "DataMatrix")


def drawn(kind: str, content: str, random_: random.Random) -> np.ndarray:
    """A white label with the code, u8 `[h, w]`, `DRAWN` pixels a module."""
    code = zxingcpp.create_barcode(content, getattr(zxingcpp.BarcodeFormat, SYMBOLOGIES[kind][0]))
    modules = np.array(code.to_image(scale=1, add_hrt=False, add_quiet_zones=False))
    if kind in MATRIX:
        quiet_x = quiet_y = 4 if kind == "QR" else 2
    else:
        width = modules.shape[1]
        height = round(width * random_.uniform(0.25, 0.45))
        modules = np.repeat(modules[modules.shape[0] // 3][None], height, axis=0)
        quiet_x, quiet_y = 11, 3
    modules = np.pad(modules, ((quiet_y, quiet_y), (quiet_x, quiet_x)), constant_values=255)
    return np.kron(modules, np.ones((DRAWN, DRAWN), dtype=np.uint8))


def printed(photo: np.ndarray, label: np.ndarray, random_: random.Random) -> np.ndarray:
    """The photograph, u8 `[h, w, 3]`, with the label stuck on it."""
    height, width = photo.shape[:2]
    diagonal = float(np.hypot(*label.shape)) / DRAWN
    module = min(random_.uniform(1.8, 4.5), 0.95 * min(height, width) / diagonal)
    h, w = label.shape
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], dtype=np.float64)
    turn = random_.uniform(0, 2 * np.pi)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    placed = (corners - [w / 2, h / 2]) * (module / DRAWN) @ rotation.T
    # Seen at a slant: each corner moves by up to a fiftieth of the label.
    placed += np.array([[random_.uniform(-1, 1), random_.uniform(-1, 1)] for _ in corners]) * diagonal * module * 0.02
    low, high = placed.min(axis=0), placed.max(axis=0)
    placed += [random_.uniform(-low[0], max(width - high[0], -low[0])),
               random_.uniform(-low[1], max(height - high[1], -low[1]))]
    low = np.maximum(np.floor(placed.min(axis=0)).astype(int) - 8, 0)
    high = np.minimum(np.ceil(placed.max(axis=0)).astype(int) + 8, [width, height])
    size = high - low
    warp = cv2.getPerspectiveTransform(
        corners.astype(np.float32), ((placed - low) * OVERSAMPLED).astype(np.float32)
    )
    large = tuple(int(side) for side in size * OVERSAMPLED)
    shrink = lambda picture: cv2.resize(picture, tuple(int(s) for s in size), interpolation=cv2.INTER_AREA)
    code = shrink(cv2.warpPerspective(label, warp, large, flags=cv2.INTER_LINEAR, borderValue=255)).astype(np.float32)
    mask = shrink(cv2.warpPerspective(np.full_like(label, 255), warp, large)).astype(np.float32)[..., None] / 255
    # Paper is not white and ink is not black, and the light falls from one side.
    dark, light = random_.uniform(15, 60), random_.uniform(170, 240)
    code = dark + code / 255 * (light - dark)
    slope = np.linspace(1 - random_.uniform(0, 0.25), 1, code.shape[1], dtype=np.float32)
    code *= slope if random_.random() < 0.5 else slope[::-1]
    out = photo.astype(np.float32)
    window = out[low[1]:high[1], low[0]:high[0]]
    window[:] = window * (1 - mask) + code[..., None] * mask
    window[:] = cv2.GaussianBlur(window, (0, 0), max(random_.uniform(0, 0.7) * module, 0.01))
    noise = np.random.default_rng(random_.getrandbits(32)).normal(0, random_.uniform(1, 5), (height, width, 1))
    return (out + noise).clip(0, 255).astype(np.uint8)


def photographs(folder: Path) -> list[np.ndarray]:
    """Those that are large enough, at most 1280 pixels long, u8 `[h, w, 3]`."""
    found = []
    for path in sorted(folder.rglob("*.jpg")):
        photo = cv2.imread(str(path))
        if photo is None or min(photo.shape[:2]) < 500:
            continue
        scale = LONGEST_SIDE / max(photo.shape[:2])
        found.append(cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC))
    return found


def zbar(path: Path) -> list[str]:
    # pyzbar says EAN-13 of a UPC-A, with a 0 in front.
    codes = pyzbar.decode(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE))
    return [code.data.decode(errors="replace") for code in codes]


def zxing(path: Path) -> list[str]:
    codes = zxingcpp.read_barcodes(
        cv2.imread(str(path), cv2.IMREAD_GRAYSCALE),
        text_mode=zxingcpp.TextMode.Plain,
    )
    return [code.text for code in codes]


def same(kind: str, expected: str, found: list[str]) -> bool:
    return expected in found or (kind == "UPC-A" and f"0{expected}" in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("find_codes", type=Path)
    parser.add_argument("photographs", type=Path)
    parser.add_argument("--each", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="keep the pictures and what each program found here")
    options = parser.parse_args()

    cv2.setNumThreads(1)
    random_ = random.Random(options.seed)
    photos = photographs(options.photographs)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        cases: list[tuple[str, str, Path]] = []
        for kind, (_, content) in SYMBOLOGIES.items():
            for number in range(options.each):
                text = content(random_)
                path = folder / f"{kind.replace(' ', '-').lower()}-{number:03}.jpg"
                picture = printed(random_.choice(photos), drawn(kind, text, random_), random_)
                cv2.imwrite(str(path), picture, [cv2.IMWRITE_JPEG_QUALITY, random_.randint(75, 92)])
                cases.append((kind, text, path))
        paths = [path for _, _, path in cases]
        found: dict[str, list[list[str]]] = {}
        seconds: dict[str, float] = {}
        for name, read in (("zbar", zbar), ("zxing-cpp", zxing)):
            before = time.process_time()
            found[name] = [read(path) for path in paths]
            seconds[name] = time.process_time() - before
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(
            [options.find_codes], input="\n".join(map(str, paths)), stdout=subprocess.PIPE, text=True, check=True
        )
        seconds["ours"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        found["ours"] = [[code["text"] for code in json.loads(line)] for line in done.stdout.splitlines()]
        report(cases, found, seconds, options.each)
        if options.keep:
            rows = [
                {"kind": kind, "text": text, "path": path.name, **{name: found[name][index] for name in found}}
                for index, (kind, text, path) in enumerate(cases)
            ]
            (folder / "found.json").write_text(json.dumps(rows, indent=1))


def report(
    cases: list[tuple[str, str, Path]], found: dict[str, list[list[str]]], seconds: dict[str, float], each: int
) -> None:
    names = ("ours", "zbar", "zxing-cpp")
    print(f"| of {each} each | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    wrong = dict.fromkeys(names, 0)
    for kind in SYMBOLOGIES:
        counts = []
        for name in names:
            hits = 0
            for (case, text, _), texts in zip(cases, found[name], strict=True):
                if case == kind:
                    hits += same(kind, text, texts)
                    wrong[name] += sum(not same(kind, text, [other]) for other in texts)
            counts.append("-" if name == "zbar" and kind == "DataMatrix" else str(hits))
        print(f"| {kind} | {' | '.join(counts)} |")
    print(f"| wrong texts | {' | '.join(str(wrong[name]) for name in names)} |")
    print(f"| ms a photograph | {' | '.join(f'{seconds[name] / len(cases) * 1000:.0f}' for name in names)} |")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
