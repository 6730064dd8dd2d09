"""One session of the official Python client: `python.py MODE URL`, or a command behind `--` for a server on a
pipe. MODE is `legacy` or a revision of the modern era."""

import asyncio
import sys

from mcp import types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters


async def sample(context, params):
    text = params.messages[0].content.text
    content = types.TextContent(type="text", text=f"heard {text}")
    return types.CreateMessageResult(role="assistant", model="peer", content=content)


async def elicit(context, params):
    return types.ElicitResult(action="accept", content={"username": "ada", "email": "ada@example.com"})


async def roots(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///project", name="project")])


def text(result):
    return result.content[0].text


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
    callbacks = {"sampling_callback": sample, "elicitation_callback": elicit, "list_roots_callback": roots}
    async with Client(server, mode=mode, **callbacks) as client:
        tools = await client.list_tools()
        assert any(tool.name == "test_sum" for tool in tools.tools)
        result = await client.call_tool("test_sum", {"a": 2, "b": 40})
        assert result.structured_content == {"sum": 42}, result

        reports = []

        async def report(progress, total, message):
            reports.append(progress)

        await client.call_tool("test_tool_with_progress", progress_callback=report)
        assert reports == [0, 50, 100], reports

        assert text(await client.call_tool("test_sampling", {"prompt": "ping"})) == "LLM response: heard ping"
        assert "ada@example.com" in text(await client.call_tool("test_elicitation", {"message": "who?"}))
        assert "file:///project" in text(await client.call_tool("test_input_required_result_list_roots"))
        await cancelled(client)

        read = await client.read_resource("test://static-text")
        assert read.contents[0].text == "This is the content of the static text resource."
        arguments = {"arg1": "a", "arg2": "b"}
        prompt = await client.get_prompt("test_prompt_with_arguments", arguments)
        assert prompt.messages[0].content.text == "Prompt with arguments: arg1='a', arg2='b'"
    print("done")


asyncio.run(main(sys.argv[1], sys.argv[2:]))
