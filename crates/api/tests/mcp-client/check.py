"""Uses the tools for language models as the official client for Python does, by both transports.

    python -m venv venv && venv/bin/pip install mcp
    PARTSIGHT_API_KEY=ps_live_... venv/bin/python check.py PARTSIGHT_BINARY DATA_DIR SERVER_URL PHOTO

The server must run on that data folder, and the key open everything. A vehicle must be saved.
"""

import asyncio
import base64
import os
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

try:
    from mcp.client.streamable_http import streamable_http_client
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as streamable_http_client

TOOLS = {"identify_part", "read_text", "search_parts", "look_up_vin", "list_vehicles", "log_repair"}


async def use(session: ClientSession, photo: dict[str, str]) -> None:
    begun = await session.initialize()
    info = getattr(begun, "serverInfo", None) or begun.server_info
    print(f"  {info.name} {info.version}")
    listed = {tool.name for tool in (await session.list_tools()).tools}
    assert listed == TOOLS, listed

    async def call(tool: str, **arguments: object) -> dict:
        result = await session.call_tool(tool, arguments)
        is_error = result.isError if hasattr(result, "isError") else result.is_error
        assert not is_error, (tool, result)
        content = result.structuredContent if hasattr(result, "structuredContent") else result.structured_content
        return content

    scan = await call("identify_part", **photo)
    print(f"  identify_part: {scan['verdict']} {scan['id']}")
    print(f"  read_text: {(await call('read_text', scanId=scan['id']))['state']}")
    print(f"  search_parts: {(await call('search_parts', query='sparc plug'))['items'][0]['label']}")
    print(f"  look_up_vin: {(await call('look_up_vin', vin='1HGCM82633A004352'))['make']}")
    vehicle = (await call("list_vehicles"))["items"][0]
    repair = await call(
        "log_repair", vehicleId=vehicle["id"], mileage=52_000, partReplaced="Alternator", repairDate="2026-11-01"
    )
    print(f"  log_repair: {repair['partReplaced']}")


async def main() -> None:
    binary, data_dir, url, photo = sys.argv[1:]
    key = os.environ["PARTSIGHT_API_KEY"]
    print("stdio")
    server = StdioServerParameters(
        command=binary,
        args=["mcp", "--data-dir", data_dir],
        env={"PARTSIGHT_API_KEY": key, "PARTSIGHT_PLAN": "business", "HOME": os.environ["HOME"]},
    )
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await use(session, {"path": photo})
    print("streamable HTTP")
    try:
        import httpx

        http = httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=120)
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
    except TypeError:
        transport = streamable_http_client(f"{url}/mcp", headers={"Authorization": f"Bearer {key}"})
    async with transport as streams, ClientSession(streams[0], streams[1]) as session:
        await use(session, {"imageBase64": base64.b64encode(Path(photo).read_bytes()).decode()})


asyncio.run(main())
