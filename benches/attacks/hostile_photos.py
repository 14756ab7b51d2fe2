"""Makes broken and hostile photographs, and sends them through the command line and the API.

    python3 hostile_photos.py make DIR --photos PHOTOS            # 10,000 broken and 500 hostile files
    python3 hostile_photos.py scan PROGRAM DIR --memory 1000      # through `partsight scan`
    python3 hostile_photos.py serve PROGRAM DIR --honest PHOTO --memory 1000   # through a server that it starts

The same seed gives the same files. Only the standard library is used.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import hostile_formats
from load_client import Person, Server, percentiles, request, scan_form, sign_up

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


class MemoryLimit:
    """A control group whose processes may hold so many MB together; those that take more are killed. Needs root."""

    def __init__(self, megabytes: int) -> None:
        first = Path("/sys/fs/cgroup/memory")
        self.is_first_version = first.is_dir()
        self.folder = (first if self.is_first_version else Path("/sys/fs/cgroup")) / f"partsight-{os.getpid()}"
        self.folder.mkdir()
        name = "memory.limit_in_bytes" if self.is_first_version else "memory.max"
        (self.folder / name).write_text(str(megabytes * 1_000_000))

    def join(self) -> None:
        """Between fork and exec, so that what the program allocates first counts as well."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def killed(self) -> int:
        """Processes that were killed because of the limit."""
        name = "memory.oom_control" if self.is_first_version else "memory.events"
        counts = dict(line.split() for line in (self.folder / name).read_text().splitlines())
        return int(counts.get("oom_kill", 0))

    def remove(self) -> None:
        self.folder.rmdir()


def honest_times(port: int, person: Person, seconds: float, is_over: Event) -> tuple[list[float], dict[int, int]]:
    """Sorted times of the answers in s, and how often each other status came."""
    times, refused, until = [], {}, time.monotonic() + seconds
    with asyncio.Runner() as runner:
        while time.monotonic() < until and not is_over.is_set():
            answer = runner.run(request(port, "POST", "/api/identify", person.headers, person.scan))
            if answer.status in (200, 422):
                times.append(answer.seconds)
            else:
                refused[answer.status] = refused.get(answer.status, 0) + 1
            time.sleep(0.05)
    return sorted(times), refused


def under_attack(port: int, files: list[Path], honest: Person, attackers: list[Person], at_once: int) -> dict[str, object]:
    """Sends the files, `at_once` at a time and in turns by each attacker, while somebody else scans a photograph."""
    waiting, lock = iter(enumerate(files)), threading.Lock()
    statuses: dict[str, int] = {}
    slow: list[tuple[float, str, str]] = []

    def attack() -> None:
        # One event loop for all of its requests, so that the server has more of the processor.
        with asyncio.Runner() as runner:
            attack_with(runner)

    def attack_with(runner: asyncio.Runner) -> None:
        while True:
            with lock:
                number, path = next(waiting, (0, None))
            if path is None:
                return
            attacker, started = attackers[number % len(attackers)], time.monotonic()
            try:
                form = scan_form(path.read_bytes())
                status = str(runner.run(request(port, "POST", "/api/identify", attacker.headers, form)).status)
            except (OSError, EOFError, TimeoutError) as error:
                status = type(error).__name__
            with lock:
                statuses[status] = statuses.get(status, 0) + 1
                slow.append((round(time.monotonic() - started, 2), path.name, status))

    # In a process of its own: among the attacking threads of this one it would wait for the interpreter.
    forked = multiprocessing.get_context("fork")
    is_over, honest_scans = forked.Event(), forked.SimpleQueue()
    watching = forked.Process(target=lambda: honest_scans.put(honest_times(port, honest, 3600, is_over)))
    watching.start()
    threads = [threading.Thread(target=attack) for _ in range(at_once)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    is_over.set()
    times, refused = honest_scans.get()
    watching.join()
    return {
        "files": len(files),
        "seconds": round(time.monotonic() - started, 1),
        "statuses": statuses,
        "slowest": sorted(slow, reverse=True)[:5],
        "honest": percentiles(times),
        "honestScans": len(times),
        "honestRefused": refused,
    }


def serve(program: Path, folder: Path, honest: Path, memory_mb: int, at_once: int) -> bool:
    """Starts a server, within the limit of memory unless that is 0, and sends it all files. Whether all checks held."""
    limit = MemoryLimit(memory_mb) if memory_mb else None
    arguments = argparse.Namespace(program=program, database_url=None, set=[])
    try:
        with Server(arguments, limit.join if limit else None) as server:
            people = asyncio.run(sign_up(server.port, 1 + at_once, honest))
            peak = PeakMemory(server.process.pid)
            alone, _ = honest_times(server.port, people[0], 10, multiprocessing.Event())
            report: dict[str, object] = {"memoryMb": memory_mb, "alone": percentiles(alone), "aloneScans": len(alone)}
            for name, attackers in (("hostile", people[1:2]), ("broken", people[1:])):
                files = sorted((folder / name).iterdir())
                report[name] = under_attack(server.port, files, people[0], attackers, at_once)
            report["peak"] = peak.stop()
            is_alive = server.process.poll() is None
    finally:
        killed = limit.killed() if limit else 0
        if limit:
            limit.remove()
    attacks = [report["hostile"], report["broken"]]
    checks = {
        "alive": is_alive and killed == 0,
        "onlyAnswersAndRefusals": all(set(one["statuses"]) <= {"200", "400", "413", "415", "422", "429", "503"} for one in attacks),
        "noneOverTwoSeconds": all(one["slowest"][0][0] <= 2 for one in attacks),
        "othersAtMostTwice": all(one["honest"]["p50"] <= 2 * report["alone"]["p50"] for one in attacks),
    }
    print(json.dumps(report | {"checks": checks}, indent=2))
    return all(checks.values())


def main() -> int:
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
    command.add_argument("program", type=Path)
    command.add_argument("folder", type=Path)
    command.add_argument("--honest", type=Path, required=True)
    command.add_argument("--memory", type=int, default=0, help="what the server and its decoding processes may hold, in MB (needs root)")
    command.add_argument("--at-once", type=int, default=8)
    given = parser.parse_args()
    if given.command == "make":
        make(given.folder, given.photos, given.broken, given.hostile)
    elif given.command == "scan":
        scan(given.program, given.folder, given.memory)
    elif not serve(given.program, given.folder, given.honest, given.memory, given.at_once):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
