"""A server, its database and its clients, for attacks on what is saved.

Everything runs on 127.0.0.1 and in one temporary folder, and ends with the script.
"""

import http.client
import json
import os
import pwd
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import uuid
from pathlib import Path

# Photographs that an account sends at the same time.
SCANS_AT_ONCE = 4


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Place:
    """A temporary folder, on a file system of `size` of its own where one is given (needs root)."""

    def __init__(self, size=None):
        self.path = Path(tempfile.mkdtemp(prefix="partsight-attack."))
        self.is_mounted = False
        if size:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", self.path], check=True)
            self.is_mounted = True
        self.path.chmod(0o755)

    def fill(self):
        """Takes all room that is left."""
        with open(self.path / "ballast", "ab", buffering=0) as ballast:
            block = bytes(65536)
            while block:
                try:
                    ballast.write(block)
                except OSError:
                    block = block[: len(block) // 2]

    def free(self):
        (self.path / "ballast").unlink(missing_ok=True)

    def end(self):
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", self.path], check=False)
        shutil.rmtree(self.path, ignore_errors=True)


class Sqlite:
    """The file that the server makes in its data folder."""

    url = None

    def __init__(self, data_dir):
        self.file = data_dir / "partsight.db"

    def query(self, sql):
        with sqlite3.connect(self.file) as connection:
            return connection.execute(sql).fetchall()

    def end(self):
        pass


class Postgres:
    """A server in `place`, started again whenever it ends, as an init system would."""

    def __init__(self, place, fsync):
        self.account = "postgres" if "postgres" in {user.pw_name for user in pwd.getpwall()} else "nobody"
        found = [shutil.which("initdb"), *sorted(map(str, Path("/").glob("usr/lib/postgresql/*/bin/initdb")))]
        self.programs = Path([program for program in found if program][-1]).parent
        self.place, self.data, self.port = place, place / "data", free_port()
        self.fsync = "on" if fsync else "off"
        self.url = f"postgres://partsight@127.0.0.1:{self.port}/postgres"
        self.is_ending = False
        self.n_starts = 0
        self.log = open(Path(tempfile.gettempdir()) / f"partsight-attack-postgres-{os.getpid()}.log", "w")
        place.mkdir(exist_ok=True)
        shutil.chown(place, self.account)
        self.run("initdb", "--pgdata", self.data, "--username", "partsight", "--auth", "trust", "--no-sync",
                 "--wal-segsize", "1", "--encoding", "UTF8", "--locale", "C.UTF-8")
        self.start()
        self.wait()
        self.keeper = threading.Thread(target=self.keep, daemon=True)
        self.keeper.start()

    def run(self, program, *arguments):
        subprocess.run([self.programs / program, *arguments], user=self.account, cwd="/", check=True,
                       stdout=self.log, stderr=self.log)

    def start(self):
        settings = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": "",
                    "fsync": self.fsync, "shared_buffers": "16MB", "max_connections": 100,
                    "min_wal_size": "2MB", "max_wal_size": "8MB"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self.server = subprocess.Popen([self.programs / "postgres", "-D", self.data, *options], user=self.account,
                                       cwd="/", stdout=self.log, stderr=self.log, start_new_session=True)
        self.n_starts += 1

    def keep(self):
        while not self.is_ending:
            if self.server.poll() is not None and not self.is_ending:
                (self.data / "postmaster.pid").unlink(missing_ok=True)
                self.start()
            time.sleep(0.05)

    def is_up(self):
        ready = [self.programs / "pg_isready", "--quiet", "--host", "127.0.0.1", "--port", str(self.port)]
        return subprocess.run(ready, check=False).returncode == 0

    def wait(self):
        while not self.is_up():
            time.sleep(0.02)

    def children(self):
        return map(int, Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children").read_text().split())

    def kill(self):
        """Ends the server and all its processes as a crash of the machine would, but for the disk's cache."""
        if self.server.poll() is not None:
            return
        for process in [self.server.pid, *self.children()]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.server.wait()

    def query(self, sql):
        shown = subprocess.run([self.programs / "psql", "--no-psqlrc", "-At", "-F", "\t", self.url, "-c", sql],
                               capture_output=True, text=True, check=True)
        return [tuple(line.split("\t")) for line in shown.stdout.splitlines()]

    def end(self):
        self.is_ending = True
        self.keeper.join()
        self.kill()


class Server:
    """`partsight serve`, in a folder of its own."""

    def __init__(self, program, data_dir, database):
        self.program, self.port = program, free_port()
        self.environment = {**os.environ, "PARTSIGHT_DATA_DIR": str(data_dir), "PARTSIGHT_PLAN": "business",
                            "PARTSIGHT_LISTEN": f"127.0.0.1:{self.port}", "PARTSIGHT_SIGN_IN_ATTEMPTS": "0"}
        if database.url:
            self.environment["PARTSIGHT_DATABASE_URL"] = database.url
            subprocess.run([program, "migrate"], env=self.environment, check=True, stdout=subprocess.DEVNULL)
        self.log = open(Path(tempfile.gettempdir()) / f"partsight-attack-server-{os.getpid()}.log", "w")
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program, "serve"], env=self.environment, stdout=self.log,
                                        stderr=self.log)
        deadline = time.monotonic() + 120
        while True:
            try:
                if Client(self.port).call("GET", "/health")[0] == 200:
                    return
            except OSError:
                pass
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit(f"the server does not start: see {self.log.name}")
            time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()


def wait_for(count, goal, servers, pause=0.01, stall=180):
    """Waits until `count()` is at `goal`.

    A server that ends by itself is a fault, and so is a count that stands still for `stall` seconds: what a killed
    server held is taken over after a minute.
    """
    most, since = -1, time.monotonic()
    while (now := count()) < goal:
        for server in servers:
            if (status := server.process.poll()) is not None:
                raise SystemExit(f"a server ended by itself with {status}: see {server.log.name}")
        if now > most:
            most, since = now, time.monotonic()
        elif time.monotonic() > since + stall:
            raise SystemExit(f"for {stall} s nothing has moved: {now} of {goal}")
        time.sleep(pause)


class Client:
    """One browser: a connection that is opened again when it breaks, and a cookie."""

    def __init__(self, port):
        self.port, self.cookie, self.connection = port, None, None

    def call(self, method, path, body=None, headers=None):
        """Status and JSON of the answer; OSError where there is none."""
        headers = dict(headers or {})
        if self.cookie:
            headers["Cookie"] = self.cookie
        if isinstance(body, dict):
            body, headers["Content-Type"] = json.dumps(body), "application/json"
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise OSError(str(error)) from error
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            self.cookie = cookie.split(";")[0]
        return answer.status, json.loads(text) if text[:1] in (b"{", b"[") else None

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Writer(threading.Thread):
    """One account that writes until it is told to stop, and remembers what was acknowledged."""

    def __init__(self, port, photograph=None, pause=0.0):
        super().__init__(daemon=True)
        self.client, self.photograph, self.pause = Client(port), photograph, pause
        self.email = f"{uuid.uuid4().hex}@example.com"
        self.vehicles, self.changes, self.scans = set(), set(), set()
        self.n_refused = self.n_lost_answers = 0
        self.statuses = {}
        # The values of the vehicle that is changed again and again: the last acknowledged one, and those sent since.
        self.marker, self.pending = "0", []
        self.acknowledged_at, self.refused_at = [], []
        # For the counts: photographs are sent by threads of their own.
        self.lock = threading.Lock()
        self.is_stopping = False
        status, answer = self.client.call("POST", "/api/auth/signup", {
            "email": self.email, "password": "correct horse", "firstName": "Ann", "lastName": "Lee"})
        assert status in (200, 201), (status, answer)
        status, answer = self.client.call("POST", "/api/vehicles", self.vehicle("0"))
        assert status == 201, (status, answer)
        self.own = answer["id"]
        self.vehicles.add(self.own)
        self.scanners = [Client(port) for _ in range(SCANS_AT_ONCE)]
        for scanner in self.scanners:
            scanner.cookie = self.client.cookie

    @staticmethod
    def vehicle(marker):
        return {"make": "Honda", "model": "Civic", "year": 2015, "engine": marker}

    @property
    def n_acknowledged(self):
        return len(self.acknowledged_at)

    def send(self, method, path, body, headers=None, client=None):
        """The answer where it is a success, and None where it is not or did not come."""
        try:
            status, answer = (client or self.client).call(method, path, body, headers)
        except OSError:
            status = None
        if status in (200, 201):
            self.acknowledged_at.append(time.monotonic())
            return answer
        with self.lock:
            if status is None:
                self.n_lost_answers += 1
            else:
                self.statuses[status] = self.statuses.get(status, 0) + 1
                self.n_refused += 1
        self.refused_at.append(time.monotonic())
        time.sleep(0.02)
        return None

    def run(self):
        n = 0
        while not self.is_stopping:
            n += 1
            self.add_change(n)
            self.change_vehicle(n)
            if n % 3 == 0:
                self.add_vehicle(n)
            if self.photograph and n % 4 == 0:
                self.scan_several()
            time.sleep(self.pause)

    def add_change(self, n):
        body = {"vehicleId": self.own, "mileage": n, "notes": "x" * 900}
        if answer := self.send("POST", "/api/oil-changes", body):
            self.changes.add(answer["id"])

    def change_vehicle(self, n):
        self.pending.append(str(n))
        if self.send("PUT", f"/api/vehicles/{self.own}", self.vehicle(str(n))):
            self.marker, self.pending = str(n), []

    def add_vehicle(self, n):
        if n < 300 and (answer := self.send("POST", "/api/vehicles", self.vehicle("added"))):
            self.vehicles.add(answer["id"])

    def scan_several(self):
        """Sends photographs at the same time, because the server saves scans of one account together."""
        threads = [threading.Thread(target=self.scan, args=[client], daemon=True) for client in self.scanners]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def scan(self, client):
        """Sends one photograph under one key until it is acknowledged: it must count once."""
        key, edge = uuid.uuid4().hex, uuid.uuid4().hex
        body = (f"--{edge}\r\nContent-Disposition: form-data; name=\"image\"; filename=\"part.jpg\"\r\n"
                "Content-Type: image/jpeg\r\n\r\n").encode() + self.photograph + f"\r\n--{edge}--\r\n".encode()
        headers = {"Content-Type": f"multipart/form-data; boundary={edge}", "Idempotency-Key": key}
        while not self.is_stopping:
            if answer := self.send("POST", "/api/identify", body, headers, client):
                self.scans.add(answer["id"])
                return


def check(writers, database):
    """What was acknowledged and is not there, and what is there twice or miscounted, as sentences."""
    faults = []
    for writer in writers:
        of_writer = f"FROM app_user AS u WHERE u.email = '{writer.email}'"
        tenant, used = database.query(f"SELECT u.tenant_id, u.scans_used {of_writer}")[0]
        for table, column, acknowledged in [("vehicle", "vehicle_id", writer.vehicles),
                                            ("oil_change", "oil_change_id", writer.changes),
                                            ("scan", "scan_id", writer.scans)]:
            rows = database.query(f"SELECT {column} FROM {table} WHERE tenant_id = '{tenant}'")
            there = {row[0] for row in rows}
            if lost := acknowledged - there:
                faults.append(f"{len(lost)} of {len(acknowledged)} rows of {table} are lost")
            if table == "scan" and not len(rows) == int(used):
                faults.append(f"{used} scans are counted, {len(rows)} are there")
            # More are only those that were being sent when the writer stopped.
            if table == "scan" and len(there) > len(acknowledged) + SCANS_AT_ONCE:
                faults.append(f"{len(there)} scans are there, {len(acknowledged)} were acknowledged")
        engine = database.query(f"SELECT engine FROM vehicle WHERE vehicle_id = '{writer.own}'")
        if not engine or engine[0][0] not in [writer.marker, *writer.pending]:
            faults.append(f"a vehicle says {engine}, and the last acknowledged change is {writer.marker}")
    return faults


def percentile(numbers, share):
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")
