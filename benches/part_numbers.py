#!/usr/bin/env python3
"""Measures how long a shop with many part numbers waits from a reading to its part: `part_numbers.py PROGRAM PHOTO`.

Corrects the text on a scan again and again, which looks all numbers in it up among the shop's parts, its price lists and
its cross-references, saves the reading, and answers with what was found. So the times are upper bounds of the look-up; they
are compared with those of a shop without any number. Standard library only.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import io
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "attacks"))
from load_client import Person, Server, percentiles, request, scan_form, sign_up

# A file of parts takes more rows, and the Business plan keeps so many parts; the other numbers are in lists alone.
ROWS_A_FILE = 10_000
MOST_PARTS = 20_000


def number(n: int) -> str:
    """A part number as makers write them; all are different, also when characters are misread."""
    return f"0 {n % 1000:03} {n // 1000:03} K{n % 7}{n % 9}"


def table(header: list[str], rows: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue().encode()


async def send(port: int, person: Person, method: str, path: str, kind: str, body: bytes) -> dict:
    answer = await request(port, method, path, person.headers | {"Content-Type": kind}, body)
    if answer.status not in (200, 201):
        sys.exit(f"{method} {path} was answered {answer.status}: {answer.body.decode(errors='replace')[:500]}")
    return json.loads(answer.body)


def form(fields: dict[str, str], file: bytes) -> bytes:
    parts = [f'--numbers\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    head = '--numbers\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
    return "".join([*parts, head]).encode() + file + b"\r\n--numbers--\r\n"


async def fill(port: int, person: Person, n: int) -> None:
    """As many shop parts as the plan keeps, `n` rows of a price list, and `n` cross-references to the same numbers."""
    n_parts = min(n, MOST_PARTS)
    for first in range(0, n_parts, ROWS_A_FILE):
        rows = [["spark-plug", number(i), "Bosch"] for i in range(first, min(first + ROWS_A_FILE, n_parts))]
        await send(port, person, "POST", "/api/catalog/parts/import", "text/csv", table(["type", "number", "brand"], rows))
    kind = "multipart/form-data; boundary=numbers"
    prices = table(["partNumber", "price"], [[number(i), "12.50"] for i in range(n)])
    await send(port, person, "POST", "/api/price-lists", kind, form({"supplier": "Lee"}, prices))
    crossed = [[f"X{number(i)}", "Ours", "equals", number(i), "Bosch"] for i in range(n)]
    header = ["number", "brand", "relation", "otherNumber", "otherBrand"]
    await send(port, person, "POST", "/api/cross-references", kind, form({"name": "Crossed"}, table(header, crossed)))


async def scanned(port: int, person: Person, photo: bytes) -> str:
    """The id of a scan on which a line was read."""
    scan = await send(port, person, "POST", "/api/identify?read=wait", person.headers["Content-Type"], scan_form(photo))
    reading = await send(port, person, "GET", f"/api/scans/{scan['id']}/reading", "", b"")
    if not reading["lines"]:
        sys.exit("no text was read on the photograph")
    return scan["id"]


async def measure(port: int, person: Person, scan: str, texts: list[str], finds: bool) -> list[float]:
    """Seconds of each correction; every one has to find a part where `finds`."""
    seconds = []
    for text in texts:
        started = time.monotonic()
        body = json.dumps({"line": 0, "text": text}).encode()
        reading = await send(port, person, "PUT", f"/api/scans/{scan}/reading", "application/json", body)
        seconds.append(time.monotonic() - started)
        if finds != bool(reading["parts"]):
            sys.exit(f"{text!r} finds {reading['parts']}")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("photo", type=Path, help="a part of a known type with text on it")
    parser.add_argument("--numbers", type=int, default=50_000)
    parser.add_argument("--looks", type=int, default=300, help="corrections of each kind (default %(default)s)")
    given = parser.parse_args()
    arguments = argparse.Namespace(program=given.program, database_url=None, set=["PARTSIGHT_PLAN=business"])

    async def run(port: int) -> dict[str, object]:
        photo = given.photo.read_bytes()
        nobody, shop = await sign_up(port, 2, given.photo)
        await fill(port, shop, given.numbers)
        picked = [i * given.numbers // given.looks for i in range(given.looks)]
        plain, crossed = [number(i) for i in picked], [f"X{number(i)}" for i in picked]
        # O for 0, as a reader confuses them.
        misread = [text.replace("0", "O", 1) for text in plain]
        empty, full = await scanned(port, nobody, photo), await scanned(port, shop, photo)
        return {
            "numbers": given.numbers,
            "withoutNumbers": percentiles(await measure(port, nobody, empty, plain, False)),
            "found": percentiles(await measure(port, shop, full, plain, True)),
            "misread": percentiles(await measure(port, shop, full, misread, True)),
            "crossed": percentiles(await measure(port, shop, full, crossed, True)),
            "unknown": percentiles(await measure(port, shop, full, [f"Z9{text}" for text in plain], False)),
        }

    with Server(arguments) as server:
        print(json.dumps(asyncio.run(run(server.port)), indent=2))


if __name__ == "__main__":
    main()
