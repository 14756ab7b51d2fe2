"""What overload.py and soak.py share: a server of their own, people with accounts in it, and requests by the clock.

Standard library only. The server runs on 127.0.0.1 with its data in a folder that is deleted, and ends with the script.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# A drawing of 96 by 64 pixels: decoding costs next to nothing, so that the model is what is measured.
PHOTO = REPOSITORY / "crates/inference/tests/fixtures/baseline.jpg"
# No answer takes longer; one that does is a fault.
ANSWER_LIMIT = 60.0
# Of this machine, that connections come from.
ADDRESSES = 20
# Between the parts of a form.
BOUNDARY = "partsight-load"


def options(description: str, seconds: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("program", type=Path, help="the program, such as target/release/partsight")
    parser.add_argument("--seconds", type=int, default=seconds, help="how long the load lasts (default %(default)s)")
    parser.add_argument("--measure", type=int, default=15, help="seconds for measuring what the server can (default %(default)s)")
    parser.add_argument("--people", type=int, default=20, help="accounts that send (default %(default)s)")
    parser.add_argument("--connections", type=int, default=256, help="most connections at a time (default %(default)s)")
    parser.add_argument("--photo", type=Path, default=PHOTO, help="what is scanned")
    parser.add_argument("--database-url", help="a database of this server's own; a new SQLite file unless given")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a further setting, such as PARTSIGHT_QUEUE_CAPACITY=64")
    return parser


# --- The server --------------------------------------------------------------------------------------------


class Server:
    """The program, serving. `with Server(arguments) as server:`. `before_start` runs in the new process, before the program."""

    def __init__(self, arguments: argparse.Namespace, before_start: Callable[[], None] | None = None) -> None:
        self.before_start = before_start
        self.program = arguments.program.resolve()
        self.database_url = arguments.database_url
        self.settings = dict(pair.split("=", 1) for pair in arguments.set)
        self.log: list[str] = []

    def __enter__(self) -> Server:
        self.folder = Path(tempfile.mkdtemp(prefix="partsight-load."))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PARTSIGHT_")}
        environment |= {
            "PARTSIGHT_PLAN": "pro",
            # Everybody has an address of their own, so that limits by address treat them as so many people.
            "PARTSIGHT_TRUSTED_PROXIES": "127.0.0.0/8",
        }
        if self.database_url:
            environment["PARTSIGHT_DATABASE_URL"] = self.database_url
            subprocess.run([self.program, "migrate"], env=environment, check=True, cwd=self.folder)
        environment |= self.settings
        self.log_file = open(self.folder / "server.log", "w+b")  # noqa: SIM115, closed in __exit__
        self.process = subprocess.Popen(
            [self.program, "serve", "--listen", f"127.0.0.1:{self.port}", "--data-dir", str(self.folder / "data")],
            env=environment, cwd=self.folder, stdout=self.log_file, stderr=subprocess.STDOUT, preexec_fn=self.before_start,
        )  # fmt: skip
        for _ in range(600):
            if self.process.poll() is not None:
                sys.exit(f"the server ended with {self.process.returncode}:\n{self.last_lines()}")
            with contextlib.suppress(OSError):
                answer = asyncio.run(request(self.port, "GET", "/health"))
                if answer.status == 200:
                    return self
            time.sleep(0.1)
        sys.exit(f"the server does not answer after a minute:\n{self.last_lines()}")

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log_file.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def last_lines(self) -> str:
        return "\n".join((self.folder / "server.log").read_text(errors="replace").splitlines()[-15:])

    def sample(self) -> dict[str, float]:
        """What the process holds now; all zeros once it is gone."""
        process = Path("/proc") / str(self.process.pid)
        try:
            status = (process / "status").read_text()
            resident_kb = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
            sockets = {os.readlink(file) for file in (process / "fd").iterdir() if file.exists() or file.is_symlink()}
            threads = len(list((process / "task").iterdir()))
        except (OSError, StopIteration):
            return {"rssMb": 0.0, "files": 0, "connections": 0, "threads": 0}
        return {
            "rssMb": round(resident_kb / 1024, 1),
            "files": len(sockets),
            "connections": sum(1 for name in sockets if name.startswith("socket:")),
            "threads": threads,
        }


# --- Requests ----------------------------------------------------------------------------------------------


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float


class Connections:
    """Keeps connections open between requests, at most so many."""

    def __init__(self, port: int, most: int) -> None:
        self.port = port
        self.opened = 0
        self.idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self.places = asyncio.Semaphore(most)

    async def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        async with self.places:
            started = time.monotonic()
            is_kept = bool(self.idle)
            reader, writer = self.idle.pop() if is_kept else await self.connect()
            try:
                try:
                    answer, is_open = await exchange(reader, writer, method, path, headers, body)
                except (ConnectionError, asyncio.IncompleteReadError):
                    # The server may close a connection between two requests, but no new one under a request.
                    if not is_kept:
                        raise
                    writer.close()
                    reader, writer = await self.connect()
                    answer, is_open = await exchange(reader, writer, method, path, headers, body)
            except BaseException:
                writer.close()
                raise
            if is_open:
                self.idle.append((reader, writer))
            else:
                writer.close()
            answer.seconds = time.monotonic() - started
            return answer

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        # From several addresses of this machine, as so many clients, because one address may only have so many.
        self.opened += 1
        here = f"127.0.0.{2 + self.opened % ADDRESSES}"
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(here, 0))

    def close(self) -> None:
        for _, writer in self.idle:
            writer.close()
        self.idle.clear()


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, method: str, path: str, headers: dict[str, str], body: bytes
) -> tuple[Answer, bool]:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    await writer.drain()
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    answered = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    if answered.get("transfer-encoding") == "chunked":
        content = b""
        while size := int(await reader.readuntil(b"\r\n"), 16):
            content += (await reader.readexactly(size + 2))[:-2]
        await reader.readexactly(2)
    else:
        content = await reader.readexactly(int(answered.get("content-length", 0)))
    return Answer(int(head[0].split()[1]), answered, content, 0.0), answered.get("connection", "") != "close"


async def request(port: int, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
    connections = Connections(port, 1)
    try:
        return await asyncio.wait_for(connections.send(method, path, headers or {}, body), ANSWER_LIMIT)
    finally:
        connections.close()


# --- People ------------------------------------------------------------------------------------------------


@dataclass
class Person:
    headers: dict[str, str]
    scan: bytes


def scan_form(photo: bytes) -> bytes:
    """The body of `POST /api/identify` with one photograph."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n'
    return head.encode() + b"Content-Type: image/jpeg\r\n\r\n" + photo + f"\r\n--{BOUNDARY}--\r\n".encode()


async def sign_up(port: int, people: int, photo: Path) -> list[Person]:
    """Accounts with a default vehicle, each behind an address of its own."""
    form = scan_form(photo.read_bytes())
    signed_up = []
    for number in range(people):
        headers = {"X-Forwarded-For": f"10.1.{number // 250}.{number % 250 + 1}", "Content-Type": "application/json"}
        account = {"email": f"load{number}@example.com", "password": "only for this load 1", "firstName": "Ann", "lastName": "Lee"}
        answer = await request(port, "POST", "/api/auth/signup", headers, json.dumps(account).encode())
        if answer.status != 201:
            sys.exit(f"signing up was answered {answer.status}: {answer.body.decode(errors='replace')}")
        headers["Cookie"] = answer.headers["set-cookie"].split(";")[0]
        vehicle = {"make": "Honda", "model": "Civic", "year": 2015}
        answer = await request(port, "POST", "/api/vehicles", headers, json.dumps(vehicle).encode())
        if answer.status != 201:
            sys.exit(f"a vehicle was answered {answer.status}: {answer.body.decode(errors='replace')}")
        headers["Content-Type"] = f"multipart/form-data; boundary={BOUNDARY}"
        signed_up.append(Person(headers, form))
    return signed_up


@dataclass
class Tally:
    """What came of scans."""

    answered: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    without_retry_after: int = 0
    other: dict[str, int] = field(default_factory=dict)

    def count(self, what: str) -> None:
        self.other[what] = self.other.get(what, 0) + 1

    def take(self, answer: Answer) -> None:
        # 422 is an answer as well: no known part is in the photograph. It went through the model.
        if answer.status in (200, 422):
            self.answered.append(answer.seconds)
        elif answer.status in (429, 503):
            self.refused.append(answer.seconds)
            self.without_retry_after += "retry-after" not in answer.headers
        else:
            self.count(str(answer.status))

    async def scan(self, connections: Connections, person: Person) -> None:
        try:
            send = connections.send("POST", "/api/identify", person.headers, person.scan)
            self.take(await asyncio.wait_for(send, ANSWER_LIMIT))
        except TimeoutError:
            self.count("no answer in time")
        except (OSError, EOFError, ValueError) as error:
            self.count(type(error).__name__)

    def summary(self) -> dict[str, object]:
        return {
            "answered": len(self.answered),
            "answeredSeconds": percentiles(self.answered),
            "refused": len(self.refused),
            "refusedSeconds": percentiles(self.refused),
            "refusedWithoutRetryAfter": self.without_retry_after,
            "other": self.other,
        }


def percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    if not ordered:
        return {}
    place = lambda share: round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 4)  # noqa: E731
    return {"p50": place(0.5), "p95": place(0.95), "p99": place(0.99), "max": round(ordered[-1], 4)}


async def closed_loop(port: int, people: list[Person], seconds: float) -> tuple[float, Tally]:
    """Scans a second that the server can, and what came of them: as many at a time as there are processors."""
    tally = Tally()
    at_a_time = max(2, os.cpu_count() or 2)
    connections = Connections(port, at_a_time)
    end = time.monotonic() + seconds

    async def one_after_another(first: int) -> None:
        number = first
        while time.monotonic() < end:
            await tally.scan(connections, people[number % len(people)])
            number += at_a_time

    await asyncio.gather(*(one_after_another(number) for number in range(at_a_time)))
    connections.close()
    return len(tally.answered) / seconds, tally


async def open_loop(port: int, people: list[Person], rate: float, seconds: float, most: int) -> tuple[Tally, int]:
    """Scans by the clock, whether earlier ones are answered or not; and how many were never sent, because as many as
    may were on their way."""
    tally = Tally()
    connections = Connections(port, most)
    running: set[asyncio.Task[None]] = set()
    unsent = 0
    started = time.monotonic()
    for number in range(int(rate * seconds)):
        if (wait := started + number / rate - time.monotonic()) > 0:
            await asyncio.sleep(wait)
        elif number % 50 == 0:
            # Behind the clock, the answers still have to be read.
            await asyncio.sleep(0)
        if time.monotonic() - started > seconds:
            unsent += int(rate * seconds) - number
            break
        if len(running) >= most:
            unsent += 1
            continue
        task = asyncio.create_task(tally.scan(connections, people[number % len(people)]))
        running.add(task)
        task.add_done_callback(running.discard)
    if running:
        await asyncio.wait(running)
    connections.close()
    return tally, unsent


def attack(
    arguments: argparse.Namespace,
    work: Callable[[Server, list[Person], argparse.Namespace], Awaitable[tuple[dict[str, object], dict[str, bool]]]],
) -> None:
    """Runs `work` on a new server, prints its summary as one JSON object, and ends with an error unless every check holds."""

    async def run(server: Server) -> tuple[dict[str, object], dict[str, bool]]:
        return await work(server, await sign_up(server.port, arguments.people, arguments.photo), arguments)

    with Server(arguments) as server:
        summary, checks = asyncio.run(run(server))
        if not checks["alive"]:
            summary["lastLines"] = server.last_lines()
    summary["checks"] = checks
    summary["passed"] = all(checks.values())
    print(json.dumps(summary, indent=2))
    sys.exit(0 if summary["passed"] else 1)
