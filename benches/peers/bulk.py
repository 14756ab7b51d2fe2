"""`partsight scan` over a folder beside the plain script that people write: Pillow and ONNX Runtime in a process pool.

usage: bulk.py PROGRAM FOLDER [--rounds N]

PROGRAM is `target/release/partsight`. Both read the same files, use all cores and one thread a network, and take turns
in each round; ratios are medians over the rounds. The script only names the best label: no calibration, no second
look, no report.
"""

import argparse
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ENDINGS = {".jpg", ".jpeg", ".png", ".webp"}


def label(path: Path) -> str:
    from service import identify

    return identify(path.read_bytes())["label"]


def pool(paths: list[Path]) -> int:
    with multiprocessing.Pool() as workers:
        return len(workers.map(label, paths, chunksize=8))


def timed(command: list[object]) -> tuple[float, float]:
    """Seconds on the clock, and of processor time."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - started, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pool", action="store_true", help="be the script, once")
    options = parser.parse_args()
    paths = sorted(path for path in options.folder.rglob("*") if path.suffix.lower() in ENDINGS)
    if options.pool:
        print(pool(paths))
        return

    ours = [options.program.resolve(), "scan", options.folder, "--format", "jsonl"]
    script = [sys.executable, Path(__file__).resolve(), options.program, options.folder, "--pool"]
    runs = [(timed(ours), timed(script)) for _ in range(options.rounds)]
    print(f"{len(paths)} photographs, {os.cpu_count()} cores, {options.rounds} rounds")
    for name, side in (("ours", 0), ("process pool", 1)):
        wall, cpu = (statistics.median(run[side][kind] for run in runs) for kind in (0, 1))
        print(f"{name:14}{len(paths) / wall:8.1f} a second {cpu / len(paths) * 1000:8.1f} ms of processor time a photograph")
    for name, kind in (("on the clock", 0), ("of processor time", 1)):
        print(f"ratio {name}: {statistics.median(run[1][kind] / run[0][kind] for run in runs):.2f}")


if __name__ == "__main__":
    main()
