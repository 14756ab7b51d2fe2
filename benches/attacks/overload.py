#!/usr/bin/env python3
"""Ten times as many scans as the server can answer, for ten minutes: `overload.py target/release/partsight`.

What is accepted has to be answered in bounded time, the rest refused with 503 and Retry-After, `/health` has to
answer throughout, memory has to stay bounded, and afterwards the server has to answer as before.
"""

from __future__ import annotations

import asyncio
import time

from load_client import ANSWER_LIMIT, Connections, Person, Server, attack, closed_loop, open_loop, options, percentiles

# Photographs that wait at most, unless PARTSIGHT_QUEUE_CAPACITY says otherwise.
QUEUE = 64


async def watch(server: Server, stop: asyncio.Event) -> dict[str, object]:
    """Asks for the health twice a second, on a connection of its own, and notes what the process holds."""
    seconds: list[float] = []
    failures: list[str] = []
    peak: dict[str, float] = {}
    connections = Connections(server.port, 1)
    while not stop.is_set():
        started = time.monotonic()
        try:
            answer = await asyncio.wait_for(connections.send("GET", "/health", {}, b""), 10)
            if answer.status == 200:
                seconds.append(answer.seconds)
            else:
                failures.append(str(answer.status))
        except (OSError, EOFError, TimeoutError) as error:
            failures.append(type(error).__name__)
        for name, value in server.sample().items():
            peak[name] = max(value, peak.get(name, 0))
        await asyncio.sleep(max(0.0, 0.5 - (time.monotonic() - started)))
    connections.close()
    return {"asked": len(seconds) + len(failures), "seconds": percentiles(seconds), "failures": failures[:20], "peak": peak}


async def overload(server: Server, people: list[Person], arguments: object) -> tuple[dict[str, object], dict[str, bool]]:
    capacity, before = await closed_loop(server.port, people, arguments.measure)
    at_rest = server.sample()
    rate = capacity * arguments.times
    stop = asyncio.Event()
    watching = asyncio.create_task(watch(server, stop))
    during, unsent = await open_loop(server.port, people, rate, arguments.seconds, arguments.connections)
    stop.set()
    health = await watching
    is_alive = server.process.poll() is None
    # What was let in last is finished, and connections are closed.
    await asyncio.sleep(3)
    capacity_after, after = await closed_loop(server.port, people, arguments.measure) if is_alive else (0.0, None)
    at_end = server.sample()
    slowest = max(during.answered, default=0.0)
    # A full queue takes this long on this machine; uploads before it and two of several photographs behind it add to it.
    bound = arguments.bound or min(ANSWER_LIMIT, 1 + 4 * QUEUE / max(capacity, 0.1))
    summary = {
        "what": "overload",
        "program": str(server.program),
        "seconds": arguments.seconds,
        "capacityPerSecond": round(capacity, 1),
        "offeredPerSecond": round(rate, 1),
        "boundSeconds": round(bound, 1),
        "notSentByTheClient": unsent,
        "before": before.summary(),
        "during": during.summary(),
        "health": health,
        "after": after.summary() if after else None,
        "capacityAfterPerSecond": round(capacity_after, 1),
        "atRest": at_rest,
        "atEnd": at_end,
    }
    n_scans = len(during.answered) + len(during.refused) + sum(during.other.values())
    checks = {
        "alive": is_alive,
        "loadWasOver": len(during.refused) > 0,
        "answersInBoundedTime": 0 < slowest <= bound,
        "answersGoOn": len(during.answered) >= 0.5 * capacity * arguments.seconds,
        "refusedWithRetryAfter": during.without_retry_after == 0,
        "refusedAtOnce": percentiles(during.refused).get("p99", 0.0) <= bound,
        "nothingElse": sum(during.other.values()) <= 0.001 * n_scans,
        "healthThroughout": not health["failures"] and health["asked"] > 0,
        "memoryBounded": health["peak"].get("rssMb", 0) <= arguments.memory_mb,
        "asBefore": capacity_after >= 0.7 * capacity and after is not None and not after.other and not after.refused,
    }
    return summary, checks


def main() -> None:
    parser = options(__doc__.splitlines()[0], 600)
    parser.add_argument("--times", type=float, default=10, help="how many times what the server can (default %(default)s)")
    parser.add_argument("--bound", type=float, help="seconds that an answer may take; four times the full queue unless given")
    parser.add_argument("--memory-mb", type=float, default=1024, help="most resident memory (default %(default)s)")
    attack(parser.parse_args(), overload)


if __name__ == "__main__":
    main()
