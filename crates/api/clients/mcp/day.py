"""A day's work by the official client of the Model Context Protocol: teach a part, scan a batch, read its results, log a
repair. The first photograph is taught.

    pip install mcp==2.3.0
    python day.py PHOTO PHOTO...                          # the server at PARTSIGHT_URL
    python day.py --stdio partsight PHOTO PHOTO...        # `partsight mcp` with the data folder of its settings
"""

import argparse
import asyncio
import os
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def call(client: Client, tool: str, **arguments: object) -> dict:
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise SystemExit(f"{tool}: {result.content[0].text}")
    return result.structured_content


async def day(client: Client, photos: list[Path], reads_files: bool) -> None:
    tools = [tool.name for tool in (await client.list_tools()).tools]
    print(f"Tools: {', '.join(sorted(tools))}")

    def named(photo: Path) -> dict:
        if reads_files:
            return {"path": str(photo.resolve()), "key": photo.name}
        return {"imageBase64": b64encode(photo.read_bytes()).decode(), "key": photo.name}

    def alone(photo: Path) -> dict:
        return {name: value for name, value in named(photo).items() if name != "key"}

    # Teach. That it looks like another part is a question; here it is answered with yes.
    name = f"Example part {datetime.now(UTC):%H:%M:%S.%f}"
    teaching = {"name": name, "category": "engine", "photos": [alone(photos[0])], "acceptCollision": True}
    taught = await client.call_tool("teach_part", teaching)
    print(f"Taught: {name}" if not taught.is_error else f"Not taught: {taught.content[0].text}")

    # Scan a batch, and read what came of it.
    batch = await call(client, "scan_batch", name="Example of a day", photos=[named(photo) for photo in photos])
    while batch["state"] == "running":
        await asyncio.sleep(0.5)
        batch = await call(client, "batch_results", batchId=batch["id"])
    counts = batch["counts"]
    print(f"Batch: {counts['answered']} of {counts['total']} answered, {counts['failed']} failed")
    for item in batch["items"]:
        scan = item["scan"]
        answer = f"{scan['verdict']} {scan['label']} {scan['confidence']:.3f}" if scan else item["problem"]
        print(f"  {item['key']}: {item['state']} {answer}")

    # Log a repair, with the first saved vehicle.
    vehicles = (await call(client, "list_vehicles"))["items"]
    if not vehicles:
        print("Repair: none, because there is no vehicle. Add one in the app.")
        return
    repair = await call(
        client, "log_repair", vehicleId=vehicles[0]["id"], mileage=52_000, partReplaced="Alternator",
        repairDate=f"{datetime.now(UTC):%Y-%m-%d}",
    )  # fmt: skip
    print(f"Repair: {repair['partReplaced']} on {repair['repairDate']}")


async def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("photos", nargs="+", type=Path)
    arguments.add_argument("--stdio", metavar="PROGRAM", help="talk to `PROGRAM mcp` in place of a server")
    chosen = arguments.parse_args()
    key = os.environ["PARTSIGHT_API_KEY"]
    if chosen.stdio:
        settings = {name: value for name, value in os.environ.items() if name.startswith("PARTSIGHT_")}
        program = StdioServerParameters(command=chosen.stdio, args=["mcp"], env=settings)
        async with Client(program, read_timeout_seconds=60) as client:
            await day(client, chosen.photos, reads_files=True)
        return
    url = os.environ.get("PARTSIGHT_URL", "http://localhost:8080")
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client:
            await day(client, chosen.photos, reads_files=False)


asyncio.run(main())
