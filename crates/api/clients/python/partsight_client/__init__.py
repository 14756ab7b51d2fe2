"""A typed client of the Partsight API, without dependencies.

    partsight = Partsight("http://localhost:8080", "ps_live_...")
    scan = partsight.identify(Path("photo.jpg"))

`schema` has a type for each body of the OpenAPI document.
"""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict, cast

from .schema import Batch, NewRepair, SavedRepair, ScanResult, TaughtPartType

__all__ = ["Partsight", "PartsightError", "PartsightEvent"]

Photo = bytes | Path
# Those that are None are left out.
Params = Mapping[str, str | int | float | None]

# Photographs in one form: they are in memory together.
_PHOTOS_A_FORM = 20
_LOOK_EVERY_SECONDS = 0.5
# From then on a batch is looked at less often: each look counts against the requests of the key.
_LOOK_OFTEN_SECONDS = 5
_LOOK_LATER_EVERY_SECONDS = 2
# While a server is away, such as for an upgrade.
_CALL_AGAIN_SECONDS = 2


class PartsightError(Exception):
    """An answer that is no success.

    `retry_after_seconds` is how long the server asks to wait before the call is made again, if it says so.
    """

    def __init__(self, status: int, problem: dict[str, Any], retry_after_seconds: int | None = None) -> None:
        super().__init__(problem.get("detail") or f"the server answered {status}")
        self.status = status
        self.code: str = problem.get("code", "")
        self.problem = problem
        self.retry_after_seconds = retry_after_seconds


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another address is an error: the key would go there, and what is written would be lost."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


class PartsightEvent(TypedDict):
    """Something that happened in the account."""

    number: int
    id: str
    type: str
    timestamp: str
    data: NotRequired[dict[str, Any]]


class Partsight:
    """The calls of one server with one API key."""

    def __init__(self, url: str, key: str, *, timeout_seconds: float = 120) -> None:
        self._url = url.rstrip("/")
        self._key = key
        self._timeout_seconds = timeout_seconds

    def call(
        self,
        method: str,
        path: str,
        body: object | None = None,
        *,
        params: Params | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """The body of the answer to any call that takes and gives JSON.

        With `idempotency_key` a call that creates something can be sent again and creates it once.
        """
        data = None if body is None else json.dumps(body).encode()
        headers = {} if data is None else {"Content-Type": "application/json"}
        with self._open(method, _address(path, params), data, headers | _once(idempotency_key)) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def pages(self, path: str, *, params: Params | None = None) -> Iterator[Any]:
        """The body of each page of a list, such as `/api/scans`; the parameter `limit` is the size of a page."""
        address: str | None = _address(path, params)
        while address is not None:
            with self._open("GET", address) as answer:
                page = json.loads(answer.read())
                link = answer.headers.get("Link", "")
            yield page
            following = re.search(r'<([^>]*)>;\s*rel="next"', link)
            if following:
                # Of its address only what follows the name of the server, which alone gets the key.
                address = urllib.parse.urlunsplit(("", "", *urllib.parse.urlsplit(following[1])[2:4], ""))
            elif isinstance(page, dict) and page.get("next") is not None:
                cursor = "cursor" if path.endswith("/items") else "before"
                address = _address(path, {**(params or {}), cursor: page["next"]})
            else:
                address = None

    def identify(
        self,
        photos: Photo | Sequence[Photo],
        *,
        vehicle_id: str | None = None,
        read: Literal["later", "wait", "off"] = "later",
        idempotency_key: str | None = None,
    ) -> ScanResult:
        """Identifies the part on one to five photographs of it."""
        fields = [] if vehicle_id is None else [("vehicleId", vehicle_id)]
        several = [photos] if isinstance(photos, bytes | Path) else photos
        files = [("image", "photo", _bytes(photo)) for photo in several]
        path = f"/api/identify?read={read}"
        return cast(ScanResult, self._send_form(path, fields, files, _once(idempotency_key)))

    def teach(
        self, name: str, photos: Sequence[Photo], *, category: str, accept_collision: bool = False
    ) -> TaughtPartType:
        """Teaches a part of a category, such as `engine`, by one to five photographs."""
        fields = [("name", name), ("category", category)]
        if accept_collision:
            fields.append(("acceptCollision", "true"))
        files = [("image", "photo", _bytes(photo)) for photo in photos]
        return cast(TaughtPartType, self._send_form("/api/catalog/types", fields, files))

    def start_batch(
        self, name: str, photos: Iterable[tuple[str, Photo]], *, batch_id: str | None = None
    ) -> Batch:
        """Makes a batch of photographs, each with its key, and starts it.

        Where an upload broke off, `batch_id` of that batch (`GET /api/batches` lists them) goes on with it:
        photographs that it has already are not added again.
        """
        if batch_id is None:
            batch_id = self.call("POST", "/api/batches", {"name": name})["id"]
        waiting: list[tuple[str, Photo]] = []

        def send() -> None:
            if waiting:
                fields = [("key", key) for key, _ in waiting]
                files = [("photo", key, _bytes(photo)) for key, photo in waiting]
                self._send_form(f"/api/batches/{batch_id}/photos", fields, files, pairs=True)
                waiting.clear()

        for photo in photos:
            waiting.append(photo)
            if len(waiting) == _PHOTOS_A_FORM:
                send()
        send()
        return cast(Batch, self.call("POST", f"/api/batches/{batch_id}/start"))

    def finished(self, batch_id: str, *, timeout_seconds: float = float("inf")) -> Batch:
        """The batch once every photograph has its answer or the reason why not; an error where it stops.

        Waits for a server that is away or busy, until the time is over.
        """
        begin = time.monotonic()
        end = begin + timeout_seconds
        while True:
            away: Exception | None = None
            try:
                batch = cast(Batch, self.call("GET", f"/api/batches/{batch_id}"))
                if batch["state"] == "done":
                    return batch
                if batch["state"] != "running":
                    raise RuntimeError(f"the batch is {batch['state']}: {batch['reason']}")
                is_new = time.monotonic() - begin < _LOOK_OFTEN_SECONDS
                pause: float = _LOOK_EVERY_SECONDS if is_new else _LOOK_LATER_EVERY_SECONDS
            except _AWAY as error:
                if not _is_away(error):
                    raise
                away, pause = error, _pause_after(error)
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError("the batch is not finished in time") from away
            time.sleep(min(pause, left))

    def results(self, batch_id: str) -> list[dict[str, Any]]:
        """The lines of the results of a batch."""
        with self._open("GET", f"/api/batches/{batch_id}/results?format=jsonl") as answer:
            # Read as a whole, which fails where the connection breaks; line by line it would just end.
            return [json.loads(line) for line in answer.read().splitlines() if line.strip()]

    def log_repair(self, repair: NewRepair) -> SavedRepair:
        """Writes a repair into the records of a vehicle."""
        return cast(SavedRepair, self.call("POST", "/api/repair-history", repair))

    def events(self, after: int | None = None) -> Iterator[PartsightEvent]:
        """What happens, after the event of number `after` or from now on.

        Goes on when a stream ends or breaks off, and waits for a server that is away. An error only where the first
        call fails, or the server refuses a later one.
        """
        is_known = False
        while True:
            headers = {} if after is None else {"Last-Event-ID": str(after)}
            try:
                with self._open("GET", "/api/events", None, headers) as answer:
                    is_known = True
                    for number, name, data in _events_of(answer):
                        after = number
                        if name != "ready":
                            yield cast(PartsightEvent, {"number": number, **data})
            except _AWAY as error:
                if not is_known or not _is_away(error):
                    raise
                time.sleep(_pause_after(error))
            time.sleep(_LOOK_EVERY_SECONDS)

    def _send_form(
        self,
        path: str,
        fields: list[tuple[str, str]],
        files: list[tuple[str, str, bytes]],
        headers: dict[str, str] | None = None,
        *,
        pairs: bool = False,
    ) -> Any:
        boundary = uuid.uuid4().hex
        texts = [_part(boundary, f'name="{name}"', value.encode()) for name, value in fields]
        blobs = [_part(boundary, f'name="{name}"; filename="{_quoted(file)}"', data) for name, file, data in files]
        # A key stands before the photograph that it names.
        parts = [part for pair in zip(texts, blobs, strict=True) for part in pair] if pairs else texts + blobs
        body = b"".join(parts) + f"--{boundary}--\r\n".encode()
        media_type = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        with self._open("POST", path, body, media_type | (headers or {})) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def _open(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self._key}"} | (headers or {})
        # A path may have letters that an address has not; what is encoded already stays as it is.
        path = urllib.parse.quote(path, safe="/?&=%:;,+@!$'()*~")
        request = urllib.request.Request(self._url + path, body, headers, method=method)
        try:
            return _OPENER.open(request, timeout=self._timeout_seconds)
        except urllib.error.HTTPError as error:
            text = error.read()
            try:
                problem = json.loads(text)
            except ValueError:
                problem = None
            # A proxy may answer with a text.
            problem = problem if isinstance(problem, dict) else {}
            seconds = error.headers.get("Retry-After", "").strip()
            raise PartsightError(error.code, problem, int(seconds) if seconds.isdecimal() else None) from None


# What a call raises while a server is away, and for some other reasons.
_AWAY = (PartsightError, OSError, http.client.HTTPException)


def _is_away(error: Exception) -> bool:
    """Whether the same call may succeed later: nobody answered, the answer broke off, or the server said so."""
    return not isinstance(error, PartsightError) or error.status >= 500 or error.status == 429


def _pause_after(error: Exception) -> float:
    """Seconds until the call is made again."""
    asked = error.retry_after_seconds if isinstance(error, PartsightError) else None
    return max(_CALL_AGAIN_SECONDS, asked or 0)


def _address(path: str, params: Params | None) -> str:
    """The path with its parameters, encoded."""
    given = {name: value for name, value in (params or {}).items() if value is not None}
    # A truth value is an int, but written as in JSON.
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}
    return f"{path}?{urllib.parse.urlencode(texts)}" if texts else path


def _once(idempotency_key: str | None) -> dict[str, str]:
    return {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}


def _events_of(answer: Iterable[bytes]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Number, name and data of each server-sent event that has arrived whole."""
    fields: dict[str, str] = {}
    for line in answer:
        # What broke off within a line may end within a letter.
        if not line.endswith(b"\n"):
            return
        text = line.decode().rstrip("\r\n")
        if text:
            name, _, value = text.partition(":")
            fields[name] = value.removeprefix(" ")
            continue
        # What keeps the connection open has no data.
        if "data" in fields:
            yield int(fields["id"]), fields.get("event", ""), json.loads(fields["data"])
        fields = {}


def _bytes(photo: Photo) -> bytes:
    return photo.read_bytes() if isinstance(photo, Path) else photo


def _quoted(name: str) -> str:
    return name.replace("\\", "_").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _part(boundary: str, facts: str, data: bytes) -> bytes:
    return f"--{boundary}\r\nContent-Disposition: form-data; {facts}\r\n\r\n".encode() + data + b"\r\n"
