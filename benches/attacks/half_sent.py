#!/usr/bin/env python3
"""Half-sent requests and slow uploads against a server of its own, and how others are served meanwhile.

    benches/attacks/half_sent.py PROGRAM

Starts PROGRAM (`partsight`) on a free port of 127.0.0.1 with a new data folder for each attack, and prints one line
an attack. The attacker is 127.0.0.1; everybody else connects from other loopback addresses, which Linux has without
further ado. Each attack is bounded, and the server ends with it. Only the standard library is needed.
"""

import http.client
import json
import pathlib
import resource
import select
import socket
import subprocess
import sys
import tempfile
import time

PHOTO = pathlib.Path(__file__).parents[2] / "models/partsight-50/golden/brake-rotor.png"
ATTACKER = "127.0.0.1"
PATIENCE_S = 5.0  # after this somebody gives up
SHELL_LIMIT = 1024  # open files that shells and service managers give a program unless it asks for more


class Server:
    """A running server with a data folder of its own."""

    def __init__(self, program: str):
        self.folder = tempfile.TemporaryDirectory()
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+")
        self.process = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--data-dir", self.folder.name],
            env={"PARTSIGHT_PLAN": "pro", "HOME": str(pathlib.Path.home()), "PATH": "/usr/bin:/bin"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (SHELL_LIMIT, hard)),
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        ready = self.process.stdout.readline()
        if "ready on" not in ready:
            sys.exit(f"the server did not start: {pathlib.Path(self.log.name).read_text()}")
        self.port = int(ready.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()

    def connect(self, source: str) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE_S, (source, 0))

    def call(self, source: str, method: str, path: str, body: bytes = b"", headers: dict = {}):
        """Status, cookie and seconds of one call over a connection of its own; status 0 where no answer came."""
        start = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, PATIENCE_S, (source, 0))
        try:
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            answer.read()
            cookie = (answer.getheader("set-cookie") or "").split(";")[0]
            return answer.status, cookie, time.monotonic() - start
        except (OSError, http.client.HTTPException):
            return 0, "", time.monotonic() - start
        finally:
            connection.close()

    def sign_up(self, source: str, name: str) -> str:
        """The cookie of a new account with a vehicle."""
        headers = {"content-type": "application/json"}
        account = json.dumps({"email": f"{name}@example.com", "password": "correct horse battery"}).encode()
        status, cookie, _ = self.call(source, "POST", "/api/auth/signup", account, headers)
        assert status == 201, status
        vehicle = json.dumps({"make": "Honda", "model": "Civic", "year": 2015}).encode()
        status, *_ = self.call(source, "POST", "/api/vehicles", vehicle, headers | {"cookie": cookie})
        assert status == 201, status
        return cookie

    def scan(self, source: str, cookie: str):
        body = form_head() + PHOTO.read_bytes() + b"\r\n--xyz--\r\n"
        headers = {"cookie": cookie, "content-type": "multipart/form-data; boundary=xyz"}
        return self.call(source, "POST", "/api/identify", body, headers)


def form_head() -> bytes:
    return b'--xyz\r\ncontent-disposition: form-data; name="image"\r\ncontent-type: image/png\r\n\r\n'


def half_sent(server: Server, n: int) -> list[socket.socket]:
    """Opens `n` connections that send half of their headers each and nothing more."""
    held = []
    for _ in range(n):
        connection = socket.socket()
        connection.setblocking(False)  # a server that takes no more must not hold the attacker up
        connection.bind((ATTACKER, 0))
        connection.connect_ex(("127.0.0.1", server.port))
        held.append(connection)
    poller = select.poll()
    by_number = {connection.fileno(): connection for connection in held}
    for number in by_number:
        poller.register(number, select.POLLOUT)
    until = time.monotonic() + PATIENCE_S
    while by_number and time.monotonic() < until:
        for number, _ in poller.poll(100):
            poller.unregister(number)
            try:
                by_number.pop(number).send(b"GET /health HTTP/1.1\r\nhost: localhost\r\nx: ")
            except OSError:
                pass  # it was refused
    return held


def report(name: str, outcomes: list) -> None:
    seconds = sorted(outcome[2] for outcome in outcomes if outcome[0] == 200)
    served = f"p50 {seconds[len(seconds) // 2] * 1000:6.1f} ms, max {seconds[-1] * 1000:6.1f} ms" if seconds else "-"
    others = sorted({outcome[0] for outcome in outcomes if outcome[0] != 200})
    print(f"{name:45} others served {len(seconds):3} of {len(outcomes)}: {served}", end="")
    print(f"; the rest got {others} (0: no answer)" if others else "", flush=True)


def attack_by_headers(program: str, n: int, n_calls: int) -> None:
    with Server(program) as server:
        held = half_sent(server, n)
        calls = [server.call(f"127.0.0.{2 + i % 9}", "GET", "/health") for i in range(n_calls)]
        report(f"{n} half-sent headers", calls)
        del held


def attack_by_uploads(program: str, n: int, seconds: int) -> None:
    """`n` uploads of one account send a byte a second, and another account scans once a second."""
    with Server(program) as server:
        attacker = server.sign_up(ATTACKER, "mallory")
        other = server.sign_up("127.0.0.2", "ann")
        head = (
            f"POST /api/identify HTTP/1.1\r\nhost: localhost\r\ncookie: {attacker}\r\ncontent-length: 1000000\r\n"
            "content-type: multipart/form-data; boundary=xyz\r\n\r\n"
        ).encode()
        uploads = []
        for _ in range(n):
            upload = server.connect(ATTACKER)
            upload.sendall(head + form_head())
            uploads.append(upload)
        time.sleep(1)  # until all have their places
        start = time.monotonic()
        outcomes, refused_until = [], 0.0
        while time.monotonic() - start < seconds:
            outcomes.append(server.scan("127.0.0.2", other))
            if outcomes[-1][0] != 200:
                refused_until = time.monotonic() - start
            for upload in uploads:
                try:
                    upload.sendall(b"x")
                except OSError:
                    pass  # it was ended
            time.sleep(1)
        ended, _, _ = select.select(uploads, [], [], 0)
        report(f"{n} slow uploads for {seconds} s", outcomes)
        print(f"{'':45} others refused until {refused_until:.0f} s; {len(ended)} uploads ended by then")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    attack_by_headers(program, 0, 50)
    attack_by_headers(program, 1100, 20)
    attack_by_headers(program, 5000, 20)
    attack_by_uploads(program, 150, 60)


if __name__ == "__main__":
    main()
