"""What both generations of the official Python client do in a session, and what they answer the server."""

from mcp import types


async def sample(context, params):
    content = types.TextContent(type="text", text=f"heard {params.messages[0].content.text}")
    return types.CreateMessageResult(role="assistant", model="peer", content=content)


async def elicit(context, params):
    return types.ElicitResult(action="accept", content={"username": "ada", "email": "ada@example.com"})


async def roots(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///project", name="project")])


CALLBACKS = {"sampling_callback": sample, "elicitation_callback": elicit, "list_roots_callback": roots}


def wire(result):
    """Returns a result under the names of the protocol, which the two generations spell differently."""
    return result.model_dump(by_alias=True)


def text(result):
    assert not wire(result)["isError"], result
    return result.content[0].text


async def use(client):
    assert any(tool.name == "test_sum" for tool in (await client.list_tools()).tools)
    result = await client.call_tool("test_sum", {"a": 2, "b": 40})
    assert wire(result)["structuredContent"] == {"sum": 42}, result

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
