#!/usr/bin/env python3
"""What one account can take from another: files of parts, and many scans at once.

    python3 benches/attacks/unfair.py PROGRAM PHOTO

starts PROGRAM on a free port of 127.0.0.1 with a folder of its own, and ends it. PHOTO is a photograph to scan.
Two accounts sign up. Prints, as one JSON object a line, how long the calls of the second take

- alone: reading its vehicles, and scanning PHOTO one by one;
- while the first imports four parts CSVs of 10,000 rows at once;
- while the first scans PHOTO 64 at a time.

Standard library only.
"""

import argparse
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

IMPORTS = 4
SCANS_AT_ONCE = 64
SCANS_ALONE = 20


class Account:
    """A browser with a session cookie; a connection for each call, so that threads can share it."""

    def __init__(self, port, name):
        self.port = port
        self.cookie = None
        body = {"email": f"{name}@example.com", "password": "correct horse", "firstName": name, "lastName": "Lee"}
        status, headers, text = self.call("POST", "/api/auth/signup", json.dumps(body).encode(), "application/json")
        if status != 201:
            sys.exit(f"sign-up was answered {status}: {text}")
        self.cookie = headers["set-cookie"].split(";")[0]
        vehicle = {"make": "Honda", "model": "Civic", "year": 2015}
        self.call("POST", "/api/vehicles", json.dumps(vehicle).encode(), "application/json")

    def call(self, method, path, body=None, media_type=None, timeout=600):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        headers = {"cookie": self.cookie} if self.cookie else {}
        if media_type:
            headers["content-type"] = media_type
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode()
        except OSError as error:
            return type(error).__name__, {}, str(error)
        finally:
            connection.close()

    def scan(self, photo):
        form = b"--xyz\r\ncontent-disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n\r\n%b\r\n--xyz--\r\n"
        return self.call("POST", "/api/identify", form % photo, "multipart/form-data; boundary=xyz")[0]

    def import_parts(self, file):
        return self.call("POST", "/api/catalog/parts/import?dryRun=true", file, "text/csv")[0]


def timed(call, until):
    """Repeats `call` until `until()` is true; milliseconds of each, and its statuses."""
    times, statuses = [], {}
    while not until():
        start = time.monotonic()
        status = call()
        times.append((time.monotonic() - start) * 1000)
        statuses[str(status)] = statuses.get(str(status), 0) + 1
    return times, statuses


def report(what, times, statuses):
    times = sorted(times)
    line = {"what": what, "calls": len(times), "statuses": statuses}
    if times:
        line["median_ms"] = round(statistics.median(times))
        line["slowest_ms"] = round(times[-1])
    print(json.dumps(line), flush=True)


def meanwhile(what, attacks, calls):
    """Times each of `calls` over and over while the threads of `attacks` run."""
    begin = time.monotonic()
    outcomes = []

    def attack(call):
        outcomes.append(call())

    threads = [threading.Thread(target=attack, args=(call,)) for call in attacks]
    for thread in threads:
        thread.start()
    over = lambda: not any(thread.is_alive() for thread in threads)
    results = {}

    def watch(name, call):
        results[name] = timed(call, over)

    watchers = [threading.Thread(target=watch, args=item) for item in calls.items()]
    for watcher in watchers:
        watcher.start()
    for thread in threads + watchers:
        thread.join()
    for name, (times, statuses) in results.items():
        report(f"{name}, {what}", times, statuses)
    print(json.dumps({"what": what, "seconds": round(time.monotonic() - begin, 1), "outcomes": outcomes[:4]}))


def start(program, folder):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "PARTSIGHT_PLAN": "business", "PARTSIGHT_DATA_DIR": folder}
    log = open(Path(folder) / "server.log", "w")
    server = subprocess.Popen([program, "serve", "--listen", f"127.0.0.1:{port}"], env=environment, stdout=log, stderr=log)
    for _ in range(300):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return server, port
        except OSError:
            time.sleep(0.2)
    sys.exit(f"the server did not start: {(Path(folder) / 'server.log').read_text()[-2000:]}")


def main():
    parser = argparse.ArgumentParser(description="What one account can take from another.")
    parser.add_argument("program")
    parser.add_argument("photo")
    parser.add_argument("--seconds", type=float, default=15, help="of scanning 64 at a time")
    parser.add_argument("--rows", type=int, default=10_000, help="of each parts CSV")
    arguments = parser.parse_args()
    photo = Path(arguments.photo).read_bytes()
    # One part with a fitment a row: what took time that grew with the square.
    rows = "".join(f"spark-plug,A-1,NGK,Honda,Model {row}\n" for row in range(arguments.rows))
    file = f"type,number,brand,make,model\n{rows}".encode()
    with tempfile.TemporaryDirectory() as folder:
        server, port = start(arguments.program, folder)
        try:
            greedy, modest = Account(port, "ann"), Account(port, "bob")
            read = lambda: modest.call("GET", "/api/vehicles")[0]
            scan = lambda: modest.scan(photo)
            for name, call in (("reading", read), ("scanning", scan)):
                left = iter(range(SCANS_ALONE))
                report(f"{name}, alone", *timed(call, lambda: next(left, None) is None))
            imports = [lambda: greedy.import_parts(file)] * IMPORTS
            meanwhile(f"{IMPORTS} imports of {arguments.rows} rows", imports, {"reading": read, "scanning": scan})
            end = time.monotonic() + arguments.seconds

            def insist():
                status = greedy.scan(photo)
                if status == 503:
                    # A tenth of what the answer asks for, and yet not all of this machine for asking.
                    time.sleep(0.2)
                return status

            many = [lambda: timed(insist, lambda: time.monotonic() > end)[1]] * SCANS_AT_ONCE
            meanwhile(f"{SCANS_AT_ONCE} scans at once", many, {"reading": read, "scanning": scan})
        finally:
            server.terminate()
            server.wait(timeout=30)


if __name__ == "__main__":
    main()
