#!/usr/bin/env python3
"""An hour at half of what the server can: `soak.py target/release/partsight`.

Scans by the clock, and beside them what a browser reads. Memory, open files, connections and threads are noted every few
seconds; each has to be flat: the line through its second half may climb by no more in an hour than is stated below.
"""

from __future__ import annotations

import asyncio
import statistics
import time

from load_client import ANSWER_LIMIT, Connections, Person, Server, Tally, attack, closed_loop, open_loop, options

# What each may gain in an hour, and be called flat: memory by a twentieth and 8 MB of noise, the others by a few.
MOST_GAIN = {"rssMb": lambda mean: 0.05 * mean + 8, "files": lambda _: 6, "connections": lambda _: 6, "threads": lambda _: 3}
READS = ["/", "/health", "/api/vehicles", "/api/scans", "/api/scans/limits", "/api/auth/user", "/api/alerts", "/api/catalog/parts"]


async def read(server: Server, people: list[Person], end: float, tally: Tally) -> None:
    """Five reads a second, and every minute somebody's history is cleared, so that the database stays small."""
    connections = Connections(server.port, 2)
    number = 0
    while time.monotonic() < end:
        person = people[number % len(people)]
        method, path = ("DELETE", "/api/scans") if number % 300 == 299 else ("GET", READS[number % len(READS)])
        try:
            answer = await asyncio.wait_for(connections.send(method, path, person.headers, b""), ANSWER_LIMIT)
            if answer.status in (200, 204):
                tally.answered.append(answer.seconds)
            else:
                tally.count(f"{method} {path}: {answer.status}")
        except (OSError, EOFError, TimeoutError) as error:
            tally.count(f"{method} {path}: {type(error).__name__}")
        number += 1
        await asyncio.sleep(0.2)
    connections.close()


async def watch(server: Server, end: float, every: float) -> list[dict[str, float]]:
    samples = []
    started = time.monotonic()
    while time.monotonic() < end:
        samples.append({"second": round(time.monotonic() - started, 1)} | server.sample())
        await asyncio.sleep(every)
    return samples


def verdict(samples: list[dict[str, float]], name: str) -> dict[str, object]:
    """The line through the second half, by the median of the slopes between its points: a single peak moves it little."""
    second_half = samples[len(samples) // 2 :]
    values = [sample[name] for sample in second_half]
    step = max(1, len(second_half) // 200)
    points = [(sample["second"], sample[name]) for sample in second_half[::step]]
    slopes = [(b - a) / (t - s) for i, (s, a) in enumerate(points) for t, b in points[i + 1 :] if t > s]
    per_hour = statistics.median(slopes) * 3600 if slopes else 0.0
    mean = statistics.fmean(values)
    # Over less than an hour noise looks like a steep line: what was gained in all counts then.
    minutes = (second_half[-1]["second"] - second_half[0]["second"]) / 60
    gained = per_hour * min(1.0, minutes / 60)
    return {
        "first": samples[0][name],
        "mean": round(mean, 1),
        "most": max(sample[name] for sample in samples),
        "last": samples[-1][name],
        "perHour": round(per_hour, 2),
        "flat": gained <= MOST_GAIN[name](mean) and min(values) > 0,
    }


async def soak(server: Server, people: list[Person], arguments: object) -> tuple[dict[str, object], dict[str, bool]]:
    capacity, _ = await closed_loop(server.port, people, arguments.measure)
    rate = capacity * arguments.share
    end = time.monotonic() + arguments.seconds
    reads = Tally()
    (scans, unsent), _, samples = await asyncio.gather(
        open_loop(server.port, people, rate, arguments.seconds, arguments.connections),
        read(server, people, end, reads),
        watch(server, end, arguments.every),
    )
    verdicts = {name: verdict(samples, name) for name in MOST_GAIN}
    stride = max(1, len(samples) // 40)
    summary = {
        "what": "soak",
        "program": str(server.program),
        "seconds": arguments.seconds,
        "capacityPerSecond": round(capacity, 1),
        "offeredPerSecond": round(rate, 1),
        "notSentByTheClient": unsent,
        "scans": scans.summary(),
        "reads": reads.summary(),
        "verdicts": verdicts,
        "samples": samples[::stride],
    }
    checks = {"alive": server.process.poll() is None}
    checks |= {f"{name}Flat": bool(found["flat"]) for name, found in verdicts.items()}
    n_scans = len(scans.answered) + len(scans.refused) + sum(scans.other.values())
    checks["scansAnswered"] = len(scans.answered) >= 0.99 * n_scans > 0
    checks["readsAnswered"] = not reads.other and len(reads.answered) > 0
    return summary, checks


def main() -> None:
    parser = options(__doc__.splitlines()[0], 3600)
    parser.add_argument("--share", type=float, default=0.5, help="of what the server can (default %(default)s)")
    parser.add_argument("--every", type=float, default=5, help="seconds between two samples (default %(default)s)")
    attack(parser.parse_args(), soak)


if __name__ == "__main__":
    main()
