"""Receives webhooks: checks that each comes from Partsight and is recent, and does the work of each event once.

    PARTSIGHT_WEBHOOK_SECRET=whsec_... python examples/webhooks.py [PORT]

It listens on this machine only, at port 8090 if none is given. Put a server with a certificate before it, or set
`webhook_private_addresses` where Partsight runs on the same machine.
"""

import base64
import hashlib
import hmac
import json
import os
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# An old message that somebody recorded could be sent again.
MAX_AGE_SECONDS = 300
# Far more than an event has.
MAX_BYTES = 1_000_000
MAX_IDS = 100_000

# In memory, for this is an example. A program that must not lose an event writes it to its database before it answers,
# under its id, by which that database then knows repeated ones.
seen: dict[str, None] = {}
work: queue.Queue[dict[str, Any]] = queue.Queue(maxsize=1_000)
taking = threading.Lock()


def fault(secret: str, message_id: str, seconds: str, signatures: str, body: bytes) -> str | None:
    """Why a message must not be believed; None if it is from Partsight and recent."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{message_id}.{seconds}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    # The header may hold several signatures. The comparison takes the same time wherever they differ.
    if not any(hmac.compare_digest(expected, one.encode()) for one in signatures.split()):
        return "the signature is wrong"
    # Only now: the time is part of what is signed.
    if abs(time.time() - int(seconds)) > MAX_AGE_SECONDS:
        return "the message is too old"
    return None


def take(message_id: str, event: dict[str, Any]) -> bool:
    """Puts an event into the queue; false if it came before, as it does when our answer was lost."""
    with taking:
        if message_id in seen:
            return False
        work.put_nowait(event)
        # Noted last: what found no room in the queue is sent again.
        seen[message_id] = None
        if len(seen) > MAX_IDS:
            del seen[next(iter(seen))]
        return True


class Receiver(BaseHTTPRequestHandler):
    # For a caller that sends nothing.
    timeout = 10

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BYTES:
            return self.answer(413)
        # The bytes as they came: JSON that is written anew has another signature.
        body = self.rfile.read(int(length))
        names = ("webhook-id", "webhook-timestamp", "webhook-signature")
        message_id, seconds, signatures = (self.headers.get(name, "") for name in names)
        wrong = fault(os.environ["PARTSIGHT_WEBHOOK_SECRET"], message_id, seconds, signatures, body)
        if wrong is not None:
            print(f"Refused: {wrong}", flush=True)
            return self.answer(401)
        try:
            if not take(message_id, json.loads(body)):
                print(f"Repeated: {message_id}", flush=True)
        except queue.Full:
            return self.answer(503)
        # At once: Partsight waits ten seconds, and the work may take longer.
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def do_the_work() -> None:
    while True:
        event = work.get()
        print(f"Event: {event['type']} {event['id']} {json.dumps(event['data'])}", flush=True)


def main() -> None:
    if "PARTSIGHT_WEBHOOK_SECRET" not in os.environ:
        sys.exit(__doc__)
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8090
    threading.Thread(target=do_the_work, daemon=True).start()
    with ThreadingHTTPServer(("127.0.0.1", port), Receiver) as server:
        print(f"Listening on http://127.0.0.1:{port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
