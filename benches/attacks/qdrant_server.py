"""A Qdrant server of a script's own, on 127.0.0.1. Standard library only."""

from __future__ import annotations

import json
import lzma
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from durability import free_port

# Green so many seconds in a row: between two segments that it works on, a server looks finished as well.
N_GREEN = 5


class QdrantServer:
    """The server's program, or an xz file of it, with its data in `folder`, which stays between starts."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.folder, self.program = folder, folder / "qdrant"
        if program.suffix == ".xz":
            with lzma.open(program) as packed, self.program.open("wb") as unpacked:
                shutil.copyfileobj(packed, unpacked)
            self.program.chmod(0o755)
        else:
            self.program.symlink_to(program.resolve())
        self.http, self.grpc = free_port(), free_port()
        self.start()

    def start(self) -> None:
        environment = {
            "QDRANT__SERVICE__HOST": "127.0.0.1",
            "QDRANT__SERVICE__HTTP_PORT": str(self.http),
            "QDRANT__SERVICE__GRPC_PORT": str(self.grpc),
            "QDRANT__STORAGE__STORAGE_PATH": str(self.folder / "storage"),
            "QDRANT__STORAGE__SNAPSHOTS_PATH": str(self.folder / "snapshots"),
        }
        with (self.folder / "qdrant.log").open("a") as log:
            self.process = subprocess.Popen(
                [self.program, "--disable-telemetry"], cwd=self.folder, env=os.environ | environment, stdout=log, stderr=log
            )
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.http}/readyz", timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit("the Qdrant server does not start: see qdrant.log")

    def get(self, path: str, method: str = "GET") -> bytes:
        call = urllib.request.Request(f"http://127.0.0.1:{self.http}{path}", method=method)
        with urllib.request.urlopen(call, timeout=60) as answer:
            return answer.read()

    def collections(self) -> list[str]:
        return [found["name"] for found in json.loads(self.get("/collections"))["result"]["collections"]]

    def wait_for_graph(self, n_points: int, seconds: float) -> float:
        """Seconds until its only collection has so many points, and a graph of them."""
        started, n_green = time.monotonic(), 0
        while n_green < N_GREEN:
            time.sleep(1)
            if time.monotonic() - started > seconds:
                sys.exit(f"the graph is not built after {seconds} s")
            [name] = self.collections()
            found = json.loads(self.get(f"/collections/{name}"))["result"]
            n_green = n_green + 1 if found["status"] == "green" and found["points_count"] == n_points else 0
        return time.monotonic() - started - N_GREEN

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
