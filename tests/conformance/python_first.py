"""One session of the official Python client of the first generation: `python_first.py URL`, or a command behind
`--` for a server on a pipe. A URL that ends in `/sse` is one of 2024-11-05."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def sample(context, params):
    content = types.TextContent(type="text", text=f"heard {params.messages[0].content.text}")
    return types.CreateMessageResult(role="assistant", model="peer", content=content)


async def elicit(context, params):
    return types.ElicitResult(action="accept", content={"username": "ada", "email": "ada@example.com"})


async def roots(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///project", name="project")])


def text(result):
    assert not result.isError, result
    return result.content[0].text


def transport(target):
    if target[0] == "--":
        return stdio_client(StdioServerParameters(command=target[1], args=target[2:]))
    return (sse_client if target[0].endswith("/sse") else streamable_http_client)(target[0])


async def main(target):
    callbacks = {"sampling_callback": sample, "elicitation_callback": elicit, "list_roots_callback": roots}
    async with transport(target) as (read, write, *_), ClientSession(read, write, **callbacks) as client:
        await client.initialize()
        assert any(tool.name == "test_sum" for tool in (await client.list_tools()).tools)
        result = await client.call_tool("test_sum", {"a": 2, "b": 40})
        assert result.structuredContent == {"sum": 42}, result

        reports = []

        async def report(progress, total, message):
            reports.append(progress)

        await client.call_tool("test_tool_with_progress", progress_callback=report)
        assert reports == [0, 50, 100], reports

        assert text(await client.call_tool("test_sampling", {"prompt": "ping"})) == "LLM response: heard ping"
        assert "ada@example.com" in text(await client.call_tool("test_elicitation", {"message": "who?"}))
        assert "file:///project" in text(await client.call_tool("test_input_required_result_list_roots"))

        found = await client.read_resource("test://static-text")
        assert found.contents[0].text == "This is the content of the static text resource."
        prompt = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
        assert prompt.messages[0].content.text == "Prompt with arguments: arg1='a', arg2='b'"
        await client.send_ping()
    print("done")


asyncio.run(main(sys.argv[1:]))
