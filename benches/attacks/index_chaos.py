#!/usr/bin/env python3
"""What becomes of scans while their Qdrant server is stopped, killed or robbed of its collection:
`index_chaos.py target/release/partsight QDRANT PHOTO`.

QDRANT is a server's program or an xz file of it. PHOTO shows a part that the model does not know. It is taught, among many
references that are drawn by chance, and when the graph is built it is scanned all the time. Every answer has to be that
part, or has to say that taught parts were missing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from durability import free_port
from load_client import BOUNDARY, percentiles, request, scan_form, sign_up
from qdrant_server import QdrantServer

SLOWEST_SCAN = 1.2
LONGEST_START = 3.0
NAME = "Taught by chaos"
REFERENCES_A_TYPE = 10


class Qdrant(QdrantServer):
    """With what the attack asks it for."""

    def n_writes(self) -> int:
        """Calls that changed points, since the server started."""
        lines = self.get("/metrics").decode().splitlines()
        changing = ("Upsert", "Delete", "SetPayload", "OverwritePayload", "UpdateBatch", "UpdateVectors", "DeletePayload")
        names = [f'endpoint="/qdrant.Points/{name}"' for name in changing]
        counts = [line for line in lines if line.startswith("grpc_responses_total") and any(name in line for name in names)]
        return sum(int(line.rpartition(" ")[2]) for line in counts)


class Partsight:
    """The program with its data in `folder`, which stays between starts."""

    def __init__(self, program: Path, folder: Path, qdrant: Qdrant) -> None:
        self.program, self.folder, self.port = program.resolve(), folder, free_port()
        own = {name: value for name, value in os.environ.items() if not name.startswith("PARTSIGHT_")}
        if "PARTSIGHT_ONNXRUNTIME" in os.environ:
            own["PARTSIGHT_ONNXRUNTIME"] = os.environ["PARTSIGHT_ONNXRUNTIME"]
        address = f"http://127.0.0.1:{qdrant.grpc}"
        self.environment = own | {
            "PARTSIGHT_PLAN": "business",
            "PARTSIGHT_QDRANT_URL": address,
            "PARTSIGHT_TRUSTED_PROXIES": "127.0.0.0/8",
        }

    def start(self) -> float:
        """Seconds until it answers."""
        started = time.monotonic()
        with (self.folder / "server.log").open("a") as log:
            command = [self.program, "serve", "--listen", f"127.0.0.1:{self.port}", "--data-dir", str(self.folder / "data")]
            self.process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=log, stderr=log)
        while time.monotonic() - started < 120:
            if self.process.poll() is not None:
                sys.exit(f"the server ended:\n{(self.folder / 'server.log').read_text()[-2000:]}")
            try:
                if asyncio.run(request(self.port, "GET", "/health")).status == 200:
                    return time.monotonic() - started
            except OSError:
                time.sleep(0.02)
        sys.exit("the server does not answer after two minutes")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def index(self) -> dict[str, object]:
        checks = json.loads(asyncio.run(request(self.port, "GET", "/ready")).body)["checks"]
        return next(check for check in checks if check["name"] == "index")

    def wait_until_whole(self, seconds: float) -> float:
        """Seconds until the index is whole."""
        started = time.monotonic()
        while not self.index()["ok"]:
            if time.monotonic() - started > seconds:
                sys.exit(f"the index is not whole after {seconds} s: {self.index()['detail']}")
            time.sleep(0.2)
        return time.monotonic() - started


def teaching_form(photo: bytes) -> bytes:
    fields = {"name": NAME, "category": "engine", "acceptCollision": "true"}
    parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    return "".join(parts).encode() + scan_form(photo)


def add_references(database: Path, number: int) -> None:
    """References by chance of the account that has taught one, beside that one, as teaching would have written them."""
    chance = random.Random(1)
    with sqlite3.connect(database) as connection:
        taught = "SELECT tenant_id, category, model_sha256, length(embedding) / 4, created_at, fingerprint, label FROM part_reference"
        tenant, category, model, dimension, created_at, fingerprint, label = connection.execute(taught).fetchone()
        (revision,) = connection.execute("SELECT revision FROM part_reference_revision").fetchone()
        (of_type,) = connection.execute("SELECT category FROM taught_part_type WHERE label = ?", [label]).fetchone()
        for n in range(number):
            type_number = n // REFERENCES_A_TYPE
            if n % REFERENCES_A_TYPE == 0:
                row = [str(uuid.uuid4()), tenant, f"chance-{type_number}", f"Chance {type_number}", of_type, created_at]
                connection.execute(
                    "INSERT INTO taught_part_type (taught_part_type_id, tenant_id, label, name, category, created_at) "
                    "VALUES (?, ?, ?, ?, ?, ?)", row)  # fmt: skip
            values = [chance.gauss(0, 1) for _ in range(dimension)]
            length = sum(value * value for value in values) ** 0.5
            embedding = struct.pack(f"<{dimension}f", *(value / length for value in values))
            row = [str(uuid.uuid4()), tenant, f"chance-{type_number}", category, model, embedding, fingerprint, created_at, revision + 1 + n]
            connection.execute(
                "INSERT INTO part_reference (part_reference_id, tenant_id, label, category, kind, model_sha256, embedding, "
                "fingerprint, created_at, revision) VALUES (?, ?, ?, ?, 'enrolled', ?, ?, ?, ?, ?)", row)  # fmt: skip
        connection.execute("UPDATE part_reference_revision SET revision = ?", [revision + number])


async def scan_all_the_while(server: Partsight, headers: dict[str, str], photo: bytes, is_over: asyncio.Event) -> dict[str, object]:
    """Scans five times a second until the end. Wrong is an answer other than the taught part that does not say why."""
    seconds, wrong, lacking, other = [], 0, 0, {}
    while not is_over.is_set():
        answer = await request(server.port, "POST", "/api/identify", headers, scan_form(photo))
        body = json.loads(answer.body)
        if answer.status == 200:
            lacks = body["receipt"]["lacksTaughtParts"]
            is_right = body["identification"]["partName"] == NAME
        elif answer.status == 422:
            # That it shows no known part is an answer as well, which has to say what was missing.
            lacks, is_right = "taught" in answer.body.decode(), False
        else:
            other[str(answer.status)] = other.get(str(answer.status), 0) + 1
            continue
        seconds.append(answer.seconds)
        lacking += lacks
        wrong += not lacks and not is_right
        await asyncio.sleep(0.2)
    return {"scans": len(seconds), "seconds": percentiles(seconds), "lacking": lacking, "wrong": wrong, "other": other}


async def during(server: Partsight, headers: dict[str, str], photo: bytes, harm: object, most_seconds: float) -> dict[str, object]:
    """Scans while `harm` is done on another thread, and until the index is whole again."""
    is_over = asyncio.Event()
    scans = asyncio.create_task(scan_all_the_while(server, headers, photo, is_over))
    await asyncio.sleep(2)
    await asyncio.to_thread(harm)
    # The server has to notice first.
    await asyncio.sleep(12)
    whole_after = 12 + await asyncio.to_thread(server.wait_until_whole, most_seconds)
    await asyncio.sleep(2)
    is_over.set()
    return {"wholeAfter": round(whole_after, 1)} | await scans


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("qdrant", type=Path)
    parser.add_argument("photo", type=Path)
    parser.add_argument("--references", type=int, default=100_000)
    parser.add_argument("--patience", type=float, default=1200, help="seconds that filling the collection, or its graph, may take")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="partsight-chaos."))
    qdrant = Qdrant(given.qdrant, folder)
    server = Partsight(given.program, folder, qdrant)
    report: dict[str, object] = {"references": given.references}
    try:
        server.start()
        person = asyncio.run(sign_up(server.port, 1, given.photo))[0]
        photo = given.photo.read_bytes()
        taught = asyncio.run(request(server.port, "POST", "/api/catalog/types", person.headers, teaching_form(photo)))
        if taught.status != 201:
            sys.exit(f"teaching was answered {taught.status}: {taught.body.decode(errors='replace')}")
        server.stop()
        add_references(folder / "data" / "partsight.db", given.references)
        server.start()
        report["filledAfter"] = round(server.wait_until_whole(given.patience), 1)
        report["graphAfter"] = round(qdrant.wait_for_graph(1 + given.references, given.patience), 1)
        server.stop()
        writes = qdrant.n_writes()
        report["secondStart"] = round(server.start(), 2)
        report["secondWhole"] = round(server.wait_until_whole(60), 2)
        report["secondWrites"] = qdrant.n_writes() - writes

        def stopped() -> None:
            qdrant.process.send_signal(signal.SIGSTOP)
            time.sleep(10)
            qdrant.process.send_signal(signal.SIGCONT)

        def killed() -> None:
            qdrant.kill()
            time.sleep(10)
            qdrant.start()

        def deleted() -> None:
            for name in qdrant.collections():
                qdrant.get(f"/collections/{name}", "DELETE")

        for name, harm in (("stopped", stopped), ("killed", killed), ("deleted", deleted)):
            report[name] = asyncio.run(during(server, person.headers, photo, harm, given.patience))
        is_alive = server.process.poll() is None
    finally:
        server.process.kill()
        server.process.wait()
        qdrant.process.send_signal(signal.SIGCONT)
        qdrant.kill()
        shutil.rmtree(folder, ignore_errors=True)
    harms = [report[name] for name in ("stopped", "killed", "deleted")]
    checks = {
        "alive": is_alive,
        "secondStartIsFast": report["secondStart"] <= LONGEST_START,
        "nothingWrittenAnew": report["secondWrites"] == 0,
        "noScanSlow": all(harm["seconds"]["max"] <= SLOWEST_SCAN for harm in harms),
        "noneWrongInSilence": all(harm["wrong"] == 0 and not harm["other"] for harm in harms),
    }
    print(json.dumps(report | {"checks": checks}, indent=2))
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
