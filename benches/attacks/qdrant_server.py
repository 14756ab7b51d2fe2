"""A Qdrant server of a script's own, on 127.0.0.1. Standard library only."""

from __future__ import annotations

import lzma
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from durability import free_port


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

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
