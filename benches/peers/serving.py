"""A server of ours beside a Python service on the same network: photographs a second, latency, memory, start.

usage: serving.py PROGRAM PHOTOGRAPH [--rounds N] [--seconds N] [--clients 1 8 64] [--decoders pillow vips]

PROGRAM is `target/release/partsight`. The load comes from wrk (Debian: `apt-get install wrk`) on the same machine, which
posts one photograph over and over; both servers take turns in each round, so that a busy machine slows both. Ours does
what it does for people as well: an account, its limits, a row with a receipt for each scan. The service does none of
it. Prints a table, and JSON with `--json FILE`.
"""

import argparse
import asyncio
import contextlib
import json
import os
import platform
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attacks"))
from load_client import PHOTO, sign_up  # noqa: E402

BOUNDARY = "partsight-peers"
LUA = """
local file = io.open(os.getenv("PEER_BODY"), "rb")
wrk.method = "POST"
wrk.body = file:read("*a")
file:close()
wrk.headers["Content-Type"] = "multipart/form-data; boundary=%s"
local session = os.getenv("PEER_COOKIE")
if session and session ~= "" then wrk.headers["Cookie"] = session end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %%d %%d %%d %%d %%d %%d\\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
""" % BOUNDARY


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def resident_mb(pid: int) -> float:
    """Memory of a process and of those it started, shared pages counted once for each (proportional set size)."""
    total = 0.0
    for process in [pid, *map(int, subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split())]:
        with contextlib.suppress(OSError):
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
            total += int(re.search(r"^Pss:\s+(\d+)", rollup, flags=re.M)[1]) / 1024
    return total


class Running:
    """A server under test: where it listens, how long it took to start, and what a request needs."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, started: float) -> None:
        self.process, self.port, self.cookie = process, port, ""
        for _ in range(1200):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                self.start_seconds = time.monotonic() - started
                return
            if process.poll() is not None:
                break
            time.sleep(0.02)
        sys.exit("a server did not start")


@contextlib.contextmanager
def stopping(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()


@contextlib.contextmanager
def ours(program: Path) -> Iterator[Running]:
    with tempfile.TemporaryDirectory() as folder:
        port, started = free_port(), time.monotonic()
        environment = os.environ | {"PARTSIGHT_PLAN": "pro"}
        command = [program, "serve", "--listen", f"127.0.0.1:{port}", "--data-dir", folder]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with stopping(process):
            server = Running(process, port, started)
            server.cookie = signed_up(port)
            yield server


def signed_up(port: int) -> str:
    """The session cookie of a new account with a vehicle."""
    return asyncio.run(sign_up(port, 1, PHOTO))[0].headers["Cookie"]


@contextlib.contextmanager
def python_service(decoder: str) -> Iterator[Running]:
    port, started = free_port(), time.monotonic()
    command = [sys.executable, "-m", "uvicorn", "service:app", "--port", str(port), "--workers", str(os.cpu_count() or 1)]
    process = subprocess.Popen(
        [*command, "--log-level", "error"], cwd=Path(__file__).parent, env=os.environ | {"PEER_DECODER": decoder},
    )  # fmt: skip
    with stopping(process):
        yield Running(process, port, started)


def load(server: Running, body: Path, script: Path, clients: int, seconds: int) -> dict[str, float]:
    environment = os.environ | {"PEER_BODY": str(body), "PEER_COOKIE": server.cookie}
    command = ["wrk", "--threads", "1", "--connections", str(clients), "--duration", f"{seconds}s", "--timeout", "30s"]
    url = f"http://127.0.0.1:{server.port}/api/identify"
    output = subprocess.run([*command, "--script", script, url], env=environment, capture_output=True, text=True, check=True)
    figures = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)", output.stdout)
    requests, micros, p50, p99, refused, failed = map(int, figures.groups())
    return {
        "answeredPerSecond": (requests - refused) / (micros / 1e6), "p50Ms": p50 / 1000, "p99Ms": p99 / 1000,
        "refused": refused, "failed": failed, "memoryMb": resident_mb(server.process.pid), "startSeconds": server.start_seconds,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("photograph", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--decoders", nargs="+", default=["pillow", "vips"], choices=["pillow", "vips"])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
    with tempfile.TemporaryDirectory() as folder:
        body, script = Path(folder, "body"), Path(folder, "post.lua")
        body.write_bytes(head.encode() + options.photograph.read_bytes() + f"\r\n--{BOUNDARY}--\r\n".encode())
        script.write_text(LUA)
        makers = {"ours": lambda: ours(options.program.resolve())}
        makers |= {f"python, {name}": (lambda name=name: python_service(name)) for name in options.decoders}
        seen: dict[tuple[str, int], list[dict[str, float]]] = {}
        for number in range(options.rounds):
            for name, make in makers.items():
                with make() as server:
                    load(server, body, script, 2, 2)
                    for clients in options.clients:
                        seen.setdefault((name, clients), []).append(load(server, body, script, clients, options.seconds))
                print(f"round {number + 1}: {name} done", file=sys.stderr)

    medians = {key: {figure: statistics.median(run[figure] for run in runs) for figure in runs[0]} for key, runs in seen.items()}
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {options.rounds} rounds of {options.seconds} s")
    print(f"{'':16}{'clients':>8}{'a second':>10}{'p50 ms':>9}{'p99 ms':>9}{'refused':>9}{'failed':>8}{'MB':>8}{'start s':>9}")
    for (name, clients), row in medians.items():
        print(
            f"{name:16}{clients:8}{row['answeredPerSecond']:10.1f}{row['p50Ms']:9.1f}{row['p99Ms']:9.1f}"
            f"{row['refused']:9.0f}{row['failed']:8.0f}{row['memoryMb']:8.0f}{row['startSeconds']:9.2f}"
        )
    if options.json:
        options.json.write_text(json.dumps([{"server": key[0], "clients": key[1], **row} for key, row in medians.items()], indent=2))


if __name__ == "__main__":
    main()
