#!/usr/bin/env python3
"""Kills a server 20 times while it answers a batch, and looks for what was answered twice, not at all, or never told.

Usage: batch_kill9.py PROGRAM PHOTOS [--database postgres] [--replicas 2] [--kills 20] [--photos 2000]

PHOTOS is a folder of JPEG files, which are repeated with other bytes. With two replicas one of them is killed, in turn
and at random, while the other goes on. A receiver of webhooks on 127.0.0.1 notes every delivery.
"""

from __future__ import annotations

import argparse
import base64
import collections
import hashlib
import hmac
import http.server
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from batch_load import FORM, form_of, repeated, sign_up
from durability import Client, Place, Postgres, Server, Sqlite, percentile, wait_for

# What a receiver takes for an answer: long enough that kills fall between a delivery and the note of it.
RECEIVER_SECONDS = 0.15


class Receiver(http.server.ThreadingHTTPServer):
    """Takes webhooks, checks their signatures, and notes id and attempt of each."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Hook)
        self.secret, self.lock = "", threading.Lock()
        self.attempts: dict[str, list[int]] = collections.defaultdict(list)
        self.types: dict[str, str] = {}
        self.faults: list[str] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """A server that is killed hangs up in the middle of its call."""


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:  # noqa: N802, the name that http.server calls
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not body:
            return
        event = json.loads(body)
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        key = base64.b64decode(self.server.secret.removeprefix("whsec_"))
        expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        with self.server.lock:
            if not hmac.compare_digest(expected, self.headers["webhook-signature"]):
                self.server.faults.append(f"the signature of {event['id']} is wrong")
            if event["id"] != self.headers["webhook-id"]:
                self.server.faults.append(f"{event['id']} came under the id {self.headers['webhook-id']}")
            self.server.attempts[event["id"]].append(int(self.headers["partsight-attempt"]))
            self.server.types[event["id"]] = event["type"]
        time.sleep(RECEIVER_SECONDS)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def counts_of(client: Client, path: str) -> dict[str, int] | None:
    """How far the batch is; none while the server that is asked is away."""
    try:
        status, batch = client.call("GET", path)
    except OSError:
        return None
    return batch["counts"] if status == 200 else None


def finished_of(counts: dict[str, int]) -> int:
    return counts["total"] - counts["waiting"] - counts["running"]


def check(database: Sqlite | Postgres, email: str, n_photos: int, receiver: Receiver) -> tuple[list[str], dict[str, object]]:
    """What is wrong in the database and at the receiver, as sentences, and the figures."""
    faults = list(receiver.faults)
    ask = database.query
    tenant, used = ask(f"SELECT tenant_id, scans_used FROM app_user WHERE email = '{email}'")[0]
    states = {state: int(n) for state, n in ask("SELECT state, COUNT(*) FROM batch_item GROUP BY state")}
    n_answered = states.get("answered", 0)
    if sum(states.values()) != n_photos or set(states) - {"answered", "not-a-part"}:
        faults.append(f"of {n_photos} photographs came {states}")
    scans = int(ask(f"SELECT COUNT(*) FROM scan WHERE tenant_id = '{tenant}'")[0][0])
    named = int(ask("SELECT COUNT(DISTINCT scan_id) FROM batch_item WHERE state = 'answered'")[0][0])
    if not n_answered == scans == named == int(used):
        faults.append(f"{n_answered} are answered, {scans} scans are there, {named} are named, {used} are counted")
    left = int(ask("SELECT COUNT(*) FROM batch_photo")[0][0])
    if left:
        faults.append(f"{left} photographs are kept though they have their answer")
    events = dict(ask(f"SELECT event_id, kind FROM account_event WHERE tenant_id = '{tenant}'"))
    by_type = collections.Counter(events.values())
    if by_type["scan.answered"] != n_answered or by_type["batch.finished"] != 1:
        faults.append(f"{n_answered} are answered, and the events are {dict(by_type)}")
    if missing := set(events) - set(receiver.attempts):
        faults.append(f"{len(missing)} events never came to the receiver")
    if extra := set(receiver.attempts) - set(events):
        faults.append(f"{len(extra)} deliveries are of no event")
    repeats = {event: tries for event, tries in receiver.attempts.items() if len(tries) > 1}
    # A repeat is known by its id and by the number of the try, which only grows.
    for event, tries in repeats.items():
        if sorted(set(tries)) != tries:
            faults.append(f"the tries of {event} are numbered {tries}")
    return faults, {"states": states, "events": dict(by_type), "deliveries": sum(map(len, receiver.attempts.values())),
                    "repeated": len(repeats)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path, metavar="PHOTOS")
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--photos", type=int, default=2000)
    chosen = parser.parse_args()
    is_postgres = chosen.database == "postgres"
    if chosen.replicas > 1 and not is_postgres:
        parser.error("servers share a PostgreSQL alone")
    os.environ["PARTSIGHT_WEBHOOK_PRIVATE_ADDRESSES"] = "true"

    place = Place()
    files_place = Path(tempfile.mkdtemp(prefix="partsight-batch."))
    receiver, database, servers = Receiver(), None, []
    try:
        files = repeated(chosen.folder, files_place, chosen.photos)
        folders = [place.path / f"data-{number}" for number in range(chosen.replicas)]
        for folder in folders:
            folder.mkdir()
        database = Postgres(place.path / "cluster", fsync=True) if is_postgres else Sqlite(folders[0])
        servers = [Server(chosen.program.resolve(), folder, database) for folder in folders]
        client = sign_up(servers[0].port)
        _, person = client.call("GET", "/api/auth/user")
        status, hook = client.call("POST", "/api/webhooks", {
            "url": f"http://127.0.0.1:{receiver.server_port}/hook",
            "events": ["scan.answered", "batch.finished", "batch.stopped", "batch.item-failed"]})
        assert status == 201, (status, hook)
        receiver.secret = hook["secret"]
        _, batch = client.call("POST", "/api/batches", {"name": "Killed"})
        path = f"/api/batches/{batch['id']}"
        for at in range(0, len(files), FORM):
            status, report = client.call("POST", f"{path}/photos", *form_of(files[at : at + FORM]))
            assert status == 200, (status, report)
        client.call("POST", f"{path}/start")

        # A connection to each server, all as the same person.
        clients = [Client(server.port) for server in servers]
        for other in clients:
            other.cookie = client.cookie

        def finished() -> int:
            for other in clients:
                if counts := counts_of(other, path):
                    return finished_of(counts)
            return -1

        kills = 0
        backs = []
        for kill in range(chosen.kills):
            goal = chosen.photos * (kill + 1) // (chosen.kills + 2)
            wait_for(finished, goal, servers, pause=0.05)
            time.sleep(random.random() * 0.2)
            victim = servers[random.randrange(len(servers))]
            victim.kill()
            kills += 1
            # The other one goes on for a while; one alone is started by its init system at once.
            time.sleep(random.random() * 2 if len(servers) > 1 else 0)
            killed = time.monotonic()
            victim.start()
            backs.append(time.monotonic() - killed)
            print(f"kill {kills}: {finished()} of {chosen.photos} finished", file=sys.stderr, flush=True)
        started = time.monotonic()
        while finished() < chosen.photos:
            if time.monotonic() > started + 1200:
                break
            time.sleep(0.2)
        # What a killed server held is taken over after a minute; then the last deliveries go out.
        waiting = "SELECT COUNT(*) FROM webhook_delivery WHERE state = 'waiting'"
        while time.monotonic() < started + 1500 and int(database.query(waiting)[0][0]):
            time.sleep(0.5)
        faults, figures = check(database, person["email"], chosen.photos, receiver)
        print(json.dumps({
            "database": chosen.database, "replicas": chosen.replicas, "kills": kills, "photographs": chosen.photos,
            **figures, "startedAgainAfterSeconds": {"median": round(percentile(backs, 0.5), 2), "most": round(max(backs), 2)},
            "faults": faults,
        }, indent=1))
        return 1 if faults else 0
    finally:
        for server in servers:
            server.kill()
        if database:
            database.end()
        receiver.shutdown()
        place.end()
        shutil.rmtree(files_place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
