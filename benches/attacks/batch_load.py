#!/usr/bin/env python3
"""10,000 photographs as one batch, beside `partsight scan` on the same files and a person who scans meanwhile.

Usage: batch_load.py PROGRAM PHOTOS [--photos 10000] [--scanned 10000] [--broken 0.01] [--read] [--set NAME=VALUE]

PHOTOS is a folder of JPEG files, which are repeated with other bytes and the same picture until there are enough.
Standard library only. Everything happens on 127.0.0.1 and in temporary folders that are deleted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

from durability import Client, Server, Sqlite, percentile
from soak import verdict

# Photographs in one folder.
FOLDER = 500
# Photographs in one form, and seconds between two looks at the batch.
FORM, EVERY = 50, 2.0
# How much of a broken photograph there is, in bytes: its head alone.
HEAD = 300
# Seconds between two scans of the person.
PAUSE = 2.0
# What must hold.
LEAST_SHARE, MOST_DELAY = 0.9, 2.0


def is_broken(number: int, share: float) -> bool:
    """Whether the photograph of a number is one of the broken ones, which are spread evenly."""
    return int((number + 1) * share) > int(number * share)


def repeated(folder: Path, into: Path, count: int, broken: float = 0) -> list[Path]:
    """`count` photographs, each with bytes of its own: a comment that no decoder looks at. A share of them is `broken`."""
    sources = sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".jpg", ".jpeg"))
    sources = [path for path in sources if path.open("rb").read(2) == b"\xff\xd8"]
    if not sources:
        sys.exit(f"no JPEG files in {folder}")
    files = []
    for number in range(count):
        photo = sources[number % len(sources)].read_bytes()
        text = f"photograph {number}".encode()
        files.append(into / f"{number // FOLDER:03}" / f"{number:06}.jpg")
        files[-1].parent.mkdir(parents=True, exist_ok=True)
        photo = photo[:2] + b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text + photo[2:]
        files[-1].write_bytes(photo[:HEAD] if is_broken(number, broken) else photo)
    return files


def form_of(photos: list[Path], field: str = "photo") -> tuple[bytes, dict[str, str]]:
    edge = uuid.uuid4().hex
    parts = []
    for photo in photos:
        head = f'--{edge}\r\nContent-Disposition: form-data; name="{field}"; filename="{photo.name}"\r\n'
        parts += [head.encode(), b"Content-Type: image/jpeg\r\n\r\n", photo.read_bytes(), b"\r\n"]
    return b"".join([*parts, f"--{edge}--\r\n".encode()]), {"Content-Type": f"multipart/form-data; boundary={edge}"}


def sign_up(port: int) -> Client:
    client = Client(port)
    person = {"email": f"{uuid.uuid4().hex}@example.com", "password": "correct horse", "firstName": "Ann", "lastName": "Lee"}
    status, answer = client.call("POST", "/api/auth/signup", person)
    assert status in (200, 201), (status, answer)
    status, answer = client.call("POST", "/api/vehicles", {"make": "Honda", "model": "Civic", "year": 2015})
    assert status == 201, (status, answer)
    return client


class Person(threading.Thread):
    """Somebody at a screen who scans one photograph after the other, and waits in between."""

    def __init__(self, port: int, photos: list[Path]) -> None:
        super().__init__(daemon=True)
        self.client, self.photos = sign_up(port), photos
        self.seconds: list[float] = []
        self.refused = 0
        self.is_stopping = threading.Event()

    def scan(self, number: int) -> None:
        body, headers = form_of([self.photos[number % len(self.photos)]], "image")
        started = time.monotonic()
        status, _ = self.client.call("POST", "/api/identify", body, headers)
        if status in (200, 422):
            self.seconds.append(time.monotonic() - started)
        else:
            self.refused += 1

    def run(self) -> None:
        number = 0
        while not self.is_stopping.wait(PAUSE):
            self.scan(number)
            number += 1

    def stop(self) -> dict[str, float]:
        self.is_stopping.set()
        self.join()
        figures = {"scans": len(self.seconds), "refused": self.refused}
        return figures | {f"p{share}Ms": round(1000 * percentile(self.seconds, share / 100)) for share in (50, 95)}


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def scan_folders(program: Path, folders: list[Path], reads: bool, environment: dict[str, str]) -> dict[str, float]:
    """Wall and processor seconds of `partsight scan` on some folders, its start included."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [program, "scan", *folders, "--format", "jsonl", *(["--read"] if reads else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, check=False)
    seconds, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"photos": len(done.stdout.splitlines()), "seconds": seconds, "processorSeconds": cpu}


def run_batch(server: Server, files: list[Path], person_from: float, photos: list[Path], reads: bool) -> dict[str, object]:
    """Sends all files as one batch, which `reads` their text or not, and watches it. From the share `person_from` of the
    answers on, somebody scans."""
    client, pid = sign_up(server.port), server.process.pid
    _, batch = client.call("POST", "/api/batches", {"name": "Ten thousand", "readText": reads})
    path = f"/api/batches/{batch['id']}"
    started = time.monotonic()
    for at in range(0, len(files), FORM):
        status, report = client.call("POST", f"{path}/photos", *form_of(files[at : at + FORM]))
        assert status == 200 and report["added"] == len(files[at : at + FORM]), (status, report)
    sent = time.monotonic() - started
    status, _ = client.call("POST", f"{path}/start")
    assert status in (200, 204), status

    started, cpu = time.monotonic(), processor_seconds(pid)
    alone: dict[str, float] = {}
    person, samples, finished = None, [], 0
    while finished < len(files):
        time.sleep(EVERY)
        _, batch = client.call("GET", path)
        counts = batch["counts"]
        finished = counts["total"] - counts["waiting"] - counts["running"]
        second = round(time.monotonic() - started, 1)
        samples.append({"second": second, "rssMb": round(resident_mb(pid), 1), "finished": finished})
        if person is None and finished >= person_from * len(files):
            alone = {"photos": finished, "seconds": second, "processorSeconds": processor_seconds(pid) - cpu}
            person = Person(server.port, photos)
            person.start()
        if len(samples) % 30 == 0:
            print(f"{second:.0f} s: {finished} finished, {samples[-1]['rssMb']} MB", file=sys.stderr, flush=True)
        if batch["state"] not in ("running", "done"):
            sys.exit(f"the batch is {batch['state']}: {batch['reason']}")
    return {"sentInSeconds": round(sent, 1), "alone": alone, "samples": samples, "counts": counts,
            "state": batch["state"], "person": person.stop() if person else {}}


def rates(figures: dict[str, float]) -> dict[str, float]:
    photos = figures["photos"]
    return {"photos": photos, "perSecond": round(photos / figures["seconds"], 2),
            "processorMsEach": round(1000 * figures["processorSeconds"] / photos, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path, metavar="PHOTOS")
    parser.add_argument("--photos", type=int, default=10_000)
    parser.add_argument("--scanned", type=int, default=10_000, help="photographs that `partsight scan` gets")
    parser.add_argument("--broken", type=float, default=0, help="share of the photographs of which only the head is there")
    parser.add_argument("--person-from", type=float, default=0.6, help="share of the answers from which somebody scans")
    parser.add_argument("--read", action="store_true", help="read the text on the photographs as well")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a further setting of the server")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    os.environ |= dict(pair.split("=", 1) for pair in arguments.set)

    place = Path(tempfile.mkdtemp(prefix="partsight-batch."))
    server = None
    try:
        files = repeated(arguments.folder, place / "photos", arguments.photos, arguments.broken)
        whole = [file for number, file in enumerate(files[:100]) if not is_broken(number, arguments.broken)]
        folders = sorted((place / "photos").iterdir())
        # Half before and half after: what else the machine does changes in between.
        half = max(1, min(arguments.scanned, arguments.photos) // FOLDER // 2)
        environment = {**os.environ, "PARTSIGHT_DATA_DIR": str(place / "scan")}
        before = scan_folders(program, folders[:half], arguments.read, environment)
        print(f"scan, first half: {rates(before)}", file=sys.stderr, flush=True)
        (place / "data").mkdir()
        database = Sqlite(place / "data")
        server = Server(program, place / "data", database)
        usual = Person(server.port, whole)
        usual.start()
        time.sleep(30 * PAUSE)
        usual_times = usual.stop()
        batch = run_batch(server, files, arguments.person_from, whole, arguments.read)
        scans, used = database.query("SELECT COUNT(*), COUNT(DISTINCT scan_id) FROM batch_item WHERE scan_id IS NOT NULL")[0]
        server.end()
        after = scan_folders(program, folders[-half:], arguments.read, environment)
    finally:
        if server and server.process.poll() is None:
            server.kill()
        shutil.rmtree(place, ignore_errors=True)

    scan = {name: before[name] + after[name] for name in before}
    memory = verdict(batch["samples"], "rssMb")
    by_scan, by_batch = rates(scan), rates(batch["alone"])
    counts = batch["counts"]
    n_broken = sum(is_broken(number, arguments.broken) for number in range(arguments.photos))
    checks = {
        "brokenAreNamed": counts["failed"] == n_broken,
        "eachOnce": counts["answered"] == scans == used and counts["waiting"] == counts["running"] == 0,
        "atLeast90PercentOfScan": by_batch["perSecond"] >= LEAST_SHARE * by_scan["perSecond"],
        "memoryFlat": bool(memory["flat"]),
        "personAtMostTwice": batch["person"]["p50Ms"] <= MOST_DELAY * usual_times["p50Ms"],
    }
    stride = max(1, len(batch["samples"]) // 20)
    print(json.dumps({
        "scan": by_scan, "scanHalves": [rates(before), rates(after)], "batch": by_batch,
        "shareOfScan": round(by_batch["perSecond"] / by_scan["perSecond"], 3),
        "sentInSeconds": batch["sentInSeconds"], "counts": counts, "state": batch["state"],
        "personUsual": usual_times, "personMeanwhile": batch["person"], "memory": memory,
        "samples": batch["samples"][::stride], "checks": checks,
    }, indent=1))
    sys.exit(0 if all(checks.values()) else 1)


if __name__ == "__main__":
    main()
