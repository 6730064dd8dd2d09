"""One session of the official Python client: `python.py MODE URL`, or a command behind `--` for a server on a
pipe. MODE is `legacy` or a revision of the modern era."""

import asyncio
import sys

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from session import CALLBACKS, text, use


async def cancelled(client):
    """Gives a call up once it is known to run, and waits until the server has heard of it."""
    before = text(await client.call_tool("test_dropped"))
    runs = asyncio.Event()

    async def report(progress, total, message):
        runs.set()

    call = asyncio.create_task(client.call_tool("test_wait", progress_callback=report))
    await runs.wait()
    call.cancel()
    while text(await client.call_tool("test_dropped")) == before:
        pass


async def main(mode, target):
    server = StdioServerParameters(command=target[1], args=target[2:]) if target[0] == "--" else target[0]
    async with Client(server, mode=mode, **CALLBACKS) as client:
        await use(client)
        await cancelled(client)
    print("done")


asyncio.run(main(sys.argv[1], sys.argv[2:]))
