"""One session of the official Python client of the first generation: `python_first.py URL`, or a command behind
`--` for a server on a pipe. A URL that ends in `/sse` is one of 2024-11-05."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from session import CALLBACKS, use


def transport(target):
    if target[0] == "--":
        return stdio_client(StdioServerParameters(command=target[1], args=target[2:]))
    return (sse_client if target[0].endswith("/sse") else streamable_http_client)(target[0])


async def main(target):
    async with transport(target) as (read, write, *_), ClientSession(read, write, **CALLBACKS) as client:
        await client.initialize()
        await use(client)
        await client.send_ping()
    print("done")


asyncio.run(main(sys.argv[1:]))
