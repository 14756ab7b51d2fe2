"""Makes broken and hostile photographs, and sends them through the command line and the API.

    python3 hostile_photos.py make DIR --photos PHOTOS            # 10,000 broken and 500 hostile files
    python3 hostile_photos.py scan PROGRAM DIR --memory 1000      # through `partsight scan`
    python3 hostile_photos.py serve http://127.0.0.1:8080 DIR --honest PHOTO   # through a running server

The same seed gives the same files. Only the standard library is used.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

import hostile_formats

FIXTURES = Path(__file__).parents[2] / "crates/inference/tests/fixtures"
SEED = 20261123


def mutate(data: bytes, rng: random.Random) -> bytes:
    """One to four changes: bytes and bits, lengths, cuts, pieces doubled, moved or taken out."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if len(changed) < 16:
            break
        at = rng.randrange(len(changed))
        if rng.random() < 0.3:
            at = rng.randrange(min(len(changed), 256))  # headers are short, and hit seldom otherwise
        length = rng.choice((1, 2, 4, 16, 256))
        kind = rng.randrange(8)
        if kind == 0:
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            changed[at : at + length] = rng.randbytes(length)
        elif kind == 2:
            changed[at : at + length] = rng.choice((b"\x00", b"\xff", b"\x7f", b"\x80")) * length
        elif kind == 3:
            del changed[at:]
        elif kind == 4:
            del changed[at : at + length]
        elif kind == 5:
            changed[at:at] = changed[at : at + length] * rng.choice((1, 2, 64))
        elif kind == 6:
            value = rng.choice((0, 1, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF))
            changed[at : at + 4] = value.to_bytes(4, rng.choice(("big", "little")))
        else:
            other = rng.randrange(len(changed))
            changed[at : at + length] = changed[other : other + length]
    return bytes(changed)


def make(folder: Path, photos: Path | None, n_broken: int, n_hostile: int) -> None:
    rng = random.Random(SEED)
    real = sorted(photos.rglob("*.jpg")) if photos else []
    fixtures = [path for path in sorted(FIXTURES.iterdir()) if path.suffix in (".jpg", ".png", ".heic")]
    small = hostile_formats.honest()
    broken = folder / "broken"
    broken.mkdir(parents=True, exist_ok=True)
    for number in range(n_broken):
        # A third each: photographs as people take them, fixtures, and pictures of the other formats.
        if number % 3 == 0 and real:
            name, data = "photo.jpg", rng.choice(real).read_bytes()
        elif number % 3 == 1:
            path = rng.choice(fixtures)
            name, data = path.name, path.read_bytes()
        else:
            name, data = rng.choice(small)
        stem, suffix = name.rsplit(".", 1)
        (broken / f"{number:05}-{stem}.{suffix}").write_bytes(mutate(data, rng))
    hostile = folder / "hostile"
    hostile.mkdir(parents=True, exist_ok=True)
    files = hostile_formats.hostile(FIXTURES, random.Random(SEED))
    n_made = 0
    for name, data in files:
        (hostile / f"{n_made:03}-{name}").write_bytes(data)
        n_made += 1
        if n_made == n_hostile:
            break
    print(f"{n_broken} broken and {n_made} hostile files in {folder}")


def scan(program: str, folder: Path, memory_mb: int) -> None:
    """Scans each folder under a limit of address space, and notes when each row came."""
    for name in ("hostile", "broken"):
        limit = ["prlimit", f"--as={memory_mb * 1_000_000}"] if memory_mb else []
        command = [*limit, program, "scan", "--format", "jsonl", "--jobs", "1", str(folder / name)]
        started = last = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        peak = PeakMemory(process.pid)
        outcomes, slow = {}, []
        for line in process.stdout:
            now = time.monotonic()
            row = json.loads(line)
            outcome = row["verdict"] if not row["error"] else "refused"
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            # The first row waits for the model.
            if outcomes != {outcome: 1}:
                slow.append((now - last, Path(row["path"]).name, row["error"]))
            last = now
        code, errors = process.wait(), process.stderr.read()
        slow.sort(key=lambda row: row[0], reverse=True)
        print(f"{name}: exit {code}, {outcomes}, {time.monotonic() - started:.1f} s, peak {peak.stop()}")
        for seconds, file, error in slow[:5]:
            print(f"    {seconds:6.2f} s  {file}  {error or ''}")
        if code not in (0, 1):
            print(errors[-2000:])


class PeakMemory:
    """Resident memory of a process, and of all its children together, looked at ten times a second."""

    def __init__(self, pid: int) -> None:
        self.pid, self.own, self.children, self.is_over = pid, 0, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self) -> None:
        while not self.is_over.wait(0.1):
            self.own = max(self.own, resident_kb(self.pid))
            children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
            tasks = Path(f"/proc/{self.pid}/task")
            try:
                pids = {pid for task in tasks.iterdir() for pid in (task / children.name).read_text().split()}
            except OSError:
                continue
            self.children = max(self.children, sum(resident_kb(int(pid)) for pid in pids))

    def stop(self) -> str:
        self.is_over.set()
        self.thread.join()
        return f"{self.own // 1024} MiB, children together {self.children // 1024} MiB"


def resident_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)


class Person:
    """An account of a running server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        email = f"{uuid.uuid4().hex}@example.com"
        names = {"firstName": "Load", "lastName": "Test"}
        self.post("/api/auth/signup", {"email": email, "password": "correct horse battery", **names})
        vehicle = {"make": "Honda", "model": "Civic", "year": 2015}
        _, _, answer = self.post("/api/vehicles", vehicle)
        self.vehicle = json.loads(answer)["id"]

    def post(self, path: str, body: dict) -> tuple[int, float, bytes]:
        return self.send(path, json.dumps(body).encode(), "application/json")

    def identify(self, photo: bytes) -> tuple[int, float, bytes]:
        edge = uuid.uuid4().hex
        part = f'--{edge}\r\nContent-Disposition: form-data; name="vehicleId"\r\n\r\n{self.vehicle}\r\n'
        head = f'--{edge}\r\nContent-Disposition: form-data; name="image"; filename="x.jpg"\r\n\r\n'
        body = part.encode() + head.encode() + photo + f"\r\n--{edge}--\r\n".encode()
        return self.send("/api/identify", body, f"multipart/form-data; boundary={edge}")

    def send(self, path: str, body: bytes, kind: str) -> tuple[int, float, bytes]:
        request = urllib.request.Request(self.url + path, body, {"Content-Type": kind, "Origin": self.url})
        started = time.monotonic()
        try:
            with self.opener.open(request, timeout=120) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        except OSError as error:
            status, text = 0, str(error).encode()
        return status, time.monotonic() - started, text


def honest_times(person: Person, photo: bytes, seconds: float, is_over: threading.Event) -> list[float]:
    """Sorted times of the answers in s; refusals are printed, not timed."""
    times, refused, until = [], {}, time.monotonic() + seconds
    while time.monotonic() < until and not is_over.is_set():
        status, took, _ = person.identify(photo)
        if status == 200:
            times.append(took)
        else:
            refused[status] = refused.get(status, 0) + 1
        time.sleep(0.05)
    if refused:
        print(f"the honest scans were refused: {refused}")
    return sorted(times)


def serve(url: str, folder: Path, honest: Path, at_once: int) -> None:
    """Sends all hostile files, `at_once` at a time, while somebody else scans an honest photograph."""
    photo = honest.read_bytes()
    person, attacker = Person(url), Person(url)
    never = threading.Event()
    before = honest_times(person, photo, 10, never)
    files = iter(sorted((folder / "hostile").iterdir()))
    lock, statuses, slow = threading.Lock(), {}, []

    def attack() -> None:
        while True:
            with lock:
                path = next(files, None)
            if path is None:
                return
            status, took, _ = attacker.identify(path.read_bytes())
            with lock:
                statuses[status] = statuses.get(status, 0) + 1
                slow.append((took, path.name, status))

    threads = [threading.Thread(target=attack) for _ in range(at_once)]
    is_over, during = threading.Event(), []
    watching = threading.Thread(
        target=lambda: during.extend(honest_times(person, photo, 3600, is_over))
    )
    for thread in [*threads, watching]:
        thread.start()
    for thread in threads:
        thread.join()
    is_over.set()
    watching.join()
    print(f"hostile: {statuses}")
    for took, name, status in sorted(slow, reverse=True)[:5]:
        print(f"    {took:6.2f} s  {status}  {name}")
    for name, times in (("alone", before), ("under attack", sorted(during))):
        middle, high = times[len(times) // 2], times[int(len(times) * 0.95)]
        print(f"honest scans {name}: {len(times)}, median {middle * 1000:.0f} ms, p95 {high * 1000:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("make")
    command.add_argument("folder", type=Path)
    command.add_argument("--photos", type=Path)
    command.add_argument("--broken", type=int, default=10_000)
    command.add_argument("--hostile", type=int, default=500)
    command = commands.add_parser("scan")
    command.add_argument("program")
    command.add_argument("folder", type=Path)
    command.add_argument("--memory", type=int, default=0, help="limit of address space, in MB")
    command = commands.add_parser("serve")
    command.add_argument("url")
    command.add_argument("folder", type=Path)
    command.add_argument("--honest", type=Path, required=True)
    command.add_argument("--at-once", type=int, default=8)
    given = parser.parse_args()
    if given.command == "make":
        make(given.folder, given.photos, given.broken, given.hostile)
    elif given.command == "scan":
        scan(given.program, given.folder, given.memory)
    else:
        serve(given.url, given.folder, given.honest, given.at_once)


if __name__ == "__main__":
    sys.exit(main())
